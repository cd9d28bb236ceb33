/** Bounds the time of changes where the database may be away. Loads the bound only there. */
import type { FastifyInstance } from 'fastify';
import type { Meters } from './runtime/meters.ts';
import type { DatabaseSigns } from './store/database-signs.ts';

interface Waits {
  readonly database: DatabaseSigns | null;
  readonly meters: Meters;
}

/** Call it before routes are registered. */
export async function boundWaits(app: FastifyInstance, { database, meters }: Waits): Promise<void> {
  if (database === null) return;
  const { boundChanges } = await import('./http/open-changes.ts');
  boundChanges(app, { database, meters });
}
