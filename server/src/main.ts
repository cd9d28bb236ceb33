/** The composition root: builds every part of the server and hands each what it needs. */
import { rm } from 'node:fs/promises';
import type { WorkflowId } from '@tutti/manifests';
import { createChannelPool } from '@tutti/workflow';
import type { FastifyInstance } from 'fastify';
import { announcementOf } from './announcement.ts';
import type { TokenAuthority } from './auth/authenticator.ts';
import type { HeldTokens } from './auth/held-tokens.ts';
import type { BlobStore } from './blobs/blob-store.ts';
import { boundWaits } from './bound-waits.ts';
import type { ServerEventBus } from './bus/event-bus.ts';
import { systemTimers } from './bus/timers.ts';
import { closeWithin, type Reached } from './close-within.ts';
import type { Replica } from './cluster/replica.ts';
import { openDocumentTasks } from './document-threads.ts';
import type { OperatorHooks, openHookFiles } from './hook-files.ts';
import { announceWrites } from './http/announced-writes.ts';
import { createApp } from './http/app.ts';
import { possibleConnections } from './http/connection-bound.ts';
import { type DocumentTasks, readHere } from './http/document-tasks.ts';
import { type Listening, listen } from './http/listen.ts';
import { RequestCounts } from './http/request-counts.ts';
import { schemaRoutes } from './http/schemas.ts';
import { siteRoutes } from './http/site.ts';
import type { TlsFront } from './http/tls-front.ts';
import { admissionOf } from './open-admission.ts';
import { type OpenedBlobs, openBlobs } from './open-blobs.ts';
import { openAccess, openBus, openDispatcher } from './open-bus.ts';
import { type OpenedStore, openStore } from './open-store.ts';
import { AgentChannel } from './plugins/agentchannel/agentchannel.ts';
import { agentChannelRoutes } from './plugins/agentchannel/routes/routes.ts';
import { INCEPTION_CHANNEL } from './plugins/inception/inception.ts';
import { loadConfiguredInsights } from './plugins/insightcollector/configured-insights.ts';
import { InsightCollector } from './plugins/insightcollector/insight-collector.ts';
import { COLLECTOR_LIMITS } from './plugins/insightcollector/limits.ts';
import { insightRoutes } from './plugins/insightcollector/routes.ts';
import { whenRunsEnd } from './plugins/insightcollector/run-ends.ts';
import { createReportRecovery } from './plugins/interpreters/report-recovery.ts';
import { builtInFunctions } from './plugins/providers/local-functions.ts';
import { openProviders } from './plugins/providers/open-providers.ts';
import type { ProviderCatalog } from './plugins/providers/provider-catalog.ts';
import { providerRoutes } from './plugins/providers/routes.ts';
import {
  type ConfiguredGates,
  loadConfiguredGates,
} from './plugins/qualitygate/configured-gates.ts';
import { qualityGateRoutes } from './plugins/qualitygate/routes.ts';
import { testRoutes } from './plugins/testledger/routes/routes.ts';
import { TestLedger } from './plugins/testledger/test-ledger.ts';
import { readinessOf } from './readiness-checks.ts';
import { HANDLER_IDS, offerPluginFiles, registerPlugins } from './register-plugins.ts';
import { type Clock, createIds, type Ids, systemClock } from './runtime/clock.ts';
import type { ServerConfig } from './runtime/config.ts';
import { databaseOf, makeDataDirectory } from './runtime/data-directory.ts';
import { LIMITS } from './runtime/limits.ts';
import { createLogger, type Logger } from './runtime/logger.ts';
import { type MemoryBounds, memoryBounds } from './runtime/memory-bounds.ts';
import { createMeters, type Meters } from './runtime/meters.ts';
import type { OutgoingPolicy } from './runtime/outgoing-policy.ts';
import { RunMemory, runBounds } from './runtime/run-memory.ts';
import { type Service, startAll, stopAll } from './runtime/service.ts';
import { furtherPorts } from './runtime/service-addresses.ts';
import { createStartupMemoryRelease } from './runtime/startup-memory.ts';
import { warnOfDefaults } from './runtime/unsafe-defaults.ts';
import { SERVER_VERSION } from './runtime/version.ts';
import { type Arranger, createArranger } from './services/arranger/arranger.ts';
import { endInterruptedRuns } from './services/arranger/interrupted-runs.ts';
import { projectionSteps } from './services/arranger/projection.ts';
import { createRepeatedRequests } from './services/eventbus/repeated-requests.ts';
import { eventbusRoutes } from './services/eventbus/routes.ts';
import { killswitchRoutes } from './services/killswitch/routes.ts';
import { localstoreRoutes } from './services/localstore/routes.ts';
import { createMetrics, type Metrics } from './services/metrics/routes.ts';
import { meterRuns } from './services/metrics/run-meter.ts';
import { datasourceRoutes } from './services/observer/datasources.ts';
import { forgetRoutes } from './services/observer/forget-routes.ts';
import { listRoutes } from './services/observer/lists/list-routes.ts';
import { createSummaryFiller } from './services/observer/lists/summary-filler.ts';
import { EventFeed } from './services/observer/open-answer.ts';
import { OtherHandlers } from './services/observer/other-handlers.ts';
import { createRetention } from './services/observer/retention.ts';
import { observerRoutes } from './services/observer/routes.ts';
import { withShownEvents } from './services/observer/shown-events.ts';
import { receptionistRoutes } from './services/receptionist/routes.ts';
import type { StartAdmission } from './services/receptionist/start-admission.ts';
import { sessionsOf, type UiDeps, uiRoutes } from './services/ui/routes.ts';
import { type FileLock, filesLockOf, sharedLock } from './store/sqlite/lock-file.ts';
import type { PagesCheck } from './store/sqlite/pages-check.ts';
import type { Store } from './store/store.ts';

