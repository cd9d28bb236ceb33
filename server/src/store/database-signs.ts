/** Signs of a database that is a program of its own. It may be away while the server goes on. */
import type { LostWriter } from '../runtime/meters.ts';
import type { Store } from './store.ts';

export interface DatabaseFigures {
  readonly bytes: number;
  /** Servers that lost the right to write, since the database was made. */
  readonly lostWriters: Readonly<Record<LostWriter, number>>;
}

export interface DatabaseSigns {
  /** Time that the oldest change on its way to the database has waited, in milliseconds; 0 without any. */
  waitingMs(): number;
  /** Time that it has been away, in milliseconds; 0 while it answers. */
  awayMs(): number;
  /** Why the database cannot be used, in a sentence with what to do; null if it can. */
  look(): Promise<string | null>;
  figures(): Promise<DatabaseFigures>;
}

export interface DatabaseStore extends Store {
  readonly database: DatabaseSigns;
}
