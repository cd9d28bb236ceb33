/** Workflows around the part that a test is about, and the first problem or warning that they have. */
import { formatProblem } from '@tutti/manifests/documents';
import { publishedWorkflowSchema } from '@tutti/manifests/reference';
import { Ajv } from 'ajv';
import * as ajv from 'ajv/dist/2019.js';
import * as yaml from 'yaml';
import { createWorkflowCheck } from '../workflow-problems.ts';

const check = createWorkflowCheck(() => ajv);
export const JOBS: string = 'jobs: {a: {steps: [{run: x}]}}\n';
export const META: string = 'metadata: {name: x}\n';

/** A workflow with these keys beside what each needs. */
export const whole = (content: string): string => `${META}${JOBS}${content}`;
/** A job with these keys, beside one called `b`. */
export const job = (content: string): string =>
  `${META}jobs: {b: {steps: [{run: x}]}, a: {${content}}}`;
export const steps = (content: string): string => job(`steps: [${content}]`);
export const step = (content: string): string => steps(`{run: x, ${content}}`);

/** A workflow with an input of these keys. */
export const input = (content: string): string =>
  whole(`inputs: {i: {description: d, ${content}}}`);

/** The first error, else the first warning; null when there is neither. */
export function problemOf(text: string): string | null {
  const checked = check(yaml.parse(text));
  if (!checked.ok) return checked.problems.slice(0, 1).map(formatProblem).join();
  const [warning] = checked.warnings;
  return warning === undefined ? null : `warning: ${formatProblem(warning)}`;
}

const fitsEditors = new Ajv({ strict: true, strictRequired: false, strictTypes: false }).compile(
  publishedWorkflowSchema(),
);

/** Whether editors take it: they must where there is no problem. */
export const isTakenByEditors = (text: string): boolean => fitsEditors(yaml.parse(text));

export type Rows = readonly (readonly [statement: string, text: string, problem: string | null])[];
