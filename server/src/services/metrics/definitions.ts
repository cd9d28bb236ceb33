/** The metrics of `GET /metrics`, one entry each. `docs/operate/monitor.md` has them as a table, which a test compares. */
import {
  DELIVERY_OUTCOMES,
  DOUBT_OUTCOMES,
  DROP_REASONS,
  JOB_RESULTS,
  LOST_WRITERS,
  RUN_RESULTS,
  SPAN_OUTCOMES,
  TRACE_OUTCOMES,
} from '../../runtime/meters.ts';

/**
 * Values of a label. A list contains all of them; the others are bounded by the server: routes, methods, status codes, one
 * version. Ids, names and paths of users are never labels.
 */
export type LabelValues = readonly string[] | 'routes' | 'methods' | 'codes' | 'version';

export interface Definition {
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly help: string;
  readonly labels?: Readonly<Record<string, LabelValues>>;
}

export const RUN_PHASES = ['pending', 'running', 'over'] as const;
export const JOB_PHASES = ['waiting', 'requested', 'generating', 'running', 'releasing'] as const;
export const AGENT_STATES = ['idle', 'offered', 'busy', 'unreachable'] as const;
export const SUBSCRIPTION_STATES = ['built-in', 'working', 'failing', 'quarantine'] as const;

const LAG = 'How much later than asked the event loop comes, since the scrape before.';
const REQUEST = { method: 'methods', route: 'routes' } as const;

const of =
  (type: Definition['type']) =>
  (help: string, labels?: Definition['labels']): Definition =>
    labels === undefined ? { type, help } : { type, help, labels };
const counter = of('counter');
const gauge = of('gauge');
const histogram = of('histogram');
const summary = of('summary');

