/**
 * Runs the named benchmarks, or all, one after the other. Each has a process of its own, so that none warms up another. `--smoke`
 * is passed on; its figures mean nothing, so some run concurrently. With `--json FILE`, the reports go there as one list.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
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
  slots: 'slots.ts',
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
  ui: 'ui.ts',
  interpreters: 'interpreters.ts',
  datasource: 'datasource.ts',
  stored: 'stored.ts',
  scope: 'scope.ts',
  flaky: 'flaky.ts',
  history: 'history.ts',
  others: 'others.ts',
  stores: 'stores.ts',
  replicas: 'replicas.ts',
  soak: 'soak.ts',
  million: 'million.ts',
};

/** The start of each takes a processor, and then they often wait. */
const SMOKES_AT_A_TIME = Math.ceil(1.5 * availableParallelism());

/** Run only by name, as they install things or take long. Their smoke forms run with all. */
const BY_NAME_ONLY = ['others', 'stores', 'replicas', 'soak', 'million'];

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
    const left = [...names];
    const passed = new Set<string>();
    const runLeft = async () => {
      for (let name = left.shift(); name !== undefined; name = left.shift()) {
        if (await runOne(name, join(folder, `${name}.json`))) passed.add(name);
      }
    };
    await Promise.all(Array.from({ length: values.smoke ? SMOKES_AT_A_TIME : 1 }, runLeft));
    if (passed.size < names.length) process.exitCode = 1;
    if (values.json !== undefined) {
      const reports = names
        .filter((name) => passed.has(name))
        .map((name) => readReport(folder, name));
      await writeFile(values.json, `${JSON.stringify(await Promise.all(reports))}\n`);
    }
  } finally {
    // Processes of a failed benchmark may still write compiled code.
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

async function readReport(folder: string, name: string): Promise<unknown> {
  return JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8'));
}

/** The first start of an installation compiles everything, once; `start` measures that. */
async function fillCodeCache(folder: string): Promise<void> {
  await withOwnAgent(folder, async () => undefined);
}

/** True if it ran to its end. Output of concurrent benchmarks is shown when each has ended. */
async function runOne(name: string, file: string): Promise<boolean> {
  const program = fileURLToPath(new URL(`./${PROGRAMS[name]}`, import.meta.url));
  const args = [program, '--json', file, ...(values.smoke ? ['--smoke'] : [])];
  const output = values.smoke ? 'pipe' : 'inherit';
  const child = spawn(process.execPath, args, { stdio: ['inherit', output, output] });
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (piece: Buffer) => said.push(piece));
  }
  const [code] = await once(child, 'close');
  process.stdout.write(Buffer.concat(said));
  if (code !== 0) console.error(`The benchmark ${name} failed.`);
  return code === 0;
}
