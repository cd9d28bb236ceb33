/** Buildbot: a master with local workers. Its client is the HTTP interface of the master. */
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../tests/support/free-port.ts';
import { Program, runToItsEnd } from './program.ts';
import { SLOTS, type Tool, type Workload } from './tool.ts';

const VERSION = '4.3.0';
const CONFIG = new URL('./buildbot-master.py', import.meta.url);
/** Asking costs the master a few milliseconds. */
const LOOK_EVERY_MS = 50;
/** The result of a build in which everything went well. */
const SUCCESS = 0;

interface Build {
  readonly complete: boolean;
  readonly results: number | null;
}

export function buildbot(): Tool {
  let programs = '';
  return {
    name: `Buildbot ${VERSION}`,
    mode: 'master with its database in a file (SQLite, its default), and 4 workers within it; a job is a build, a chain is of dependent schedulers, parallel jobs are triggered by one build',
    slots: SLOTS,
    parallelMost: 40,
    install: async (cache) => {
      const packages = ['buildbot', 'buildbot-worker', 'buildbot-www'];
      programs = await cache.python(packages.map((name) => `${name}==${VERSION}`));
    },
    start: async (folder, workloads) => {
      const port = await freePort();
      const workers = Array.from({ length: SLOTS }, (_, index) => `worker-${index}`);
      const command = join(programs, 'buildbot');
      await copyFile(CONFIG, join(folder, 'master.cfg'));
      await writeFile(join(folder, 'settings.json'), JSON.stringify({ port, workers, workloads }));
      await runToItsEnd({ command, args: ['create-master', '--quiet', folder], folder });
      const master = Program.start({ command, args: ['start', '--nodaemon', folder], folder });
      const api = `http://127.0.0.1:${port}/api/v2`;
      await master.until(() => hasWorkers(api, SLOTS + 1));
      return {
        run: (workload) => runBuilds(api, workload),
        stop: () => master.stop(),
      };
    },
  };
}

async function hasWorkers(api: string, count: number): Promise<boolean> {
  try {
    const { workers } = await read<{ workers: { connected_to: unknown[] }[] }>(`${api}/workers`);
    return workers.length === count && workers.every(({ connected_to: to }) => to.length > 0);
  } catch {
    return false;
  }
}

/** The last builder of a chain runs after all others; that of parallel jobs ends with the last of them. */
async function runBuilds(api: string, { name }: Workload): Promise<void> {
  const before = (await lastBuilds(api, name)).length;
  const answer = await fetch(`${api}/forceschedulers/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'force', params: { owner: 'bench' } }),
  });
  if (!answer.ok) throw new Error(`Buildbot answered ${answer.status}: ${await answer.text()}`);
  for (;;) {
    const builds = await lastBuilds(api, name);
    const last = builds[0];
    if (builds.length > before && last?.complete === true) {
      if (last.results !== SUCCESS) throw new Error(`Buildbot ended ${name} with ${last.results}`);
      return;
    }
    await sleep(LOOK_EVERY_MS);
  }
}

async function lastBuilds(api: string, name: string): Promise<readonly Build[]> {
  const query = 'order=-number&field=complete&field=results&field=number';
  return (await read<{ builds: Build[] }>(`${api}/builders/${name}-end/builds?${query}`)).builds;
}

async function read<T>(url: string): Promise<T> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`Buildbot answered ${answer.status} to ${url}`);
  // The API reference of Buildbot documents this type.
  return (await answer.json()) as T;
}
