/** Many requests over some connections at once. */
import { type Answer, HttpSocket, requestText } from './http-socket.ts';
import type { ServerProcess } from './server-process.ts';

type Target = Pick<ServerProcess, 'url' | 'token'>;

const CREATED = 201;

export const postWorkflowText = (token: string, workflow: object): string =>
  requestText({ method: 'POST', path: '/workflows', token, json: workflow });

/** Sends the same request `count` times over `connections` connections, each waiting for its answer. */
export async function sendMany(
  url: URL,
  request: string,
  { count, connections }: { readonly count: number; readonly connections: number },
): Promise<void> {
  let left = count;
  const work = async (): Promise<void> => {
    const socket = new HttpSocket(url);
    while (left > 0) {
      left -= 1;
      check(await socket.send(request));
    }
    socket.close();
  };
  await Promise.all(Array.from({ length: Math.min(count, connections) }, work));
}

/** Starts `count` runs of a workflow. */
export function startRuns(
  { url, token }: Target,
  workflow: object,
  count: number,
  connections = 50,
): Promise<void> {
  return sendMany(url, postWorkflowText(token, workflow), { count, connections });
}

function check({ code, body }: Answer): void {
  if (code !== CREATED) throw new Error(`Answer ${code}: ${body.toString()}`);
}
