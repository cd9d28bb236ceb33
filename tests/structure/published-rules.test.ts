/** The schema for editors refuses which keys do not go with which, as the server does in its own sentences. */
import { publishedWorkflowSchema } from '@tutti/manifests/reference';
import { createWorkflowCheck } from '@tutti/workflow/validation';
import { Ajv } from 'ajv';
import * as ajv2019 from 'ajv/dist/2019.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const fits = new Ajv({ strict: true, strictRequired: false, strictTypes: false }).compile(
  publishedWorkflowSchema(),
);
const check = createWorkflowCheck(() => ajv2019);

const whole = (content: string): string =>
  `metadata: {name: x}\njobs: {a: {steps: [{run: x}]}}\n${content}`;
const job = (content: string): string => `metadata: {name: x}\njobs: {a: {${content}}}\n`;
const step = (content: string): string => job(`steps: [{${content}}]`);
const hook = (content: string): string => whole(`hooks: [{name: h, ${content}}]`);
const input = (content: string): string => whole(`inputs: {i: {description: d, ${content}}}`);
const inner = 'jobs: {b: {steps: [{run: x}]}}';
const SETUP = 'events: [{channel: setup}]';
const TEARDOWN = 'events: [{channel: teardown}]';

describe('what the server refuses the schema refuses', () => {
  test.each<[what: string, text: string]>([
    ['a run step with inputs', step('run: x, with: {}')],
    ['a uses step with a shell', step('uses: a/b, shell: bash')],
    ['a job of steps with inputs', job('steps: [{run: x}], with: {}')],
    ['a bundle with inputs', job(`${inner}, with: {}`)],
    ['the same in a bundle', job('jobs: {b: {steps: [{run: x}], with: {}}}')],
    ['a generator with outputs', job('generator: a/b, outputs: {o: x}')],
    ['a called workflow with outputs', job('uses: a.yaml, outputs: {o: x}')],
    ['options without a type', input('options: [a]')],
    ['options of another type', input('type: string, options: [a]')],
    ['a choice without options', input('type: choice')],
    ['an input in braces', whole("inputs: {'{any}': {description: d}}")],
    ['use-workspace after', hook(`${SETUP}, after: [{use-workspace: x}]`)],
    ['keep-workspace after', hook(`${TEARDOWN}, after: [{keep-workspace: true}]`)],
    ['use-workspace at the end', hook(`${TEARDOWN}, before: [{use-workspace: x}]`)],
    ['keep-workspace at the begin', hook(`${SETUP}, before: [{keep-workspace: true}]`)],
    ['use-workspace at a function', hook('events: [{category: c}], before: [{use-workspace: x}]')],
    [
      'use-workspace with a time limit',
      hook(`${SETUP}, before: [{use-workspace: x, timeout-minutes: 1}]`),
    ],
    ['a file called workflow', whole('resources: {files: [workflow]}')],
    ['a file called variables', whole('resources: {files: [a, variables]}')],
    ['a file called inputs', whole('resources: {files: [inputs]}')],
  ])('%s', (_, text) => {
    const value: unknown = parse(text);
    expect(check(value)).toMatchObject({ ok: false, isMisshapen: false });
    expect(fits(value)).toBe(false);
  });
});

describe('what the server warns of the schema refuses', () => {
  test.each<[what: string, text: string]>([
    ['another key of a hook', hook(`${SETUP}, before: [{run: x, retries: 1}]`)],
    ['another key of an event', hook('events: [{channel: setup, on: x}], before: [{run: x}]')],
    ['another kind of resource', whole('resources: {secrets: []}')],
    ['another key of a file', whole('resources: {files: [{name: f, url: "http://x/y", a: b}]}')],
    ['another default', job('steps: [{run: x}], defaults: {run: {umask: "7"}}')],
    ['a matrix of the workflow', whole('strategy: {matrix: {os: [a]}}')],
  ])('%s', (_, text) => {
    const value: unknown = parse(text);
    expect(check(value)).toMatchObject({ ok: true, warnings: [{ isWarning: true }] });
    expect(fits(value)).toBe(false);
  });
});

describe('what the server takes the schema takes', () => {
  test.each<[what: string, text: string]>([
    ['a uses step with inputs', step('uses: a/b, with: {i: 1}')],
    ['a run step with a shell', step('run: x, shell: bash')],
    ['a generator with inputs', job('generator: a/b, with: {i: 1}')],
    ['a bundle with outputs', job(`${inner}, outputs: {o: x}`)],
    ['a choice', input('type: choice, options: [a]')],
    ['an input without a type', input('default: a')],
    [
      'several events of functions',
      hook('events: [{category: c}, {categoryPrefix: p}], before: [{run: x}]'),
    ],
    [
      'several events of channels',
      hook('events: [{channel: setup}, {channel: teardown}], after: [{run: x}]'),
    ],
    [
      'events of channels and of functions',
      hook('events: [{channel: setup, category: c}, {category: d}], before: [{use-workspace: x}]'),
    ],
    [
      'use-workspace at the begin and the end',
      hook('events: [{channel: setup}, {channel: teardown}], before: [{use-workspace: x}]'),
    ],
    ['use-workspace', hook(`${SETUP}, before: [{use-workspace: x, id: i, if: always(), name: n}]`)],
    [
      'a step of a hook with a key that says nothing',
      hook(`${SETUP}, after: [{run: x, with: {}}]`),
    ],
    ['keep-workspace', hook(`${TEARDOWN}, before: [{keep-workspace: true}, {run: x}]`)],
    [
      'a fetched file called inputs',
      whole('resources: {files: [{name: inputs, url: "http://x/y"}, b]}'),
    ],
  ])('%s', (_, text) => {
    const value: unknown = parse(text);
    expect(check(value)).toMatchObject({ ok: true, warnings: [] });
    expect(fits(value), JSON.stringify(fits.errors)).toBe(true);
  });
});
