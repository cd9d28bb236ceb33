/** The newest client with what it asks a server and what it is answered; and requests in its manner. */
import type { TestContext } from 'vitest';
import type { Answer, Api, ApiRequest } from '../../support/api.ts';
import { need } from '../../support/found-tool.ts';
import type { ServerChild, Workbench } from '../../support/workbench.ts';
import { installed } from '../installation.ts';
import { labelOf } from '../subjects.ts';
import { Ctl, type CtlEnded, type CtlOptions } from './ctl.ts';
import { type Exchange, openForwarder } from './forwarder.ts';
import { LAST } from './subjects.ts';

export interface RecordedClient {
  readonly ctl: Ctl;
  /** Runs a command, and answers the requests that it made. */
  ask(...words: readonly string[]): Promise<CtlEnded & { readonly exchanges: readonly Exchange[] }>;
}

export async function recordedClient(
  { bench, server }: { readonly bench: Workbench; readonly server: ServerChild },
  context: TestContext,
  options: CtlOptions = {},
): Promise<RecordedClient> {
  const program = need(await installed(LAST), labelOf(LAST), context);
  const forwarder = await openForwarder(server);
  context.onTestFinished(() => forwarder.close());
  const orchestrator = { ports: undefined, ...options.orchestrator };
  const place = { url: forwarder.url, token: server.token };
  const ctl = await Ctl.open(program, place, bench.path('client'), { ...options, orchestrator });
  return {
    ctl,
    async ask(...words) {
      const before = forwarder.exchanges.length;
      const ended = await ctl.run(...words);
      return { ...ended, exchanges: forwarder.exchanges.slice(before) };
    },
  };
}

/** The headers that the library of these clients sends. */
const HEADERS = { 'user-agent': 'python-requests/2.34.2', accept: '*/*' };

export function inItsManner(api: Api): Api['call'] {
  return (method: string, path: string, request: ApiRequest = {}): Promise<Answer> =>
    api.call(method, path, { ...request, headers: { ...HEADERS, ...request.headers } });
}

/** A body of a request as an object. */
export const answerOf = (exchange: Exchange | undefined) => JSON.parse(exchange?.answer ?? 'null');
