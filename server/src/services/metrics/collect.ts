/** Reads all metrics. Loaded when they are first asked for. */
import { isOrchestratorError, type SubscriptionId } from '@tutti/manifests';
import type { ChannelPhase, Run } from '@tutti/workflow';
import type { RunDirectory } from '../../bus/bus.ts';
import type { SubscriptionRecord } from '../../bus/subscription-record.ts';
import type { RequestCounts } from '../../http/request-counts.ts';
import type { Clock } from '../../runtime/clock.ts';
import { blobsOf, databaseOf } from '../../runtime/data-directory.ts';
import type { Counts, Histogram, Meters } from '../../runtime/meters.ts';
import type { DatabaseSigns } from '../../store/database-signs.ts';
import { keptLogsOf } from '../../store/sqlite/kept-log.ts';
import type { Store } from '../../store/store.ts';
import {
  AGENT_STATES,
  JOB_PHASES,
  METRICS,
  type MetricName,
  RUN_PHASES,
  SUBSCRIPTION_STATES,
} from './definitions.ts';
import { BlobSizer, databaseBytes, freeBytes } from './disk-readings.ts';
import { exposeMetric, type Reading } from './exposition.ts';
import { ProcessReader } from './process-readings.ts';

export interface MetricSources {
  readonly meters: Meters;
  readonly requests: RequestCounts;
  readonly runs: Pick<RunDirectory, 'live'>;
  readonly store: Pick<Store, 'figures'>;
  /** Null where the store is in the data directory. */
  readonly database: Pick<DatabaseSigns, 'awayMs' | 'figures'> | null;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly dataDir: string;
  /** Files of runs are in a bucket, which has figures of its own. */
  readonly isBucketUsed: boolean;
  readonly version: string;
  agentPhases(): Iterable<ChannelPhase>;
  subscriptions(): Iterable<SubscriptionRecord>;
  /** Null for a server without others. */
  readonly replica: { readonly figures: ReplicaFigures } | null;
  /** Bytes that wait for the inbox of a subscription. */
  waitingBytes(id: SubscriptionId): number;
}

export interface ReplicaFigures {
  readonly isActive: boolean;
  /** Live replicas, this one included. */
  readonly replicas: number;
  readonly takeovers: number;
  readonly forwardedSeconds: Histogram;
  /** Time since the last heartbeat. */
  readonly silentSeconds: number;
}

type Readings = Readonly<Record<MetricName, readonly Reading[]>>;

const NO_DATABASE = {
  tutti_database_available: [],
  tutti_database_away_seconds_total: [],
  tutti_database_lost_connections_total: [],
  tutti_database_batches_in_doubt_total: [],
  tutti_database_lost_writers_total: [],
  tutti_database_unknown_outcomes_total: [],
} as const;

/** Scanning the files of a large installation takes a minute. */
const BLOBS_EVERY_MS = 10 * 60_000;

export class MetricCollector {
  readonly #sources: MetricSources;
  readonly #process = new ProcessReader();
  readonly #blobs: BlobSizer;

  constructor(sources: MetricSources) {
    this.#sources = sources;
    this.#blobs = new BlobSizer(blobsOf(sources.dataDir), BLOBS_EVERY_MS);
  }

  /** All metrics as text. */
  async expose(): Promise<string> {
    const readings = await this.#read();
    // Both maps have the same names.
    const names = Object.keys(METRICS) as MetricName[];
    return names.map((name) => exposeMetric(name, METRICS[name], readings[name])).join('');
  }

  async stop(): Promise<void> {
    this.#process.stop();
    await this.#blobs.stop();
  }

