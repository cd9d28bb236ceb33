/** Offers runs at a fixed rate, whatever the answers: like many independent clients. */
import { type Answer, HttpSocket } from './http-socket.ts';
import { postWorkflowText } from './load.ts';
import type { ServerProcess } from './server-process.ts';

export interface Offer {
  /** Runs per second. */
  readonly rate: number;
  readonly seconds: number;
}

export interface Offered {
  readonly seconds: number;
  readonly sent: number;
  /** Requests that were due, but all connections waited for answers. */
  readonly unsent: number;
  /** Ids of the runs. */
  readonly accepted: readonly string[];
  readonly acceptedMs: readonly number[];
  readonly refusedMs: readonly number[];
  /** Other answers; each is a fault of the server. */
  readonly others: readonly string[];
}

/** More clients than a busy server holds (1 000); each waits for its answer before the next request. */
const CONNECTIONS = 2_000;
const TICK_MS = 5;
const CREATED = 201;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
const REFUSALS: readonly number[] = [429, 503];

export async function offerRuns(
  { url, token }: Pick<ServerProcess, 'url' | 'token'>,
  workflow: object,
  { rate, seconds }: Offer,
): Promise<Offered> {
  const request = Buffer.from(postWorkflowText(token, workflow));
  const idle = Array.from({ length: CONNECTIONS }, () => new HttpSocket(url));
  const sockets = [...idle];
  const seen = { accepted: [] as string[], acceptedMs: [] as number[], refusedMs: [] as number[] };
  const others: string[] = [];
  const open = new Set<Promise<void>>();
  let [sent, unsent, owed] = [0, 0, 0];

  const ask = async (socket: HttpSocket): Promise<void> => {
    const startMs = performance.now();
    const answer = await socket.send(request);
    const elapsedMs = performance.now() - startMs;
    idle.push(socket);
    if (answer.code === CREATED) {
      seen.accepted.push(idOf(answer));
      seen.acceptedMs.push(elapsedMs);
    } else if (REFUSALS.includes(answer.code) && answer.retryAfter !== null) {
      seen.refusedMs.push(elapsedMs);
    } else others.push(`${answer.code} ${answer.body.toString()}`);
  };

  const offer = (count: number): void => {
    for (let index = 0; index < count; index += 1) {
      const socket = idle.pop();
      if (socket === undefined) {
        unsent += count - index;
        return;
      }
      sent += 1;
      const asked = ask(socket)
        .catch((error: unknown) => void others.push(String(error)))
        .finally(() => open.delete(asked));
      open.add(asked);
    }
  };

  await ticking(seconds, (passedMs) => {
    owed += (passedMs / 1000) * rate;
    const count = Math.floor(owed);
    owed -= count;
    offer(count);
  });
  await Promise.all(open);
  for (const socket of sockets) socket.close();
  return { seconds, sent, unsent, ...seen, others };
}

/** Calls back every few milliseconds with the time since the last call. */
function ticking(seconds: number, callback: (passedMs: number) => void): Promise<void> {
  const startMs = performance.now();
  let beforeMs = startMs;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const nowMs = performance.now();
      callback(nowMs - beforeMs);
      beforeMs = nowMs;
      if (nowMs - startMs < seconds * 1000) return;
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
}

/** Cheaper than to parse it, and there are very many. */
const idOf = ({ body }: Answer): string => UUID.exec(body.toString())?.[0] ?? '';
