/** Asks the worker that checks workflows. */
import { workerAt } from '../../data/own-worker.ts';
import type { Checked, Question, Written } from './check-protocol.ts';
import address from './check-worker.ts?worker&url';

const ask = workerAt<Question, Checked | Written>(address);

/** All problems of a workflow, its inputs, and its plan. */
export const checkWorkflow = (question: Omit<Extract<Question, { kind: 'check' }>, 'kind'>) =>
  ask({ ...question, kind: 'check' }) as Promise<Checked>;

/** The manifest of a run as the text of a file. */
export const writeWorkflow = (manifest: Readonly<Record<string, unknown>>) =>
  ask({ kind: 'write', manifest }) as Promise<Written>;
