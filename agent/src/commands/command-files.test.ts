import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { RunOrder } from '@tutti/manifests';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readVariables, writeScript } from './command-files.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'tutti-files-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const folders = () => ({
  workspaceDir: path.join(root, 'work space'),
  scriptPath: path.join(root, 'scripts'),
});

const run = (filename: string, content: string): RunOrder => ({
  kind: 'run',
  command_id: 'j/0',
  filename,
  content,
  command: 'true',
});

test('a script is written byte by byte, for the agent alone', () => {
  writeScript(run('j_0.sh', 'echo "é"\r\nexit 1\n'), folders());
  const file = path.join(root, 'scripts', 'j_0.sh');
  expect(readFileSync(file, 'utf8')).toBe('echo "é"\r\nexit 1\n');
  expect(statSync(file).mode & 0o077).toBe(0);
});

test('a directory that the script makes is there before it runs', () => {
  const command = { ...run('j_0.sh', ''), directory: 'j' };
  const made = path.join(folders().workspaceDir, 'j');
  writeScript(command, folders());
  writeFileSync(path.join(made, 'kept'), '');
  writeScript(command, folders());
  expect(existsSync(path.join(made, 'kept'))).toBe(true);
});

test('a directory that cannot be made is left to the script', () => {
  mkdirSync(folders().workspaceDir, { recursive: true });
  const taken = path.join(folders().workspaceDir, 'j');
  writeFileSync(taken, 'a file');
  writeScript({ ...run('j_0.sh', 'mkdir j'), directory: 'j' }, folders());
  expect(readFileSync(taken, 'utf8')).toBe('a file');
});

test('a script may have an absolute name', () => {
  const file = path.join(root, 'elsewhere.sh');
  writeScript(run(file, 'true'), folders());
  expect(readFileSync(file, 'utf8')).toBe('true');
});

test.each([
  ['', []],
  ['a=1\nb=2\n', ['a=1', 'b=2']],
  ['a=1\r\n\r\nb=2', ['a=1', '', 'b=2']],
])('the variables file %o has the lines %o', (text, lines) => {
  writeFileSync(path.join(root, 'vars'), text);
  expect(readVariables(path.join(root, 'vars'), folders())).toEqual(lines);
});

test('a variables file that is not there gives no lines', () => {
  expect(readVariables('missing', folders())).toBe(null);
});

test('a variables file above the limit is refused', () => {
  const file = path.join(root, 'vars');
  writeFileSync(file, '');
  truncateSync(file, 2 * 1024 * 1024);
  expect(() => readVariables(file, folders())).toThrow('more than the 1048576 allowed');
});
