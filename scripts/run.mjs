/**
 * The commands of `npm run`: quickstart, check, test, docs, bench, chaos, release. `npm pack` calls `package`. Runs on the Node that is
 * there, installs missing packages, and does the work with the pinned one. Further arguments go to the tests, the benchmarks or the program.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedNode, isNodeNewEnough, NODE_MAJOR_MIN } from '../cli/bin/installed-node.js';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './installation.mjs';
import { runShown } from './processes.mjs';
import { quickstart } from './quickstart.mjs';
import { reportLines } from './test-report.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const TASKS = {
  quickstart: (node) => quickstart(ROOT, node),
  check,
  test,
  docs: (node) => docs(node),
  bench: (node, args) => bench(node, args),
  chaos: (node, args) => chaos(node, args),
  release: (node, args) => documented(node, 'release.ts', args),
  package: (node) => documented(node, 'package.ts', []),
};

async function main([name, ...args]) {
  const task = Object.hasOwn(TASKS, name ?? '') ? TASKS[name] : null;
  if (task === null) {
    console.error(`Usage: node scripts/run.mjs ${Object.keys(TASKS).join(' | ')} [options]`);
    return 2;
  }
  const interrupted = await ensureInstalled(ROOT);
  if (interrupted !== null) return interrupted;
  const node = pinnedNode();
  await ensureBuilt(ROOT, node);
  return await task(node, args);
}

function pinnedNode() {
  const node = installedNode() ?? (isNodeNewEnough() ? process.execPath : null);
  if (node !== null) return node;
  throw new Error(
    `There is no Node ${NODE_MAJOR_MIN} for ${process.platform}-${process.arch} among the packages, and this one is ${process.version}.\n` +
      `What to do: install Node ${NODE_MAJOR_MIN} and run this again.`,
  );
}

const bin = (...path) => join(ROOT, 'node_modules', ...path);

/** Runs each step, also after a failed one, to show all problems at once. Resolves with 0 or 1. */
async function runSteps(steps) {
  const failed = [];
  for (const { name, run } of steps) {
    console.log(`\n== ${name}`);
    if ((await run()) !== 0) failed.push(name);
  }
  if (failed.length > 0) console.error(`\nFailed: ${failed.join(', ')}.`);
  return failed.length === 0 ? 0 : 1;
}

function staticSteps(node) {
  const run = (...args) => runShown(node, args, { cwd: ROOT });
  return [
    ...['tsconfig.json', 'web'].map((project) => ({
      name: `types of ${project}`,
      run: () => run(bin('typescript', 'bin', 'tsc'), '-p', project),
    })),
    { name: 'lint', run: () => run(bin('@biomejs', 'biome', 'bin', 'biome'), 'check', '.') },
  ];
}

const vitest = (node, args) =>
  runShown(node, [bin('vitest', 'vitest.mjs'), 'run', ...args], { cwd: ROOT });

function check(node, args) {
  const unit = { name: 'unit tests', run: () => vitest(node, ['--project', 'unit', ...args]) };
  return runSteps([...staticSteps(node), unit]);
}

async function test(node, args) {
  const dir = mkdtempSync(join(tmpdir(), 'tutti-test-'));
  const report = join(dir, 'totals.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  try {
    const code = await runSteps([
      ...staticSteps(node),
      { name: 'documentation', run: () => docs(node) },
      { name: 'tests', run: () => vitest(node, [...reporters, ...args]) },
      { name: 'benchmarks, smoke', run: () => bench(node, ['--smoke']) },
    ]);
    console.log(`\n${reportLines(report, ROOT).join('\n')}`);
    return code;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Builds the documents; a broken link fails. */
const docs = (node) =>
  runShown(node, [bin('vitepress', 'bin', 'vitepress.js'), 'build', 'docs'], { cwd: ROOT });

const bench = (node, args) =>
  runShown(node, [join(ROOT, 'bench', 'run.ts'), ...args], { cwd: ROOT });

/** Writes what is installed, with the documentation of now. Arguments name platforms. */
async function documented(node, script, args) {
  const code = await docs(node);
  return code === 0
    ? await runShown(node, [join(ROOT, 'scripts', 'release', script), ...args], { cwd: ROOT })
    : code;
}

const chaos = (node, args) =>
  runShown(node, [join(ROOT, 'tests', 'chaos', 'program', 'main.ts'), ...args], { cwd: ROOT });

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