export interface RunningServer {
  /** `http://HOST:PORT`, with the port that was taken. */
  readonly url: string;
  readonly dataDir: string;
  /** Local runs of a process that was killed, which were ended at the start. */
  readonly interrupted: readonly WorkflowId[];
  /** Writes the address for other commands of the machine. A server that is not local has done so once it is ready. */
  announce(): Promise<void>;
  /** Number of runs that are starting or not finished. */
  liveRuns(): number;
  /** Refuses further runs, as a busy server does. Current runs go on. */
  refuseRuns(): void;
  /** Refuses further requests, finishes those in flight, closes the store. Safe to call twice. */
  stop(): Promise<void>;
}

/** Parts that the others are made of. */
interface Foundations {
  readonly config: ServerConfig;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly store: Store;
  readonly pages: Pick<PagesCheck, 'state'>;
  /** Null for a server without others. */
  readonly replica: Replica | null;
  readonly database: OpenedStore['database'];
  readonly files: OpenedBlobs;
  readonly meters: Meters;
  readonly bounds: MemoryBounds;
  readonly isLocal: boolean;
  readonly documents: DocumentTasks;
}

interface Parts extends Foundations {
  readonly ids: Ids;
  readonly authority: TokenAuthority;
  readonly heldTokens: HeldTokens;
  readonly outgoing: OutgoingPolicy;
  readonly blobs: BlobStore;
  /** Held while files of runs are removed; null while another process copies or checks them. */
  readonly lockFiles: () => FileLock | null;
  readonly bus: ServerEventBus;
  readonly arranger: Arranger;
  readonly channel: AgentChannel;
  readonly insights: InsightCollector;
  readonly feed: EventFeed;
  readonly gates: ConfiguredGates;
  readonly catalog: ProviderCatalog;
  readonly admission: StartAdmission;
  readonly memory: RunMemory;
  /** Absent: those of the store. */
  readonly sessions?: UiDeps['sessions'];
}

export interface ServerOptions {
  /**
   * Set in a process that runs workflows with agents of its own, for the time of one command. No other server continues its runs, and
   * it continues no other server's runs.
   */
  readonly isLocal?: boolean;
}

