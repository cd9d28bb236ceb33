/** Answers questions about a data directory without a server and without its lock, by the same code as a server. */

import type { WorkflowId } from '@tutti/manifests';
import { isEnded } from '@tutti/workflow';
import { readHere } from './http/document-tasks.ts';
import { listen } from './http/listen.ts';
import { RequestCounts } from './http/request-counts.ts';
import { buildApp, buildParts, metricsOf } from './main.ts';
import { openBlobsToRead } from './open-blobs.ts';
import { isElsewhere } from './open-store.ts';
import { systemClock } from './runtime/clock.ts';
import type { ServerConfig } from './runtime/config.ts';
import { databaseOf, storeRecordOf } from './runtime/data-directory.ts';
import { createLogger } from './runtime/logger.ts';
import { memoryBounds } from './runtime/memory-bounds.ts';
import { createMeters } from './runtime/meters.ts';
import { recordedPlace } from './runtime/place-record.ts';
import { foldLiveLogs } from './services/arranger/folded-log.ts';
import { withShownEvents } from './services/observer/shown-events.ts';
import { rememberedDocuments } from './services/ui/remembered-documents.ts';
import { sessionsOf } from './services/ui/routes.ts';
import { PagesCheck } from './store/sqlite/pages-check.ts';
import { openReadingStore } from './store/sqlite/sqlite-store.ts';

export interface Reader {
  readonly url: string;
  /** Local runs that had not ended when their process ended. */
  readonly unended: readonly WorkflowId[];
  /** Lets it keep the process alive. */
  stay(): void;
  stop(): Promise<void>;
}

/** Answers from the data directory. It runs and changes nothing, and keeps no process alive. Rejects with `Conflict` on another version. */
export async function startReader(config: ServerConfig): Promise<Reader> {
  const file = databaseOf(config.dataDir);
  const recorded = recordedPlace(storeRecordOf(config.dataDir));
  if (recorded !== null) throw isElsewhere(config.dataDir, recorded);
  const parts = await buildParts({
    config,
    files: await openBlobsToRead(config),
    store: withShownEvents(openReadingStore(file), readHere),
    database: null,
    pages: new PagesCheck({ file, now: () => performance.now() }),
    replica: null,
    logger: createLogger({ level: config.logLevel }),
    clock: systemClock,
    meters: createMeters(),
    isLocal: true,
    bounds: memoryBounds(config.limits),
    documents: readHere,
  });
  const { store } = parts;
  const counts = new RequestCounts();
  const sessions = sessionsOf({ ...parts, store: rememberedDocuments() });
  const app = await buildApp({ ...parts, sessions }, counts, metricsOf(parts, counts));
  const { url } = await listen(app, { ...config, more: [] });
  app.server.unref();
  const unended: WorkflowId[] = [];
  for (const { run } of (await foldLiveLogs(store)).values()) {
    if (run.isLocal && !isEnded(run)) unended.push(run.workflowId);
  }
  return {
    url,
    unended,
    stay: () => void app.server.ref(),
    async stop() {
      parts.feed.close();
      await app.close();
      parts.files.close();
      await store.close();
    },
  };
}
