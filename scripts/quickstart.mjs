/** A server, an agent and a workflow, as real processes: the shortest way to see what Tutti does. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { lastLines, runShown, startQuiet } from './processes.mjs';

const READY_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 10_000;
/** The workflow takes seconds; an agent that never comes must not hold a build server for ever. */
const RUN_TIMEOUT_MS = 5 * 60_000;

const WHAT_NEXT = `
What to try next: a server and an agent that stay, in three terminals in this folder.

  npx tutti server
  npx tutti agent --tags node
  npx tutti run examples/quickstart/workflow.yaml -e SOURCE_DIR="$PWD/examples/quickstart" --wait

Then break a test in examples/quickstart/test and run it again, to see what a failure looks like.`;

/** Resolves with the exit code; stops and removes all that it started, whatever happens. */
export async function quickstart(root, node) {
  const dir = mkdtempSync(join(tmpdir(), 'tutti-quickstart-'));
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  const started = [];
  let hasRun = false;
  try {
    const code = await runAll({ root, node, dir, started, signal: interrupted.signal });
    hasRun = code === 0;
    return code;
  } catch (error) {
    const isAborted = error.name === 'AbortError';
    const why = isAborted ? 'it was interrupted, or the workflow did not end.' : error.message;
    console.error(`\nThe quickstart failed: ${why}`);
    if (isAborted) tellLogs(started);
    return 1;
  } finally {
    for (const child of started.reverse()) await child.stop(STOP_TIMEOUT_MS);
    rmSync(dir, { recursive: true, force: true });
    console.log('\nStopped the agent and the server, and removed what they wrote.');
    if (hasRun) console.log(WHAT_NEXT);
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}

async function runAll({ root, node, dir, started, signal }) {
  const tutti = join(root, 'cli', 'bin', 'tutti.js');
  const dataDir = join(dir, 'data');
  // Another server that the caller's shell knows of is not the one that is meant here.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('TUTTI_'));
  // Steps that call node get the one that we run on.
  const path = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`;
  const env = { ...Object.fromEntries(own), PATH: path };
  const start = (name, ...args) => {
    console.log(`$ tutti ${name} ${args.join(' ')}`);
    const child = startQuiet(name, node, [tutti, name, ...args], { env });
    started.push(child);
    return child;
  };

  const server = start('server', '--port', '0', '--data-dir', dataDir);
  const [line] = await server.waitFor(/Tutti is ready on .*/, READY_TIMEOUT_MS);
  console.log(line);
  const workspace = join(dir, 'workspace');
  start('agent', '--data-dir', dataDir, '--tags', 'node', '--workspace-dir', workspace);

  const example = join(root, 'examples', 'quickstart');
  const run = ['run', join(example, 'workflow.yaml'), '-e', `SOURCE_DIR=${example}`, '--wait'];
  // What the summary would advise needs a server that is still there afterwards.
  console.log(`$ tutti ${run.map((part) => part.replace(`${root}/`, '')).join(' ')}\n`);
  const timeout = AbortSignal.timeout(RUN_TIMEOUT_MS);
  const code = await runShown(node, [tutti, ...run, '--no-hints', '--data-dir', dataDir], {
    env,
    cwd: root,
    signal: AbortSignal.any([signal, timeout]),
  });
  if (code !== 0) tellLogs(started);
  return code;
}

function tellLogs(started) {
  console.error('\nThe last that the server and the agent said:');
  for (const child of started) {
    console.error(`\n--- ${child.name}\n${lastLines(child.output())}`);
  }
}
