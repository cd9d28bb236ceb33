/** Scripts for linux and macos, really run in temporary folders. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { type CommandFixture, executionCommand, JOB_ID } from './execution-command.fixture.ts';
import { buildScript } from './script.ts';

/** An environment whose paths hold blanks, quotes and letters beyond ASCII; `own` are variables of its agent. */
export function openEnvironment(own: Readonly<Record<string, string>> = {}) {
  const base = mkdtempSync(join(tmpdir(), 'tutti script é "$x" '));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, "the agent's scripts");
  const work = join(base, 'wörk dir');
  mkdirSync(root);
  mkdirSync(work);
  const variablesPath = join(root, `${JOB_ID}_dynamic_env.sh`);
  const run = (fixture: CommandFixture) => {
    const script = buildScript(executionCommand(fixture), { os: 'linux', root });
    expect(script.variablesPath).toBe(variablesPath);
    writeFileSync(join(root, script.filename), script.content);
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', script.command], {
      cwd: work,
      encoding: 'utf8',
      input: '',
      env: { PATH: process.env.PATH, HOME: base, LC_ALL: 'C.UTF-8', ...own },
    });
    return { status, lines: stdout.split('\n').slice(0, -1), stderr };
  };
  return { root, work, workspace: join(work, JOB_ID), variablesPath, run };
}
