/** The folder in which a repair keeps data that it takes away or changes. Nothing is removed. */
import { existsSync, renameSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { makeDirectory } from '../../runtime/make-directory.ts';

export interface Aside {
  /** A folder of this repair, in the data directory. */
  readonly folder: string;
  /** Keeps a copy of the database as it was before the first repair of it. */
  keepDatabase(db: DatabaseSync): void;
  /** Moves a file or a folder of the data directory. */
  moveThere(path: string): void;
}

export function createAside(dataDir: string, suffix: string): Aside {
  const folder = join(dataDir, `repaired-${suffix}`);
  return {
    folder,
    keepDatabase(db) {
      const copy = join(folder, 'store', 'tutti.db');
      if (existsSync(copy)) return;
      makeDirectory(dirname(copy));
      db.prepare('VACUUM INTO ?').run(copy);
    },
    moveThere(path) {
      const target = join(folder, relative(dataDir, path));
      makeDirectory(dirname(target));
      renameSync(path, target);
    },
  };
}
