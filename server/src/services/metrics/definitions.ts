/** What `GET /metrics` tells: one entry for each metric. `docs/operations.md` has them as a table, which a test compares. */
import {
  DELIVERY_OUTCOMES,
  DROP_REASONS,
  JOB_RESULTS,
  RUN_RESULTS,
  SPAN_OUTCOMES,
  TRACE_OUTCOMES,
} from '../../runtime/meters.ts';

/**
 * What a label may say. A list has all of its values; of the others the server itself bounds the number: its routes, their methods, the
 * codes that it answers with, and its one version. Ids, names and paths that users choose are never labels.
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

export const METRICS = {
  tutti_build_info: {
    type: 'gauge',
    help: 'Always 1, with the version of the server.',
    labels: { version: 'version' },
  },
  tutti_runs_accepted_total: { type: 'counter', help: 'Runs that were accepted.' },
  tutti_runs_ended_total: {
    type: 'counter',
    help: 'Runs that ended: done, failed, or canceled by somebody.',
    labels: { result: RUN_RESULTS },
  },
  tutti_live_runs: {
    type: 'gauge',
    help: 'Runs in memory. Of those that are over, a plugin still works on the reports.',
    labels: { phase: RUN_PHASES },
  },
  tutti_stored_runs: { type: 'gauge', help: 'Runs in the store, with those that are over.' },
  tutti_stored_events: { type: 'gauge', help: 'Events in the store, of all runs.' },
  tutti_jobs_ended_total: {
    type: 'counter',
    help: 'Jobs that ended. Bundles are not counted, but the jobs that they stand for.',
    labels: { result: JOB_RESULTS },
  },
  tutti_live_jobs: {
    type: 'gauge',
    help: 'Jobs that are not over. Waiting is for other jobs or a group, requested for an environment, generating for its jobs.',
    labels: { phase: JOB_PHASES },
  },
  tutti_run_acceptance_seconds: {
    type: 'histogram',
    help: 'From the arrival of POST /workflows until its run is durable.',
  },
  tutti_job_wait_seconds: {
    type: 'histogram',
    help: 'From the request of a job for an environment until it has one.',
  },
  tutti_command_dispatch_seconds: {
    type: 'histogram',
    help: 'From the decision that a command is due until it is handed to its agent.',
  },
  tutti_command_seconds: {
    type: 'histogram',
    help: 'From a command to its accepted result, with the time that it ran.',
  },
  tutti_agents: {
    type: 'gauge',
    help: 'Registered agents. Of an offered one a job was told, and has not answered.',
    labels: { state: AGENT_STATES },
  },
  tutti_commit_seconds: {
    type: 'histogram',
    help: 'From sending a batch to the writer of the store until it is on the disk.',
  },
  tutti_commit_operations: { type: 'histogram', help: 'Operations that shared one commit.' },
  tutti_store_waiting_operations: {
    type: 'gauge',
    help: 'Operations that wait for the writer of the store, without those that it works on.',
  },
  tutti_database_bytes: {
    type: 'gauge',
    help: 'Size of the database, with its write-ahead log.',
  },
  tutti_kept_logs: {
    type: 'gauge',
    help: 'Damaged write-ahead logs that were found at a start and kept. More than none: look for missing runs, and at the disk.',
  },
  tutti_blobs_bytes: {
    type: 'gauge',
    help: 'Size of attachments and resource files. Looked at every ten minutes at most, from the first scrape on.',
  },
  tutti_blobs_files: { type: 'gauge', help: 'Their number, as old as their size.' },
  tutti_disk_free_bytes: { type: 'gauge', help: 'What the disk of the data directory has left.' },
  tutti_subscriptions: {
    type: 'gauge',
    help: 'Subscriptions. Failing ones did not take their last publication, those in quarantine the last several.',
    labels: { state: SUBSCRIPTION_STATES },
  },
  tutti_outbox_entries: {
    type: 'gauge',
    help: 'Publications that wait for their subscriptions, by the state of these.',
    labels: { state: SUBSCRIPTION_STATES },
  },
  tutti_outbox_bytes: {
    type: 'gauge',
    help: 'Bytes of publications that wait for inboxes, by the state of these. Each inbox counts by itself.',
    labels: { state: SUBSCRIPTION_STATES },
  },
  tutti_dropped_deliveries_total: {
    type: 'counter',
    help: 'Publications that an inbox does not get, as too many or too many bytes wait for it or its namespace.',
    labels: { reason: DROP_REASONS },
  },
  tutti_delivery_attempts_total: {
    type: 'counter',
    help: 'Posts to inboxes. Taken and refused ones are final, the others are made again. One that is not allowed makes no connection.',
    labels: { outcome: DELIVERY_OUTCOMES },
  },
  tutti_delivery_seconds: {
    type: 'histogram',
    help: 'How long inboxes take to answer, with those that do not.',
  },
  tutti_http_requests_total: {
    type: 'counter',
    help: 'Answered requests, by the paths of the interface; none is one that no path takes.',
    labels: { ...REQUEST, code: 'codes' },
  },
  tutti_http_request_seconds: {
    type: 'summary',
    help: 'How long answers took. Polls of agents and feeds are held, as they ask.',
    labels: REQUEST,
  },
  tutti_traces_total: {
    type: 'counter',
    help: 'Traces of runs that ended. Failed ones the collector did not take, dropped ones it was not asked for.',
    labels: { outcome: TRACE_OUTCOMES },
  },
  tutti_trace_spans_total: {
    type: 'counter',
    help: 'Spans of the traces that were sent; dropped ones are beyond the limit of one trace.',
    labels: { outcome: SPAN_OUTCOMES },
  },
  nodejs_eventloop_lag_mean_seconds: { type: 'gauge', help: LAG },
  nodejs_eventloop_lag_p99_seconds: { type: 'gauge', help: `${LAG} 99 of 100 were less.` },
  nodejs_eventloop_lag_max_seconds: { type: 'gauge', help: `${LAG} The largest.` },
  nodejs_heap_size_total_bytes: { type: 'gauge', help: 'Heap of the main thread.' },
  nodejs_heap_size_used_bytes: { type: 'gauge', help: 'Used heap of the main thread.' },
  nodejs_external_memory_bytes: { type: 'gauge', help: 'Memory of buffers beside the heap.' },
  process_cpu_seconds_total: { type: 'counter', help: 'Processor time of all threads.' },
  process_resident_memory_bytes: { type: 'gauge', help: 'Memory of the process.' },
  process_start_time_seconds: { type: 'gauge', help: 'When it started, since 1970.' },
  process_open_fds: { type: 'gauge', help: 'Open file handles, on Linux.' },
  process_max_fds: { type: 'gauge', help: 'How many there may be, on Linux.' },
} as const satisfies Readonly<Record<string, Definition>>;

export type MetricName = keyof typeof METRICS;
