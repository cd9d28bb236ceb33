/** `tutti agents drain` and `undrain`: agents take no further job, or jobs again. */
import type { Client } from '@tutti/client';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { type ChoiceOptions, chosenIds } from '../resources/chosen-ids.ts';
import { forEachItem } from '../resources/each-item.ts';
import { textAt, valuesAt } from '../resources/value-path.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { AGENTS } from './agents.ts';
import { type Waiting, waitUntil } from './wait-until.ts';

export interface UndrainOptions extends ConnectionOptions, ChoiceOptions {}

export interface DrainOptions extends UndrainOptions {
  readonly wait?: boolean;
  /** Milliseconds. */
  readonly timeout: number;
}

/** Drains agents, and with `wait` waits until all of them are idle. Resolves with the exit code. */
export async function drainAgents(
  ids: readonly string[],
  options: DrainOptions,
  io: Io,
): Promise<number> {
  const client = await connect(options, io);
  const chosen = await chosenIds(ids, options, AGENTS, client);
  if (chosen.length === 0) io.complain('No agent fits, so none was drained.\n');
  const code = await forEachItem(chosen, (id) => setDrain(client, 'POST', id), io);
  if (options.wait !== true || chosen.length === 0 || code !== EXIT_CODES.done) return code;
  return await waitForWork(client, new Set(chosen), options.timeout, io);
}

/** Resolves with the exit code. */
export async function undrainAgents(
  ids: readonly string[],
  options: UndrainOptions,
  io: Io,
): Promise<number> {
  const client = await connect(options, io);
  const chosen = await chosenIds(ids, options, AGENTS, client);
  if (chosen.length === 0) io.complain('No agent fits.\n');
  return await forEachItem(chosen, (id) => setDrain(client, 'DELETE', id), io);
}

async function setDrain(client: Client, method: 'POST' | 'DELETE', id: string): Promise<string> {
  const { message } = await client.ask({ method, path: `/agents/${id}/drain` });
  return String(message);
}

/** An unknown agent works on nothing. */
async function waitForWork(
  client: Client,
  ids: ReadonlySet<string>,
  timeoutMs: number,
  io: Io,
): Promise<number> {
  const look = async (signal: AbortSignal) => {
    const agents = await client.list('agents', { signal });
    const working = agents.filter(
      ({ metadata, status }) =>
        ids.has(textAt(metadata, ['agent_id'])) && isWorking(valuesAt(status, ['phase'])[0]),
    );
    if (working.length === 0) return null;
    const names = working.map(({ metadata }) => textAt(metadata, ['name'])).join(', ');
    return `At work: ${names}.`;
  };
  const waiting: Waiting = {
    ...{ timeoutMs, failure: 'Not drained', lateCode: EXIT_CODES.undecided },
    isPatient: () => true,
  };
  const code = await waitUntil(look, waiting, io);
  if (code === EXIT_CODES.done) {
    io.screen.write(ids.size === 1 ? 'It works on nothing.\n' : 'They work on nothing.\n');
  }
  return code;
}

const isWorking = (phase: unknown): boolean => phase === 'BUSY' || phase === 'PENDING';
