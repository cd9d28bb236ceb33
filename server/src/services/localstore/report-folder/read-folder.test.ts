import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { gzipSync } from 'node:zlib';
import { packTar, type TarEntry } from 'modern-tar';
import { describe, expect, test } from 'vitest';
import { FOLDER_LIMITS } from './limits.ts';
import { readFolder } from './read-folder.ts';

const file = (name: string, body = name): TarEntry => ({
  header: { name, size: Buffer.byteLength(body), type: 'file' },
  body,
});

/** Comes in small pieces, as from a server. */
async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
}

const archive = async (...entries: readonly TarEntry[]) => pieces(gzipSync(await packTar(entries)));

const LIMITS = { unpackedBytes: 5 * 1024 * 1024, entries: 20 };

const leftovers = () => readdirSync(tmpdir()).filter((name) => name.startsWith('tutti-report-'));

describe('a report folder', () => {
  test('has the files of its archive, and the names of those that were left out', async () => {
    const list = '+ ./index.html\n- ./big.webm\n- ../x\n';
    const folder = await readFolder(
      await archive(file('./.tutti-files', list), file('./index.html', 'hello'), file('a/b c.png')),
    );
    expect([...folder.files.keys()]).toEqual(['index.html', 'a/b c.png']);
    expect(folder.leftOut).toEqual(['big.webm']);
    const stored = folder.files.get('index.html') ?? { offset: 0, size: 0 };
    expect(stored.size).toBe(5);
    const chunks = await folder.content(stored, 1, 3).toArray();
    expect(Buffer.concat(chunks).toString()).toBe('ell');
    await folder.close();
  });

  test.each<[what: string, entry: TarEntry]>([
    ['a path that leads out', file('../x')],
    ['a path that leads out further on', file('a/../../x')],
    ['an absolute path', file('/etc/passwd')],
    ['an empty part', file('a//b')],
    ['a control character', file('a\u001b[31m')],
    [
      'a symbolic link',
      { header: { name: 'x', size: 0, type: 'symlink', linkname: '/etc/passwd' } },
    ],
    ['a hard link', { header: { name: 'x', size: 0, type: 'link', linkname: '/etc/passwd' } }],
    ['a device', { header: { name: 'x', size: 0, type: 'character-device' } }],
  ])('takes nothing with %s, and names it', async (_what, entry) => {
    const folder = await readFolder(await archive(entry, file('ok.txt')));
    expect([...folder.files.keys()]).toEqual(['ok.txt']);
    expect(folder.refused).toEqual([entry.header.name]);
    await folder.close();
  });

  test.each<
    [what: string, open: () => Promise<AsyncIterable<Uint8Array>>, message: string | RegExp]
  >([
    [
      'no archive',
      async () => pieces(Buffer.from('no archive')),
      'The archive of the report is damaged',
    ],
    [
      'an archive that ends too early',
      async () => pieces(gzipSync(await packTar([file('a', 'x'.repeat(9_000))])).subarray(0, -20)),
      'The archive of the report is damaged',
    ],
    [
      'an archive that becomes too large',
      () => archive(file('a', 'x'.repeat(LIMITS.unpackedBytes))),
      'more than 5 MiB',
    ],
    [
      'too many entries',
      () => archive(...Array.from({ length: LIMITS.entries + 1 }, () => file('a', ''))),
      'more than 20 entries',
    ],
    [
      'too long a list',
      () => archive(file('.tutti-files', 'x'.repeat(FOLDER_LIMITS.listBytes + 1))),
      'too long a list of files',
    ],
    // Bound: A report folder that `tutti report open` unpacks.
  ])('is not opened if it is %s, and leaves nothing behind', async (_what, open, message) => {
    const before = leftovers();
    await expect(readFolder(await open(), LIMITS)).rejects.toThrow(message);
    expect(leftovers()).toEqual(before);
  });
});