/** Starts a server. If a part cannot start (a taken port, a data directory in use), it closes all parts and rejects. */
export async function startServer(
  config: ServerConfig,
  { isLocal = false }: ServerOptions = {},
): Promise<RunningServer> {
  const logger = createLogger({ level: config.logLevel });
  const clock = systemClock;
  const meters = createMeters();
  const bounds = memoryBounds(config.limits);
  makeDataDirectory(config.dataDir);
  const { opened, ...found } = await openStore({ config, logger, clock, meters, isLocal, bounds });
  // A local run keeps nobody else waiting.
  const documents = isLocal ? readHere : openDocumentTasks();
  const store = withShownEvents(opened, documents);
  const common = { config, store, ...found, logger, clock, meters, isLocal, bounds, documents };
  let files: OpenedBlobs | null = null;
  try {
    files = await openBlobs(config);
    return await startWith({ ...common, files });
  } catch (error) {
    files?.close();
    await found.replica?.close();
    await store.close();
    throw error;
  }
}

async function startWith(foundations: Foundations): Promise<RunningServer> {
  const { config, logger } = foundations;
  const parts = await buildParts(foundations);
  const counts = new RequestCounts();
  const metrics = metricsOf(parts, counts);
  const app = await buildApp(parts, counts, metrics);
  const tracing = await tracingOf(parts);
  const retention = createRetention({ ...parts, ...config.retention });
  const requests = createRepeatedRequests({ ...parts, runs: parts.arranger });
  const reports = createReportRecovery({ ...parts, runs: parts.arranger });
  const interrupted = endInterruptedRuns({ ...parts, runs: parts.arranger });
  // Only the active one of several replicas runs these.
  const engine = [
    parts.bus.subscriptionsLoading,
    parts.arranger,
    interrupted,
    reports,
    // Before the bus delivers anything.
    parts.bus,
    parts.channel,
    parts.insights,
    retention,
    testLedgerOf(parts),
    ...(parts.isLocal ? [] : [createSummaryFiller(parts), createStartupMemoryRelease()]),
    requests,
    ...tracing,
  ];
  const services = [parts.heldTokens, metrics, ...engine];
  const front = await tlsOf(app, parts);
  const { replica } = parts;
  await startAll(replica === null ? services : [parts.heldTokens, metrics]);
  let listening: Listening | null = null;
  try {
    listening = await listen(app, { ...config, front, more: furtherPorts(config) });
    const { url } = listening;
    parts.outgoing.listensOn([
      Number(new URL(url).port),
      ...listening.more.map(({ port }) => port),
    ]);
    for (const { port, names } of listening.more) {
      logger.info({ port, services: names }, 'Listening on a port of services.');
    }
    if (!parts.isLocal) warnOfDefaults(config, logger);
    await replica?.join(app, {
      prepare: () => parts.arranger.prepare(),
      forgetPrepared: () => parts.arranger.forgetPrepared(),
      start: () => startAll(engine),
      quiet: () => endHeld(parts),
      stop: () => stopAll(engine),
      releasePolls: () => parts.channel.answerPolls(),
    });
    const { file, announce } = announcementOf(url, parts);
    if (!parts.isLocal) await announce();
    return {
      announce,
      url,
      dataDir: config.dataDir,
      interrupted: interrupted.found,
      liveRuns: () => parts.arranger.liveCount + parts.admission.starting,
      refuseRuns: () => parts.admission.close(),
      stop: stopper(parts, { app, listening }, services, file),
    };
  } catch (error) {
    // Else the process would live on.
    await Promise.all([listening?.close(), app.close()]);
    await stopAll(services);
    throw error;
  }
}

function testLedgerOf({ config, arranger: runs, ...parts }: Parts): TestLedger {
  const { days, runs: runsPerName, executions, mainBranches } = config.testHistory;
  const bounds = { days, runsPerName, executions };
  return new TestLedger({ ...parts, runs, timers: systemTimers, bounds, mainBranches });
}

/** Loads TLS only where the server uses it. */
async function tlsOf(app: FastifyInstance, parts: Parts): Promise<TlsFront | null> {
  const { isLocal, config } = parts;
  if (isLocal || Object.keys(config.tls).length === 0) return null;
  return (await import('./open-tls.ts')).openTls(app, parts);
}

