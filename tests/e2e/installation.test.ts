/** The installation that `npm run quickstart` begins with, and what is left of it when somebody ends it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { processesWith } from '../support/process-facts.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Ends as npm does: not at once, but when it has put the folder in order. */
const SLOW_NPM = `
  const { appendFileSync, existsSync, writeFileSync } = require('node:fs');
  process.on('SIGINT', () => appendFileSync('signals', 'SIGINT '));
  const timer = setInterval(() => {
    if (!existsSync('go')) return;
    writeFileSync('ended', '');
    process.exit(1);
  }, 5);
  writeFileSync('begun', '');
`;
/** Signals that come faster are taken for one and the same. */
const BETWEEN_SIGNALS_MS = 150;

const FAILING_NPM = `
  console.error('npm error ENOTEMPTY: directory not empty, rmdir node_modules/a');
  process.exit(1);
`;

let folder: string;
const path = (name: string) => join(folder, name);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tutti-installation-'));
  writeFileSync(
    path('package-lock.json'),
    '{"packages": {"node_modules/a": {"version": "1.0.0"}}}',
  );
});

afterEach(() => {
  for (const pid of processesWith(folder)) process.kill(pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** In a group of processes of its own, as a terminal starts it. */
function startInstallation(npm: string) {
  writeFileSync(path('npm.js'), npm);
  const script = `
    import { ensureInstalled } from './scripts/installation.mjs';
    process.exitCode = await ensureInstalled(${JSON.stringify(folder)}).catch((error) => {
      console.error(error.message);
      return 1;
    });
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: ROOT,
    detached: true,
    env: { PATH: process.env.PATH ?? '', npm_execpath: path('npm.js') },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  return {
    child,
    ended: once(child, 'close'),
    output: () => output,
    said: (text: string) => eventually(`"${text}" in the output`, () => output.includes(text)),
    /** As a terminal does it for Ctrl-C. */
    interrupt: () => process.kill(-(child.pid ?? Number.NaN), 'SIGINT'),
  };
}

test('an interruption is passed on to npm once, which is waited for', async () => {
  const installation = startInstallation(SLOW_NPM);
  await eventually('npm runs', () => existsSync(path('begun')));
  installation.interrupt();
  installation.interrupt();
  await installation.said('Interrupted: waiting for npm to end, which may take some seconds.');
  await eventually('npm was told', () => existsSync(path('signals')));
  expect(installation.child.exitCode).toBeNull();
  writeFileSync(path('go'), '');
  expect(await installation.ended).toEqual([130, null]);
  expect(existsSync(path('ended'))).toBe(true);
  expect(readFileSync(path('signals'), 'utf8')).toBe('SIGINT ');
  expect(installation.output()).toContain(
    'npm has ended. What is missing is installed the next time.',
  );
});

test('a second interruption kills npm', async () => {
  const installation = startInstallation(SLOW_NPM);
  await eventually('npm runs', () => existsSync(path('begun')));
  installation.interrupt();
  await installation.said('Interrupted');
  const again = setInterval(installation.interrupt, BETWEEN_SIGNALS_MS);
  expect(await installation.ended).toEqual([130, null]);
  clearInterval(again);
  expect([existsSync(path('ended')), processesWith(path('npm.js'))]).toEqual([false, []]);
});

test('a folder that another npm works in is told as the cause', async () => {
  const installation = startInstallation(FAILING_NPM);
  expect(await installation.ended).toEqual([1, null]);
  expect(installation.output()).toContain('ENOTEMPTY: directory not empty');
  expect(installation.output()).toContain(
    'What to do: wait until no other npm works in this folder',
  );
});