export const METRICS = {
  tutti_build_info: gauge('Always 1, with the version of the server.', { version: 'version' }),
  tutti_runs_accepted_total: counter('Runs that were accepted.'),
  tutti_runs_ended_total: counter('Runs that ended: done, failed, or canceled by somebody.', {
    result: RUN_RESULTS,
  }),
  tutti_live_runs: gauge('Runs in memory. A plugin still works on the reports of ended ones.', {
    phase: RUN_PHASES,
  }),
  tutti_stored_runs: gauge('Runs in the store, ended ones included.'),
  tutti_stored_events: gauge('Events in the store, of all runs.'),
  tutti_jobs_ended_total: counter(
    'Jobs that ended. Bundles are not counted, but the jobs that they stand for.',
    { result: JOB_RESULTS },
  ),
  tutti_live_jobs: gauge(
    'Jobs that are not over. Waiting is for other jobs or a group, requested for an environment, generating for its jobs.',
    { phase: JOB_PHASES },
  ),
  tutti_run_acceptance_seconds: histogram(
    'From the arrival of POST /workflows until its run is durable.',
  ),
  tutti_job_wait_seconds: histogram(
    'From the request of a job for an environment until it has one.',
  ),
  tutti_command_dispatch_seconds: histogram(
    'From the decision that a command is due until it is handed to its agent.',
  ),
  tutti_command_seconds: histogram(
    'From a command to its accepted result, with the time that it ran.',
  ),
  tutti_agents: gauge('Registered agents. An offered one waits for the answer of a job.', {
    state: AGENT_STATES,
  }),
  tutti_commit_seconds: histogram(
    'From sending a batch to the writer of the store until it is on the disk.',
  ),
  tutti_commit_operations: histogram('Operations that shared one commit.'),
  tutti_store_waiting_operations: gauge('Operations that wait for the writer of the store.'),
  tutti_database_bytes: gauge('Size of the database; of SQLite with its write-ahead log.'),
  tutti_database_available: gauge(
    'Whether the server can write to its PostgreSQL database: 1 or 0. It has this metric and the next five only with PostgreSQL.',
  ),
  tutti_database_away_seconds_total: counter(
    'Time that the server could not write to its database.',
  ),
  tutti_database_lost_connections_total: counter(
    'Connections for writing that broke, or fell silent. The server makes a new one each time.',
  ),
  tutti_database_batches_in_doubt_total: counter(
    'Batches whose answer was lost with their connection, by what was found: they were stored, or were sent again.',
    { outcome: DOUBT_OUTCOMES },
  ),
  tutti_database_lost_writers_total: counter(
    'Servers that ended as they may not write any more, since the database was made: another one took it, or it lost confirmed batches.',
    { reason: LOST_WRITERS },
  ),
  tutti_database_unknown_outcomes_total: counter(
    'Requests that were answered with 503 while nobody knew whether the database would store their change.',
  ),
  tutti_kept_logs: gauge(
    'Damaged write-ahead logs that were found at a start and kept. More than none: look for missing runs, and at the disk.',
  ),
  tutti_blobs_bytes: gauge(
    'Size of attachments and resource files, unless they are in a bucket. Looked at every ten minutes at most, from the first scrape on.',
  ),
  tutti_blobs_files: gauge('Their number, as old as their size.'),
  tutti_disk_free_bytes: gauge('What the disk of the data directory has left.'),
  tutti_subscriptions: gauge(
    'Subscriptions. Failing ones did not take their last publication, those in quarantine the last several.',
    { state: SUBSCRIPTION_STATES },
  ),
  tutti_outbox_entries: gauge(
    'Publications that wait for their subscriptions, by the state of these.',
    { state: SUBSCRIPTION_STATES },
  ),
  tutti_outbox_bytes: gauge(
    'Bytes of publications that wait for inboxes, by the state of these. Each inbox counts by itself.',
    { state: SUBSCRIPTION_STATES },
  ),
  tutti_dropped_deliveries_total: counter(
    'Publications that an inbox does not get, as too many or too many bytes wait for it or its namespace.',
    { reason: DROP_REASONS },
  ),
  tutti_delivery_attempts_total: counter(
    'Posts to inboxes. Taken and refused ones are final, the others are made again. One that is not allowed makes no connection.',
    { outcome: DELIVERY_OUTCOMES },
  ),
  tutti_delivery_seconds: histogram('How long inboxes take to answer or to fail.'),
  tutti_http_requests_total: counter(
    'Answered requests, by the paths of the interface; none is one that no path takes.',
    { ...REQUEST, code: 'codes' },
  ),
  tutti_http_request_seconds: summary(
    'How long answers took. Polls of agents and feeds are held, as they ask.',
    REQUEST,
  ),
  tutti_replicas: gauge(
    'Live servers that share the store with this one, with itself. Absent for a server alone.',
  ),
  tutti_replica_active: gauge('Whether this replica is the active one: 1 or 0.'),
  tutti_replica_heartbeat_age_seconds: gauge(
    'Time since the last heartbeat of this replica that the database took.',
  ),
  tutti_takeovers_total: counter('Dead replicas that this one has found and removed.'),
  tutti_forwarded_request_seconds: histogram(
    'From sending a request to the active replica until its answer begins.',
  ),
  tutti_traces_total: counter(
    'Traces of runs that ended. Failed ones the collector did not take, dropped ones it was not asked for.',
    { outcome: TRACE_OUTCOMES },
  ),
  tutti_trace_spans_total: counter(
    'Spans of the traces that were sent; dropped ones are beyond the limit of one trace.',
    { outcome: SPAN_OUTCOMES },
  ),
  nodejs_eventloop_lag_mean_seconds: gauge(LAG),
  nodejs_eventloop_lag_p99_seconds: gauge(`${LAG} 99 of 100 were less.`),
  nodejs_eventloop_lag_max_seconds: gauge(`${LAG} The largest.`),
  nodejs_heap_size_total_bytes: gauge('Heap of the main thread.'),
  nodejs_heap_size_used_bytes: gauge('Used heap of the main thread.'),
  nodejs_external_memory_bytes: gauge('Memory of buffers beside the heap.'),
  process_cpu_seconds_total: counter('Processor time of all threads.'),
  process_resident_memory_bytes: gauge('Memory of the process.'),
  process_start_time_seconds: gauge('When it started, since 1970.'),
  process_open_fds: gauge('Open file handles, on Linux.'),
  process_max_fds: gauge('How many there may be, on Linux.'),
} as const satisfies Readonly<Record<string, Definition>>;

export type MetricName = keyof typeof METRICS;
