import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createJobPlaces } from './job-places.ts';

function folder(): string {
  const made = mkdtempSync(path.join(realpathSync(tmpdir()), 'tutti-places-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

const open = (workspaceDir: string, allowed: readonly string[] = []) =>
  createJobPlaces({ workspaceDir, scriptPath: workspaceDir }, allowed);

test('without a job, only allowed directories count', () => {
  const [at, allowed] = [folder(), folder()];
  expect(open(at).roots()).toEqual([]);
  expect(open(at, [allowed]).roots()).toEqual([allowed]);
});

test('the workspace of a job is named after it, whatever is there', () => {
  const at = folder();
  symlinkSync('/etc', path.join(at, 'j'));
  const places = open(at);
  places.begin({ command_id: 'j/0' });
  expect(places.roots()).toEqual([path.join(at, 'j')]);
  places.begin({ command_id: 'k/0' });
  expect(places.roots()).toEqual([path.join(at, 'k')]);
});

test('a workspace that a command names holds for the job, and leads where it led then', () => {
  const at = folder();
  mkdirSync(path.join(at, 'real'));
  symlinkSync('real', path.join(at, 'link'));
  const places = open(at);
  places.begin({ command_id: 'j/0', workspace: 'link' });
  places.begin({ command_id: 'j/1' });
  rmSync(path.join(at, 'link'));
  symlinkSync('/etc', path.join(at, 'link'));
  expect(places.roots()).toEqual([path.join(at, 'real')]);
  places.begin({ command_id: 'j/2', workspace: 'not/yet' });
  expect(places.roots()).toEqual([path.join(at, 'not/yet')]);
  places.begin({ command_id: 'j/3', workspace: 'j' });
  expect(places.roots()).toEqual([path.join(at, 'j')]);
});

test('a directory that a job got more goes with it', () => {
  const at = folder();
  const places = open(at);
  places.begin({ command_id: 'j/0', workspace: '.' });
  places.add('/home');
  expect(places.roots()).toEqual([at, '/home']);
  places.begin({ command_id: 'k/0' });
  expect(places.roots()).toEqual([path.join(at, 'k')]);
});

test.each(['..', '../etc', '/etc'])('the id %o makes no workspace', (jobId) => {
  const places = open(folder());
  places.begin({ command_id: `${jobId}/0` });
  expect(places.roots().filter((root) => !root.includes('tutti-places-'))).toEqual([]);
});
