/** `tutti done`: waits until a server has nothing to do, for pipelines (client facts 5.2). */
import type { Client } from '@tutti/client';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { valuesAt } from '../resources/value-path.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import { waitUntil } from './wait-until.ts';

export interface DoneOptions extends ConnectionOptions {
  /** Milliseconds. */
  readonly timeout: number;
}

/** Resolves with the exit code. A server that answered once may restart: its runs continue afterwards. */
export async function waitForIdleness(options: DoneOptions, io: Io): Promise<number> {
  const client = await connect(options, io);
  let hasAnswered = false;
  const look = async (signal: AbortSignal) => {
    const why = await busyness(client, signal);
    hasAnswered = true;
    return why;
  };
  const isPatient = () => hasAnswered;
  const waiting = { timeoutMs: options.timeout, failure: 'Not done', isPatient };
  const code = await waitUntil(look, waiting, io);
  if (code === EXIT_CODES.done) io.screen.write('No workflow runs, and no worker is active.\n');
  return code;
}

/** Null when there is nothing to do. */
async function busyness(client: Client, signal: AbortSignal): Promise<string | null> {
  const { details } = await client.ask({ path: '/workflows/status', signal });
  const [status] = valuesAt(details, ['status']);
  if (status === 'IDLE') return null;
  if (status !== 'BUSY') {
    throw new UsageError(
      `${client.baseUrl} does not say whether it has something to do.`,
      'check the address given with --server or TUTTI_SERVER.',
    );
  }
  const running = valuesAt(details, ['items', '*']).length;
  if (running === 0) return 'Workers are active on workflows that are over.';
  return running === 1 ? 'A workflow runs.' : `${running} workflows run.`;
}