  async #read(): Promise<Readings> {
    const { meters, requests, runs, version } = this.#sources;
    return {
      tutti_build_info: [{ labels: { version }, value: 1 }],
      ...meterReadings(meters),
      ...runReadings([...runs.live()]),
      ...requestReadings(requests),
      ...(await this.#readStore()),
      ...(await this.#readDisk()),
      ...replicaReadings(this.#sources.replica?.figures),
      ...(await this.#readDatabase()),
      tutti_agents: byLabel('state', AGENT_STATES, agentStates(this.#sources.agentPhases())),
      ...(await this.#process.read()),
    };
  }

  async #readStore() {
    const { store, subscriptions, waitingBytes } = this.#sources;
    const figures = await this.#unlessAway(() => store.figures());
    const states = new Map<SubscriptionId, string>();
    for (const record of subscriptions()) states.set(record.id, stateOf(record));
    const bytes = Array.from(states, ([id, state]) => [state, waitingBytes(id)] as const);
    const waiting = Array.from(
      figures?.outbox ?? [],
      // Ids of durable subscribers in this process are not listed.
      ([id, count]) => [states.get(id) ?? 'built-in', count] as const,
    );
    return {
      tutti_stored_runs: unlessNull(figures?.runs),
      tutti_stored_events: unlessNull(figures?.events),
      tutti_store_waiting_operations: unlessNull(figures?.waitingOperations),
      tutti_subscriptions: byLabel('state', SUBSCRIPTION_STATES, ones(states.values())),
      tutti_outbox_entries: figures === null ? [] : byLabel('state', SUBSCRIPTION_STATES, waiting),
      tutti_outbox_bytes: byLabel('state', SUBSCRIPTION_STATES, bytes),
    };
  }

  async #readDisk() {
    const { clock, dataDir, isBucketUsed, database } = this.#sources;
    const blobs = isBucketUsed ? null : this.#blobs.sizes(clock.monotonicMs());
    return {
      tutti_kept_logs: database === null ? [{ value: keptLogsOf(databaseOf(dataDir)).length }] : [],
      tutti_disk_free_bytes: [{ value: await freeBytes(dataDir) }],
      tutti_blobs_bytes: blobs === null ? [] : [{ value: blobs.bytes }],
      tutti_blobs_files: blobs === null ? [] : [{ value: blobs.files }],
    };
  }

  async #readDatabase() {
    const { database, dataDir, meters } = this.#sources;
    if (database === null) {
      const bytes = await databaseBytes(databaseOf(dataDir));
      return { ...NO_DATABASE, tutti_database_bytes: [{ value: bytes }] };
    }
    const figures = await this.#unlessAway(() => database.figures());
    const { lostConnections, away, doubts, unknownOutcomes } = meters.database;
    const awayMs = database.awayMs();
    return {
      tutti_database_bytes: unlessNull(figures?.bytes),
      tutti_database_available: [{ value: awayMs === 0 ? 1 : 0 }],
      tutti_database_away_seconds_total: [{ value: away.seconds + awayMs / 1000 }],
      tutti_database_lost_connections_total: [{ value: lostConnections.count }],
      tutti_database_batches_in_doubt_total: counted('outcome', doubts),
      tutti_database_lost_writers_total: Object.entries(figures?.lostWriters ?? {}).map(
        ([reason, value]) => ({ labels: { reason }, value }),
      ),
      tutti_database_unknown_outcomes_total: [{ value: unknownOutcomes.count }],
    };
  }

  /** Null while the database is away. Its other metrics are then what matters, and scrapes do not wait. */
  async #unlessAway<Figures>(read: () => Promise<Figures>): Promise<Figures | null> {
    const { database } = this.#sources;
    if (database !== null && database.awayMs() > 0) return null;
    try {
      return await read();
    } catch (error) {
      const isAway = isOrchestratorError(error) && error.reason === 'ServiceUnavailable';
      if (database === null || !isAway) throw error;
      return null;
    }
  }
}

const unlessNull = (value: number | undefined): readonly Reading[] =>
  value === undefined ? [] : [{ value }];

function meterReadings(meters: Meters) {
  const { acceptanceSeconds, runsAccepted } = meters;
  return {
    tutti_runs_accepted_total: [{ value: runsAccepted.count }],
    tutti_runs_ended_total: counted('result', meters.runsEnded),
    tutti_jobs_ended_total: counted('result', meters.jobsEnded),
    tutti_run_acceptance_seconds: measured(acceptanceSeconds),
    tutti_job_wait_seconds: measured(meters.jobWaitSeconds),
    tutti_command_dispatch_seconds: measured(meters.dispatchSeconds),
    tutti_command_seconds: measured(meters.commandSeconds),
    tutti_commit_seconds: measured(meters.commitSeconds),
    tutti_commit_operations: measured(meters.commitOperations),
    tutti_delivery_attempts_total: counted('outcome', meters.deliveries),
    tutti_dropped_deliveries_total: counted('reason', meters.droppedDeliveries),
    tutti_delivery_seconds: measured(meters.deliverySeconds),
    tutti_traces_total: counted('outcome', meters.traces),
    tutti_trace_spans_total: counted('outcome', meters.traceSpans),
  };
}

function replicaReadings(figures: ReplicaFigures | undefined) {
  const one = (value: number | undefined) => (value === undefined ? [] : [{ value }]);
  return {
    tutti_replicas: one(figures?.replicas),
    tutti_replica_active: one(figures && Number(figures.isActive)),
    tutti_replica_heartbeat_age_seconds: one(figures?.silentSeconds),
    tutti_takeovers_total: one(figures?.takeovers),
    tutti_forwarded_request_seconds: figures ? measured(figures.forwardedSeconds) : [],
  };
}

const measured = (histogram: Histogram): readonly Reading[] => [{ histogram }];

const counted = (label: string, counts: Counts): readonly Reading[] =>
  Array.from(counts.entries(), ([name, value]) => ({ labels: { [label]: name }, value }));

function runReadings(runs: readonly Run[]) {
  const jobs = runs.flatMap((run) =>
    isOver(run) ? [] : Array.from(run.jobs.values(), ({ phase }) => phase.toLowerCase()),
  );
  const phases = runs.map((run) => (isOver(run) ? 'over' : run.phase.toLowerCase()));
  return {
    tutti_live_runs: byLabel('phase', RUN_PHASES, ones(phases)),
    tutti_live_jobs: byLabel('phase', JOB_PHASES, ones(jobs)),
  };
}

const isOver = ({ phase }: Run): boolean => phase === 'DONE' || phase === 'FAILED';

function requestReadings(requests: RequestCounts) {
  const all = [...requests.all()];
  return {
    tutti_http_requests_total: all.flatMap(({ method, route, codes }) =>
      Array.from(codes, ([code, value]) => ({
        labels: { method, route, code: String(code) },
        value,
      })),
    ),
    tutti_http_request_seconds: all.map(({ method, route, seconds, count }) => ({
      labels: { method, route },
      summary: { sum: seconds, count },
    })),
  };
}

const STATES = {
  IDLE: 'idle',
  PENDING: 'offered',
  BUSY: 'busy',
  UNREACHABLE: 'unreachable',
} as const satisfies Readonly<Record<ChannelPhase, (typeof AGENT_STATES)[number]>>;

const agentStates = (phases: Iterable<ChannelPhase>) =>
  ones(Array.from(phases, (phase) => STATES[phase]));

function stateOf({
  isBuiltIn,
  activity,
}: SubscriptionRecord): (typeof SUBSCRIPTION_STATES)[number] {
  if (isBuiltIn) return 'built-in';
  if (activity.inQuarantine) return 'quarantine';
  return activity.failures > 0 ? 'failing' : 'working';
}

const ones = (values: Iterable<string>): readonly (readonly [string, number])[] =>
  Array.from(values, (value) => [value, 1] as const);

/** Sums by label value; unlisted values are left out. */
function byLabel(
  label: string,
  values: readonly string[],
  counts: readonly (readonly [string, number])[],
): readonly Reading[] {
  const sums = new Map(values.map((value) => [value, 0]));
  for (const [value, count] of counts) sums.set(value, (sums.get(value) ?? 0) + count);
  return values.map((value) => ({ labels: { [label]: value }, value: sums.get(value) ?? 0 }));
}
