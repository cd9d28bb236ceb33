/** Tutti: a server and our agents, each in a process of its own. */
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runToEnd } from '../support/follow.ts';
import { type ServerProcess, startEntry, startServerProcess } from '../support/server-process.ts';
import type { Tool, Workload } from './tool.ts';

const AGENT = new URL('../support/agent-entry.ts', import.meta.url);
const PACKAGE = new URL('../../package.json', import.meta.url);

export function tutti(agents: number): Tool {
  // Its own package file, with the version.
  const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string };
  return {
    name: `Tutti ${version}, ${agents === 1 ? '1 agent' : `${agents} agents`}`,
    mode: 'server (HTTP), agents as processes; durable in SQLite, `synchronous=FULL`; a job is a job of one workflow',
    slots: agents,
    install: async () => undefined,
    start: async (folder) => {
      const server = await startServerProcess(join(folder, 'data'));
      const processes: ServerProcess[] = [];
      for (let index = 0; index < agents; index += 1) {
        const workspace = join(folder, `workspace-${index}`);
        await mkdir(workspace);
        processes.push(await startEntry(AGENT, [server.url.href, server.token, workspace]));
      }
      return {
        run: async (workload) => void (await runToEnd(server, manifestOf(workload))),
        stop: async () => {
          for (const each of [...processes, server]) await each.stop();
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
