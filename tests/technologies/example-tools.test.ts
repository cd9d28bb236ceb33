/** Messages of the example where its tools are missing. It needs none of them. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { inPath } from '../support/debian-program.ts';
import { EXAMPLE } from './tools.ts';

/** Runs the script where these programs are the only ones. */
function runWith(programs: readonly string[], tools: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'example '));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'bin'));
  for (const name of ['bash', 'dirname', ...programs]) {
    symlinkSync(inPath(name) ?? '/bin/true', join(folder, 'bin', name));
  }
  for (const tool of tools) mkdirSync(join(folder, 'tools', tool), { recursive: true });
  const results = join(folder, 'results');
  const env = { PATH: join(folder, 'bin'), TOOLS_DIR: join(folder, 'tools') };
  const { status, stdout, stderr } = spawnSync(
    join(folder, 'bin/bash'),
    [join(EXAMPLE, 'run.sh'), results],
    { env, encoding: 'utf8' },
  );
  return { status, stdout, stderr, hasResults: existsSync(results) };
}

test('the example says what is missing, for which job, and how to get it, and runs nothing', () => {
  const { status, stdout, stderr, hasResults } = runWith(['node']);
  const debian = 'apt-get install -y --no-install-recommends';
  const install = `${EXAMPLE}/install.sh`;
  expect({ status, stdout, hasResults }).toEqual({ status: 127, stdout: '', hasResults: false });
  expect(stderr.trimEnd().split('\n')).toEqual([
    'Nothing was run, as these are missing (what follows the colon installs them):',
    `  Python 3, for the jobs "rules", "interface", "acceptance" and "page": ${debian} python3-venv`,
    `  pytest, for the job "rules": ${install}`,
    `  a JDK, for the job "invoices": ${debian} default-jdk-headless`,
    `  Maven, for the job "invoices": ${debian} maven`,
    `  Go, for the job "till": ${debian} golang-go`,
    '  npx, for the jobs "interface" and "page": it comes with npm',
    `  Newman, for the job "interface": ${install}`,
    `  Robot Framework, for the job "acceptance": ${install}`,
    `  Playwright, for the job "page": ${install}`,
    `  Chromium, for the job "page": ${debian} chromium`,
  ]);
});

test('of tools that are there nothing is said', () => {
  const programs = ['node', 'python3', 'javac', 'mvn', 'npx', 'chromium'];
  const tools = ['bin/pytest', 'bin/robot', 'node_modules/newman', 'node_modules/@playwright/test'];
  const { status, stderr } = runWith(programs, tools);
  expect(status).toBe(127);
  expect(stderr.trimEnd().split('\n').slice(1)).toEqual([
    '  Go, for the job "till": apt-get install -y --no-install-recommends golang-go',
  ]);
});
