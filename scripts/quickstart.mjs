/** A server, an agent and a workflow, as real processes: the shortest way to see what Tutti does. */
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { lastLines, startQuiet, startShown, unlessAborted } from './processes.mjs';

const READY_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 10_000;
/** The workflow takes seconds; an agent that never comes must not hold a build server for ever. */
const RUN_TIMEOUT_MS = 5 * 60_000;

/** Signals that interrupt the quickstart. After `SIGHUP` the terminal may be gone. */
const INTERRUPTIONS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The command as a user types it in the folder of the clone. */
const RUN_COMMAND =
  'npx tutti run examples/quickstart/workflow.yaml -e SOURCE_DIR="$PWD/examples/quickstart" --wait';

const whatNext = (root) => `
What to try next: the tests of a project of your own, on this machine, without a server.

  cd THE/FOLDER/OF/YOUR/PROJECT
  ${shellWord(join(root, 'node_modules', '.bin', 'tutti'))} init

It says what it found, and how to run it. Or a server and an agent that stay, in three terminals in this folder:

  npx tutti server                  (prints a link to its page)
  npx tutti agent --tags node
  ${RUN_COMMAND}

Then break a test in examples/quickstart/test and run it again, to see what a failure looks like.`;

const shellWord = (path) => (/\s/.test(path) ? `"${path}"` : path);

/** Resolves with the exit code; always stops and removes everything that it started. */
export async function quickstart(root, node) {
  const dir = mkdtempSync(join(tmpdir(), 'tutti-quickstart-'));
  const started = [];
  const interruption = listenForInterruption(started);
  let hasRun = false;
  try {
    const code = await runAll({ root, node, dir, started, signal: interruption.signal });
    hasRun = code === 0;
    return code;
  } catch (error) {
    if (interruption.signal.aborted) return interruption.exitCode();
    const isLate = error.name === 'TimeoutError';
    const why = isLate ? 'The workflow did not end.' : error.message;
    console.error(`\nThe quickstart failed: ${why}`);
    if (isLate) printLogs(started);
    return 1;
  } finally {
    for (const child of started.toReversed()) await child.stop(STOP_TIMEOUT_MS).catch(() => {});
    rmSync(dir, { recursive: true, force: true });
    console.log('\nStopped the agent and the server, and removed what they wrote.');
    if (hasRun) console.log(whatNext(root));
    interruption.ignore();
  }
}

/** The first interruption ends everything in order; another one hurries the end. */
function listenForInterruption(started) {
  const controller = new AbortController();
  let code = 1;
  const interrupt = (signal) => {
    if (controller.signal.aborted) {
      for (const child of started) child.urge();
      return;
    }
    code = 128 + constants.signals[signal];
    controller.abort();
    console.error('\nInterrupted: ending the run, the agent and the server.');
  };
  for (const signal of INTERRUPTIONS) process.on(signal, interrupt);
  // A closed terminal must not keep us from ending the processes.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  return {
    signal: controller.signal,
    exitCode: () => code,
    ignore: () => {
      for (const signal of INTERRUPTIONS) process.off(signal, interrupt);
    },
  };
}

async function runAll({ root, node, dir, started, signal }) {
  const tutti = join(root, 'cli', 'bin', 'tutti.js');
  const dataDir = join(dir, 'data');
  const env = environment(node);
  const start = (...args) => {
    console.log(`$ npx tutti ${args.join(' ')}`);
    const child = startQuiet(node, tutti, args, { env });
    started.push(child);
    return child;
  };

  const server = start('server', '--port', '0', '--data-dir', dataDir);
  const ready = server.waitFor(/Tutti is ready on .*/, READY_TIMEOUT_MS);
  const [line] = await unlessAborted(ready, signal);
  console.log(line);
  const workspace = join(dir, 'workspace');
  start('agent', '--data-dir', dataDir, '--tags', 'node', '--workspace-dir', workspace);

  const example = join(root, 'examples', 'quickstart');
  const args = ['run', join(example, 'workflow.yaml'), '-e', `SOURCE_DIR=${example}`, '--wait'];
  console.log(`$ ${RUN_COMMAND}\n`);
  // The hints of the summary need a server that is still there afterwards.
  const run = startShown(node, tutti, [...args, '--no-hints', '--data-dir', dataDir], { env });
  started.push(run);
  const timeout = AbortSignal.timeout(RUN_TIMEOUT_MS);
  const code = await unlessAborted(run.ended, AbortSignal.any([signal, timeout]));
  if (code !== 0) printLogs(started);
  return code;
}

/** The environment of the caller without its `TUTTI_` variables, which may name another server. */
function environment(node) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('TUTTI_'));
  // Steps that call node get the current one.
  return {
    ...Object.fromEntries(own),
    PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
  };
}

function printLogs(started) {
  console.error('\nThe last that the server and the agent said:');
  for (const { name, output } of started) {
    if (output !== null) console.error(`\n--- ${name}\n${lastLines(output())}`);
  }
}
