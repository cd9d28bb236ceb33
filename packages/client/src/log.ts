/** The execution log of a run (specification 4.5): as it is, or as it comes, to the end of the run. */
import { retryDelayMs, type Sleep } from './retry-delay.ts';
import { attempt, type Transport } from './transport.ts';
import { isTransient, RETRY, WATCH_ATTEMPTS_MAX } from './watch.ts';

export interface LogDependencies {
  readonly transport: Transport;
  readonly sleep: Sleep;
  /** From 0 to 1. */
  readonly random: () => number;
}

export async function* readLog(
  { transport }: LogDependencies,
  path: string,
  signal?: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  for await (const bytes of bytesOf(transport, { path, signal })) {
    yield decoder.decode(bytes, { stream: true });
  }
}

/** Every byte once, across broken connections: a new one begins again, and what was given before is passed over. */
export async function* followLog(
  { transport, sleep, random }: LogDependencies,
  path: string,
  signal?: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  const request = { path, query: { follow: 'true' }, signal };
  let given = 0;
  for (let failures = 0; ; ) {
    let at = 0;
    try {
      for await (const bytes of bytesOf(transport, request)) {
        failures = 0;
        const fresh = bytes.subarray(Math.max(0, given - at));
        at += bytes.length;
        if (fresh.length === 0) continue;
        given = at;
        yield decoder.decode(fresh, { stream: true });
      }
      return;
    } catch (error) {
      signal?.throwIfAborted();
      if (!isTransient(error) || failures >= WATCH_ATTEMPTS_MAX) throw error;
    }
    await sleep(retryDelayMs(failures, RETRY, random), signal);
    failures += 1;
  }
}

async function* bytesOf(
  transport: Transport,
  request: {
    readonly path: string;
    readonly query?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal | undefined;
  },
): AsyncGenerator<Uint8Array, void, undefined> {
  const headers = { accept: 'text/plain' };
  const response = await transport.send({ ...request, headers, limitTime: false });
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  for (;;) {
    const { done, value } = await attempt(response.url, request.signal, () => reader.read());
    if (done) return;
    yield value;
  }
}
