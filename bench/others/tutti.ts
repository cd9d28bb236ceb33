/** Tutti: a server, and our agent with one slot or several. */
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runToEnd } from '../support/follow.ts';
import { startEntry, startServerProcess } from '../support/server-process.ts';
import type { Tool, Workload } from './tool.ts';

const AGENT = new URL('../support/agent-entry.ts', import.meta.url);
const PACKAGE = new URL('../../package.json', import.meta.url);

export function tutti(slots: number): Tool {
  // Its own package file, with the version.
  const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string };
  return {
    name: `Tutti ${version}, ${slots === 1 ? '1 agent' : `${slots} slots`}`,
    mode: 'server (HTTP), agent in a process of its own; durable in SQLite, `synchronous=FULL`; a job is a job of one workflow',
    slots,
    install: async () => undefined,
    start: async (folder) => {
      const server = await startServerProcess(join(folder, 'data'));
      const workspace = join(folder, 'workspace');
      await mkdir(workspace);
      const args = [server.url.href, server.token, workspace, String(slots)];
      const agent = await startEntry(AGENT, args);
      return {
        run: async (workload) => void (await runToEnd(server, manifestOf(workload))),
        stop: async () => {
          await agent.stop();
          await server.stop();
        },
      };
    },
  };
}

function manifestOf({ name, shape, commands }: Workload): object {
  const jobs = commands.map((command, index) => [
    `job${index}`,
    {
      'runs-on': 'linux',
      ...(shape === 'chain' && index > 0 ? { needs: [`job${index - 1}`] } : {}),
      steps: [{ run: command }],
    },
  ]);
  return { metadata: { name }, jobs: Object.fromEntries(jobs) };
}