export async function buildParts(foundations: Foundations): Promise<Parts> {
  const { config, files, store, logger, clock, meters, isLocal, bounds } = foundations;
  const { apiGroup } = config;
  const { blobs, patientBlobs = blobs } = files;
  const ids = createIds(clock);
  const access = await openAccess(foundations);
  const { outgoing, authority, heldTokens } = access;
  const dispatcher = openDispatcher({ ...foundations, ids });
  const { limits } = config;
  const memory = new RunMemory({ ...bounds, ...runBounds(limits) });
  const arranger = createArranger({
    ...foundations,
    dispatcher,
    ids,
    project: projectionSteps,
    downloadTags: config.calls.tags,
    runBytesMax: limits.runBytes,
    memory,
  });
  const bus = openBus({ ...access, config, dispatcher, gate: arranger });
  await offerPluginFiles(config.pluginFiles, { bus, blobs: patientBlobs, logger, runs: arranger });
  meterRuns({ bus, runs: arranger, clock, meters });
  const catalog = await openProviders(config, logger);
  const hooks = await openHooks(config.hooks, await catalog.prefixes(), { logger, ids });
  const feed = new EventFeed(bus, limits);
  const channel = new AgentChannel({
    apiGroup,
    bus,
    runs: arranger,
    store,
    blobs,
    ...(files.patientBlobs === undefined ? {} : { patientBlobs }),
    pool: createChannelPool((namespaces) => feed.changes.environmentChanged(namespaces)),
    hooks: hooks.channel,
    clock,
    timers: systemTimers,
    ids,
    logger,
    fileBytesMax: limits.fileBytes,
    agentsMax: limits.agents,
    agentsBytesMax: bounds.agents,
    namespaceShare: limits.namespaceShare,
    meters,
    isLocal,
    heldTokens,
    ...config.agents,
  });
  const common = { ...foundations, bus, blobs, runs: arranger };
  registerPlugins({ ...common, blobs: patientBlobs, apiGroup, limits, hooks, catalog });
  const configured = await loadConfiguredInsights(config.insights.definitions, logger);
  const insights = new InsightCollector({
    ...common,
    configured,
    ids,
    timers: systemTimers,
    fileBytesMax: limits.fileBytes,
    limits,
    bytesMax: bounds.insights,
    retryDelayMs: COLLECTOR_LIMITS.retryDelayMs,
  });
  whenRunsEnd(bus, configured, (id, signal) => insights.acceptEnd(id, signal));
  const gates = await loadConfiguredGates(config.qualityGates.definitions, logger);
  const lockFiles = sharedLock(filesLockOf(databaseOf(config.dataDir)));
  const running = { authority, heldTokens, bus, arranger, memory, channel, insights, feed };
  const admission = admissionOf({ ...foundations, ...running });
  return { ...foundations, ids, outgoing, blobs, lockFiles, gates, catalog, admission, ...running };
}

/** Loads tracing only where it is configured. */
async function tracingOf(parts: Parts): Promise<readonly Service[]> {
  const { tracing } = parts.config;
  if (tracing.endpoint === undefined) return [];
  const { collectorOptions } = await import('./plugins/tracing/collector-options.ts');
  const { exportTraces } = await import('./plugins/tracing/trace-exports.ts');
  const collector = collectorOptions({ ...tracing, endpoint: tracing.endpoint }, SERVER_VERSION);
  return [exportTraces({ ...parts, collector })];
}

export function metricsOf(parts: Parts, requests: RequestCounts): Metrics {
  const { config, arranger, bus, channel } = parts;
  const { dataDir, auth } = config;
  return createMetrics({
    ...parts,
    requests,
    runs: arranger,
    dataDir,
    isBucketUsed: config.blobs !== undefined,
    version: SERVER_VERSION,
    agentPhases: () => channel.phases(),
    subscriptions: () => bus.subscriptions(),
    waitingBytes: (id) => bus.waitingBytes(id),
    isOpen: auth.insecureMetrics,
  });
}

const NO_HOOKS: OperatorHooks = { channel: null, ofFunctions: async () => [] };

