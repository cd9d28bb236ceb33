/** `tutti agents`: the agents of a server and what they do. */
import type { Client } from '@tutti/client';
import { asCalled } from '../command-name.ts';
import { type ConnectionOptions, connect } from '../connection.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { type OutputFormat, printDocument } from '../output-format.ts';
import { renderTable } from '../table.ts';

export interface AgentsOptions extends ConnectionOptions {
  readonly output: OutputFormat;
}

/** Resolves with the exit code. */
export async function listAgents(options: AgentsOptions, io: Io): Promise<number> {
  const client = await connect(options, io);
  if (options.output === 'json') printDocument(await client.document('agents'), io);
  else await showAgents(client, io);
  return EXIT_CODES.done;
}

async function showAgents(client: Client, io: Io): Promise<void> {
  const agents = await client.agents();
  if (agents.length === 0) {
    const hint = asCalled('Start one with: tutti agent --tags linux', io.command);
    io.screen.write(`There are no agents. ${hint}\n`);
    return;
  }
  const rows = agents.map(({ name, phase, tags, namespaces, agentId, currentJobId }) => [
    name,
    phase,
    tags.join(','),
    namespaces,
    agentId,
    currentJobId ?? '',
  ]);
  const titles = ['NAME', 'STATUS', 'TAGS', 'NAMESPACES', 'AGENT_ID', 'RUNNING_JOB'];
  io.screen.write(`${renderTable(titles, rows).join('\n')}\n`);
}
