/**
 * Runs the benchmarks named in the arguments, or all of them, one after the other: each is a process of its own, so that none warms up
 * another. `--smoke` is passed on; with `--json FILE` the reports go there as one list.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { withOwnAgent } from './support/own-agent.ts';
import { CODE_CACHE_VARIABLE } from './support/server-process.ts';

/** Names and programs, in the order in which they run. */
const PROGRAMS: Readonly<Record<string, string>> = {
  start: 'start.ts',
  dispatch: 'dispatch.ts',
  accept: 'accept.ts',
  chain: 'chain.ts',
  run: 'complete.ts',
  steps: 'steps.ts',
  command: 'command.ts',
  local: 'local.ts',
  cancel: 'cancel.ts',
  overload: 'overload.ts',
  idle: 'idle.ts',
  publications: 'publications.ts',
  logs: 'logs.ts',
  pages: 'pages.ts',
  attachments: 'attachments.ts',
  report: 'report.ts',
  interpreters: 'interpreters.ts',
  datasource: 'datasource.ts',
  stored: 'stored.ts',
  scope: 'scope.ts',
  others: 'others.ts',
  soak: 'soak.ts',
};

/** Only by their names, as they install things or take long: but their smoke forms do not, and run with all. */
const BY_NAME_ONLY = ['others', 'soak'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { smoke: { type: 'boolean', default: false }, json: { type: 'string' } },
});

const unknown = positionals.filter((name) => !Object.hasOwn(PROGRAMS, name));
if (unknown.length > 0) {
  console.error(
    `No such benchmark: ${unknown.join(', ')}. There are ${Object.keys(PROGRAMS).join(', ')}.`,
  );
  process.exitCode = 2;
} else {
  await runAll(positionals.length > 0 ? positionals : usualNames());
}

function usualNames(): readonly string[] {
  return Object.keys(PROGRAMS).filter((name) => values.smoke || !BY_NAME_ONLY.includes(name));
}

async function runAll(names: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tutti-bench-reports-'));
  process.env[CODE_CACHE_VARIABLE] = join(folder, 'code');
  try {
    await fillCodeCache(join(folder, 'first-start'));
    const reports: unknown[] = [];
    for (const name of names) {
      const file = join(folder, `${name}.json`);
      if (await runOne(name, file)) reports.push(JSON.parse(await readFile(file, 'utf8')));
      else process.exitCode = 1;
    }
    if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(reports)}\n`);
  } finally {
    // Processes of a benchmark that failed may still write what they compiled.
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** The first start of an installation compiles everything, once; `start` tells what that takes. */
async function fillCodeCache(folder: string): Promise<void> {
  await withOwnAgent(folder, async () => undefined);
}

/** True when it ran to its end. */
async function runOne(name: string, file: string): Promise<boolean> {
  const program = fileURLToPath(new URL(`./${PROGRAMS[name]}`, import.meta.url));
  const args = [program, '--json', file, ...(values.smoke ? ['--smoke'] : [])];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) console.error(`The benchmark ${name} failed.`);
  return code === 0;
}
