/** The SQLite store of a process that ends with its work, as the conformance suite opens it. */
import type { StoreTarget } from '../store-conformance.ts';
import { databaseFile, storeTarget as usualTarget } from './conformance-target.ts';
import { openSqliteStore } from './sqlite-store.ts';

export const storeTarget: StoreTarget = {
  ...usualTarget,
  open: (place) => openSqliteStore({ file: databaseFile(place), writesHere: true }),
  moduleUrl: import.meta.url,
};
