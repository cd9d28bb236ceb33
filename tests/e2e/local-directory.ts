/** A directory in which workflows are run without a server, and the commands that a test starts there. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type CliProcess, type CliResult, runCli, startCli } from './cli-process.ts';

/** Nobody is there: whatever would leave this machine fails. */
const NO_NETWORK = { http_proxy: 'http://127.0.0.1:9', https_proxy: 'http://127.0.0.1:9' };

export interface LocalDirectory {
  readonly cwd: string;
  /** Writes a workflow of these jobs, and answers with the name of its file. */
  workflow(name: string, jobs: object): Promise<string>;
  start(...args: readonly string[]): CliProcess;
  run(...args: readonly string[]): Promise<CliResult>;
  read(name: string): Promise<string>;
  write(name: string): Promise<void>;
}

export async function openLocalDirectory(): Promise<LocalDirectory> {
  const cwd = await mkdtemp(join(tmpdir(), 'tutti-local-'));
  const started: CliProcess[] = [];
  onTestFinished(async () => {
    for (const child of started) child.kill('SIGKILL');
    await Promise.all(started.map((child) => child.ended));
    await rm(cwd, { recursive: true, force: true, maxRetries: 5 });
  });
  const options = { cwd, env: NO_NETWORK };
  return {
    cwd,
    workflow: async (name, jobs) => {
      await writeFile(join(cwd, `${name}.json`), JSON.stringify({ metadata: { name }, jobs }));
      return `${name}.json`;
    },
    start: (...args) => {
      const child = startCli(args, options);
      started.push(child);
      return child;
    },
    run: (...args) => runCli(args, options),
    read: (name) => readFile(join(cwd, name), 'utf8'),
    write: (name) => writeFile(join(cwd, name), ''),
  };
}

/** A job of one step. */
export const job = (run: string, more: object = {}) => ({
  'runs-on': 'linux',
  steps: [{ run }],
  ...more,
});

/** A step goes on until the test has made the file, or is over. */
export const untilThere = (directory: LocalDirectory, name: string): string =>
  `until [ -e '${join(directory.cwd, name)}' ] || [ ! -e '${directory.cwd}' ]; do sleep 0.05; done`;

/** The id of the workflow that the command said it started. */
export async function startedId(child: CliProcess): Promise<string> {
  const [, id = ''] = await child.said(/^Workflow (\S+) started\.$/m);
  return id;
}

/** All that is said of a run whose process was killed. */
export const interrupted = (id: string): RegExp =>
  new RegExp(
    `^Workflow ${id} was interrupted: the process that ran it was ended\\. It is canceled now; "\\S.* run --from-failed ${id}" runs what is left of it\\.\\n$`,
  );
