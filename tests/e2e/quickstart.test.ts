/** `npm run quickstart`, and what is left of it when somebody ends it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { processesWith } from '../support/process-facts.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Without the look whether all is installed, which it is. */
const SCRIPT = `
  import { quickstart } from './scripts/quickstart.mjs';
  process.exitCode = await quickstart(process.cwd(), process.execPath);
`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tutti-quick-'));
});

afterEach(() => {
  for (const pid of processesWith(folder)) process.kill(pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** In a group of processes of its own, as a terminal starts it. All that it starts has the folder among its arguments. */
function startQuickstart() {
  // Nothing of what runs the tests, as npm: its commands end with it in a way of their own.
  const { HOME = '/', PATH = '' } = process.env;
  const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT], {
    cwd: ROOT,
    detached: true,
    env: { HOME, PATH, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return {
    ended: once(child, 'close'),
    output: () => output,
    said: (text: string) => eventually(`"${text}" in the output`, () => output.includes(text)),
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** As a terminal does it for Ctrl-C. */
    killGroup: (signal: NodeJS.Signals) => process.kill(-(child.pid ?? Number.NaN), signal),
  };
}

test('the quickstart runs to its end, tells what can be typed, and leaves nothing', async () => {
  const quickstart = startQuickstart();
  const [code] = await quickstart.ended;
  const command =
    'npx tutti run examples/quickstart/workflow.yaml -e SOURCE_DIR="$PWD/examples/quickstart" --wait';
  expect(quickstart.output()).toContain(`\n$ ${command}\n`);
  expect(quickstart.output()).toContain('Result: SUCCESS, 18 of 18 test cases passed (100 %).');
  expect([code, processesWith(folder), readdirSync(folder)]).toEqual([0, [], []]);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)(
  '%s to the group cancels the run and ends everything in order',
  async (signal, code) => {
    const quickstart = startQuickstart();
    await quickstart.said('src/cart.js is fine');
    quickstart.killGroup(signal);
    const ended = await quickstart.ended;
    const left = { processes: processesWith(folder), files: readdirSync(folder) };
    expect(left).toEqual({ processes: [], files: [] });
    expect(ended).toEqual([code, null]);
    expect(quickstart.output()).toMatch(/Workflow canceled after .*: Interrupted\./);
    expect(quickstart.output()).not.toContain('The server cannot be reached');
  },
);

test('an interruption while the server starts ends it', async () => {
  const quickstart = startQuickstart();
  await quickstart.said('$ npx tutti server');
  quickstart.killGroup('SIGINT');
  expect(await quickstart.ended).toEqual([130, null]);
  expect([processesWith(folder), readdirSync(folder)]).toEqual([[], []]);
});

test('what the quickstart started ends with it when it is killed', async () => {
  const quickstart = startQuickstart();
  await quickstart.said('src/cart.js is fine');
  quickstart.kill('SIGKILL');
  await quickstart.ended;
  await eventually('no process is left', () => processesWith(folder).length === 0);
});
