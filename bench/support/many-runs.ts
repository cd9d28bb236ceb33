/** Many runs that are over: stored, listed and deleted. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { openFilesystemBlobStore } from '../../server/src/blobs/filesystem/filesystem-blob-store.ts';
import { systemClock } from '../../server/src/runtime/clock.ts';
import { createLogger } from '../../server/src/runtime/logger.ts';
import { forgetOldRuns } from '../../server/src/services/observer/retention.ts';
import { openSqliteStore } from '../../server/src/store/sqlite/sqlite-store.ts';
import { asked, databaseIn, startOn } from './asked.ts';
import { timed } from './benchmark.ts';
import { writeFinishedRuns } from './finished-runs.ts';
import { figure } from './report.ts';
import { growthFigures, inTenths, ownProcessorMs } from './tenths.ts';

export async function* manyRuns(what: string, count: number, dataDir: string) {
  const file = databaseIn(dataDir);
  const writing = await inTenths(count, ownProcessorMs, (from, to) =>
    writeFinishedRuns(file, to - from, { from }),
  );
  yield* growthFigures(`${what}: stored`, writing);
  yield figure(`${what}: database, for each`, [statSync(file).size / count / 1024], 'KiB');
  const { server, readyMs } = await startOn(dataDir);
  yield figure(`${what}: server, start to ready`, [readyMs], 'ms');
  const ofName = encodeURIComponent('metadata.name==no such run');
  yield* await asked(server, `${what}: list`, '/workflows');
  yield* await asked(server, `${what}: list again`, '/workflows');
  yield* await asked(server, `${what}: status of the orchestrator`, '/workflows/status');
  yield* await asked(server, `${what}: list of a name`, `/workflows?fieldSelector=${ofName}`);
  yield* await asked(server, `${what}: first page of the runs`, '/runs');
  yield* await asked(server, `${what}: a search in the runs`, '/runs?search=no+such+run');
  yield* await asked(server, `${what}: metrics`, '/metrics');
  await server.stop();
  yield* await measureRetention(what, count, dataDir);
}

/** Retention deletes half of the runs. */
async function measureRetention(what: string, count: number, dataDir: string) {
  const { store, forgetHalf } = await withRetention(dataDir, count);
  const before = ownProcessorMs();
  const elapsedMs = await timed(forgetHalf);
  const each = ((ownProcessorMs() - before) * 1000) / (count / 2);
  await store.close();
  return [
    figure(`${what}: retention of half of them`, [elapsedMs], 'ms'),
    figure(`${what}: retention, for each deleted run`, [each], 'us'),
  ];
}

async function withRetention(dataDir: string, count: number) {
  const store = await openSqliteStore({ file: databaseIn(dataDir) });
  const blobs = await openFilesystemBlobStore({ directory: join(dataDir, 'blobs') });
  const logger = createLogger({ level: 'error' });
  const lockFiles = () => ({ release: () => undefined });
  const feed = { changes: { runsRemoved: () => undefined } };
  const deps = { store, blobs, logger, lockFiles, feed, clock: systemClock, historyMinutes: 1e9 };
  const forgetHalf = () => forgetOldRuns({ ...deps, minutes: 1e9, runs: count / 2 });
  return { store, forgetHalf };
}
