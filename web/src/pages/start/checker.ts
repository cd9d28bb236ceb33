/** Asks the worker that checks workflows. */
import type { Checked, Question, Written } from './check-protocol.ts';
import address from './check-worker.ts?worker&url';

/** The part of Trusted Types that is used here. Browsers without them take the address as it is. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (address: string) => string },
  ): { createScriptURL(address: string): string };
}

function workerAddress(): string {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  if (trustedTypes === undefined) return address;
  // The only script that is not part of the page itself.
  const rules = { createScriptURL: () => address };
  return trustedTypes.createPolicy('tutti', rules).createScriptURL(address);
}

type Answer = Checked | Written;

let worker: Worker | null = null;
let lastNumber = 0;
const open = new Map<number, (answer: Answer) => void>();

function ask(question: Question): Promise<Answer> {
  worker ??= started();
  lastNumber += 1;
  const { promise, resolve } = Promise.withResolvers<Answer>();
  open.set(lastNumber, resolve);
  worker.postMessage({ ...question, number: lastNumber });
  return promise;
}

interface AnswerMessage {
  readonly number: number;
  readonly answer: Answer;
}

function started(): Worker {
  const own = new Worker(workerAddress(), { type: 'module' });
  own.addEventListener('message', ({ data }: MessageEvent<AnswerMessage>) => {
    open.get(data.number)?.(data.answer);
    open.delete(data.number);
  });
  return own;
}

/** All problems of a workflow, its inputs, and its plan. */
export const checkWorkflow = (question: Omit<Extract<Question, { kind: 'check' }>, 'kind'>) =>
  ask({ ...question, kind: 'check' }) as Promise<Checked>;

/** The manifest of a run as the text of a file. */
export const writeWorkflow = (manifest: Readonly<Record<string, unknown>>) =>
  ask({ kind: 'write', manifest }) as Promise<Written>;
