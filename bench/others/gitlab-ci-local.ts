/** gitlab-ci-local: runs pipelines of GitLab on this machine. */
import { join } from 'node:path';
import { runToItsEnd } from './program.ts';
import { makeRepository } from './repository.ts';
import { SLOTS, type Tool, type Workload } from './tool.ts';

const VERSION = '4.75.1';

export function gitlabCiLocal(): Tool {
  let program = '';
  return {
    name: `gitlab-ci-local ${VERSION}`,
    mode: 'local command, from its start to its end; keeps nothing; jobs in the shell executor, its default without an image',
    slots: SLOTS,
    install: async (cache) => {
      await hasRsync(cache.folder);
      const modules = await cache.node([`gitlab-ci-local@${VERSION}`]);
      program = join(modules, 'gitlab-ci-local', 'dist', 'index.js');
    },
    start: async (folder, workloads) => {
      for (const workload of workloads) {
        const file = { '.gitlab-ci.yml': manifestOf(workload) };
        await makeRepository(join(folder, workload.name), file);
      }
      const command = process.execPath;
      // Validation takes half a second, and changes nothing for a valid file.
      const fast = ['--no-json-schema-validation'];
      const args = [program, '--concurrency', String(SLOTS), '--home', folder, ...fast];
      return {
        run: ({ name }) => runToItsEnd({ command, args, folder: join(folder, name) }),
        stop: async () => undefined,
      };
    },
  };
}

/** It copies the tracked files with rsync. */
async function hasRsync(folder: string): Promise<void> {
  const check = { command: 'rsync', args: ['--version'], folder };
  await runToItsEnd(check).catch(() => {
    throw new Error('it needs rsync, which is not there. Install it and run this again.');
  });
}

function manifestOf({ shape, commands }: Workload): object {
  const jobs = commands.map((command, index) => {
    const needs = shape === 'chain' && index > 0 ? [`job${index - 1}`] : [];
    return [`job${index}`, { needs, script: [command] }];
  });
  return Object.fromEntries(jobs);
}
