/** `tutti agents`: the agents of a server and what they do. */
import { type ConnectionOptions, connect } from '../connection.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { renderTable } from '../table.ts';

/** Resolves with the exit code. */
export async function listAgents(options: ConnectionOptions, io: Io): Promise<number> {
  const client = await connect(options, io);
  const agents = await client.agents();
  if (agents.length === 0) {
    io.screen.write('There are no agents. Start one with: tutti agent --tags linux\n');
    return EXIT_CODES.done;
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
  return EXIT_CODES.done;
}
