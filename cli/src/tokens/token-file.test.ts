import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { problemOf, renderProblem } from '../terminal/problem.ts';
import { createTokenReader } from './token-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'tutti-token-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = (name: string) => join(folder, name);

function pipe(name: string): string {
  execFileSync('mkfifo', [path(name)]);
  return path(name);
}

/** Another process must write, because reading blocks this one. */
const writeTo = (file: string, text: string) =>
  spawn('sh', ['-c', `printf '${text}' > '${file}'`], { stdio: 'ignore' });

function problemWith(file: string, patienceMs?: number): string {
  try {
    return createTokenReader(file, patienceMs)();
  } catch (error) {
    return renderProblem(problemOf(error));
  }
}

test('a file is read again each time', () => {
  writeFileSync(path('renewed'), 'one');
  const read = createTokenReader(path('renewed'));
  const first = read();
  writeFileSync(path('renewed'), 'two');
  expect([first, read()]).toEqual(['one', 'two']);
});

test('a pipe is waited for, read to its end, and read once', () => {
  const file = pipe('given');
  const writer = writeTo(file, 'TOKEN\\n');
  const read = createTokenReader(file);
  expect([read(), read()]).toEqual(['TOKEN\n', 'TOKEN\n']);
  writer.kill();
});

test('a device that has nothing is not waited for', () => {
  expect(createTokenReader('/dev/null')()).toBe('');
});

test.each([
  ['a pipe that nobody writes to', () => pipe('silent'), 'FILE is a pipe, and nobody has written a token to it within 0 s.\nWhat to do: write one to its end, or name a file that holds a token and nothing else.'],
  ['a device without end', () => '/dev/zero', 'FILE has more than 65536 bytes, and a token is wanted.\nWhat to do: name a file that holds a token and nothing else.'],
  ['a large file', () => { writeFileSync(path('large'), 'x'.repeat(65_537)); return path('large'); }, 'FILE has more than 65536 bytes, and a token is wanted.\nWhat to do: name a file that holds a token and nothing else.'],
])('%s is reported as such', (_what, make, message) => {
  const file = make();
  expect(problemWith(file, 0)).toBe(`tutti: ${message.replace('FILE', file)}\n`);
}); // biome-ignore format: one line each
