/** The SQLite store as the conformance suite opens it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { StoreTarget } from '../store-conformance.ts';
import { openSqliteStore } from './sqlite-store.ts';

export const databaseFile = (place: string): string => join(place, 'tutti.db');

export const storeTarget: StoreTarget = {
  createPlace: () => mkdtemp(join(tmpdir(), 'tutti-store-')),
  removePlace: (place) => rm(place, { recursive: true, force: true }),
  open: (place) => openSqliteStore({ file: databaseFile(place) }),
  async check(place) {
    const db = new DatabaseSync(databaseFile(place));
    const found = db.prepare('PRAGMA integrity_check').get()?.integrity_check;
    db.close();
    if (found !== 'ok') throw new Error(`The database is damaged: ${String(found)}`);
  },
  moduleUrl: import.meta.url,
};