/** Loads the reader of hooks only where hooks are configured: it checks their expressions as those of workflows. */
async function openHooks(
  ...[config, prefixes, deps]: Parameters<typeof openHookFiles>
): Promise<OperatorHooks> {
  if (config.channel === undefined && config.providers.length === 0) return NO_HOOKS;
  const files = await import('./hook-files.ts');
  return files.openHookFiles(config, prefixes, deps);
}

export async function buildApp(
  parts: Parts,
  requests: RequestCounts,
  metrics: Metrics,
): Promise<FastifyInstance> {
  const { config, logger, channel, sessions = sessionsOf(parts) } = parts;
  // The start time of the channel for rehearsals, which is in this process.
  const startedAt = parts.clock.now();
  const { apiGroup } = config;
  const connections = possibleConnections(config.limits.connections, logger);
  const startsBytes = Math.min(config.limits.startsBytes, parts.bounds.starts);
  const app = createApp({
    ...parts,
    sessions,
    authenticator: parts.authority,
    config: { ...config, limits: { ...config.limits, connections, startsBytes } },
    version: SERVER_VERSION,
    requests,
    readiness: readinessOf({ ...parts, dataDir: config.dataDir }),
    forwarding: parts.replica?.register.bind(parts.replica),
  });
  announceWrites(app, () => parts.store.expectWrites());
  await boundWaits(app, parts);
  const { insecureDocs } = config.auth;
  const routes = [
    schemaRoutes({ apiGroup, insecureDocs, functions: builtInFunctions }),
    siteRoutes({ insecureDocs }),
    receptionistRoutes({
      ...parts,
      runs: parts.arranger,
      apiGroup,
      limits: config.limits,
      isTraced: config.tracing.endpoint !== undefined,
    }),
    eventbusRoutes({
      ...parts,
      apiGroup,
      handlerIds: HANDLER_IDS,
      files: {
        blobs: parts.files.patientBlobs ?? parts.blobs,
        directory: config.pluginFiles ?? null,
        fileBytesMax: config.limits.fileBytes,
      },
    }),
    agentChannelRoutes(channel, SERVER_VERSION, parts.documents),
    observerRoutes({
      ...parts,
      apiGroup,
      channels: () => [...channel.context.pool.channels(), INCEPTION_CHANNEL],
      others: new OtherHandlers(parts),
      handlerIds: HANDLER_IDS,
      limits: config.limits,
      pendingAsRunning: config.pendingAsRunning,
      lastContact: (channelId) => channel.lastContact(channelId) ?? startedAt,
    }),
    ...[datasourceRoutes, forgetRoutes, listRoutes].map((routesOf) => routesOf(parts)),
    testRoutes({ ...parts, runs: parts.arranger, rules: config.quarantine }),
    killswitchRoutes({ ...parts, apiGroup }),
    localstoreRoutes({ ...parts, ...config.ui, limits: config.limits }),
    qualityGateRoutes({ ...parts, runs: parts.arranger, quarantine: config.quarantine.gates }),
    providerRoutes({ ...parts, apiGroup }),
    insightRoutes(parts),
    uiRoutes({ ...parts, sessions }),
    metrics.routes,
  ];
  for (const register of routes) register(app);
  return app;
}

/** Held requests would keep the listener from closing. */
function endHeld({ channel, feed }: Parts): void {
  channel.releasePolls();
  feed.close();
}

function stopper(
  parts: Parts,
  reached: Reached,
  services: Parameters<typeof stopAll>[0],
  serverFile: string,
): () => Promise<void> {
  const stop = async () => {
    const { replica } = parts;
    await rm(serverFile, { force: true });
    if (replica === null) endHeld(parts);
    else await replica.leave();
    const closed = closeWithin(reached, LIMITS.stopRequestsSeconds * 1000);
    await replica?.endForwarded();
    await closed;
    parts.files.close();
    await stopAll(services);
    await parts.documents.close();
    await replica?.close();
    await parts.store.close();
  };
  let stopping: Promise<void> | null = null;
  return () => {
    stopping ??= stop();
    return stopping;
  };
}
