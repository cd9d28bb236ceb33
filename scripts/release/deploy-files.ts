/** The files of deploy/ as one archive, for those who have no clone. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import { ROOT } from '../build/bundles.ts';

/** Writes the archive. `madeAt` is the time of its files, in seconds since 1970. */
export async function writeDeployFiles(file: string, madeAt: number): Promise<void> {
  const paths = readdirSync(join(ROOT, 'deploy'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const entries = paths.map((path) => {
    const body = readFileSync(path);
    const name = relative(ROOT, path).split(sep).join('/');
    return {
      header: { name, size: body.length, mode: 0o644, mtime: new Date(madeAt * 1_000) },
      body,
    };
  });
  writeFileSync(file, gzipSync(await packTar(entries)));
}
