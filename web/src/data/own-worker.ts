/** Starts the workers of the page. */

/** The part of Trusted Types that is used here. Browsers without them take the address as it is. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (address: string) => string },
  ): { createScriptURL(address: string): string };
}

const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
// Workers are the only scripts that are not part of the page itself. A name counts for one policy.
const policy = trustedTypes?.createPolicy('tutti', { createScriptURL: (address) => address });

interface AnswerMessage<Answer> {
  readonly number: number;
  readonly answer: Answer;
}

/** Asks a worker, which begins with the first question. `address` is that of a worker of the page. */
export function workerAt<Question extends object, Answer>(
  address: string,
): (question: Question) => Promise<Answer> {
  let worker: Worker | null = null;
  let lastNumber = 0;
  const open = new Map<number, (answer: Answer) => void>();
  const start = (): Worker => {
    const own = new Worker(policy?.createScriptURL(address) ?? address, { type: 'module' });
    own.addEventListener('message', ({ data }: MessageEvent<AnswerMessage<Answer>>) => {
      open.get(data.number)?.(data.answer);
      open.delete(data.number);
    });
    return own;
  };
  return (question) => {
    worker ??= start();
    lastNumber += 1;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    open.set(lastNumber, resolve);
    worker.postMessage({ ...question, number: lastNumber });
    return promise;
  };
}
