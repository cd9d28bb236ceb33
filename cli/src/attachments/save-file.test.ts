import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { saveFile } from './save-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tutti-save-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const content = (...parts: readonly (string | Error)[]) =>
  async function* () {
    for (const part of parts) {
      if (part instanceof Error) throw part;
      yield Buffer.from(part);
    }
  };

const save = (path: string, parts: readonly (string | Error)[], force = false) =>
  saveFile(path, async () => content(...parts)(), { force });

test('a file is made with its folders, and nothing else', async () => {
  const path = join(folder, 'a/b/c.txt');
  await save(path, ['one, ', 'two']);
  expect(await readFile(path, 'utf8')).toBe('one, two');
  expect(await readdir(join(folder, 'a/b'))).toEqual(['c.txt']);
});

test.runIf(process.platform === 'linux')(
  'where nobody can make a folder, the attempt ends with an error',
  async () => {
    await expect(save('/proc/nope/a/b.txt', ['one'])).rejects.toThrow(
      "ENOENT: no such file or directory, mkdir '/proc/nope'",
    );
  },
);

test('a broken download leaves nothing, and the earlier file stays', async () => {
  const path = join(folder, 'c.txt');
  await expect(save(path, ['one', new Error('broke')])).rejects.toThrow('broke');
  expect(await readdir(folder)).toEqual([]);
  await writeFile(path, 'before');
  await expect(save(path, ['one', new Error('broke')], true)).rejects.toThrow('broke');
  expect(await readdir(folder)).toEqual(['c.txt']);
  expect(await readFile(path, 'utf8')).toBe('before');
});

test('a file that is there is replaced only where that is wanted', async () => {
  const path = join(folder, 'c.txt');
  await writeFile(path, 'before');
  await expect(save(path, ['after'])).rejects.toThrow(`There is a file ${path} already.`);
  expect(await readFile(path, 'utf8')).toBe('before');
  await save(path, ['after'], true);
  expect(await readFile(path, 'utf8')).toBe('after');
});

test('a file that comes into the way meanwhile is not replaced', async () => {
  const path = join(folder, 'c.txt');
  const saving = saveFile(
    path,
    async () => {
      await writeFile(path, 'faster');
      return content('slower')();
    },
    { force: false },
  );
  await expect(saving).rejects.toThrow('already');
  expect(await readFile(path, 'utf8')).toBe('faster');
  expect(await readdir(folder)).toEqual(['c.txt']);
});
