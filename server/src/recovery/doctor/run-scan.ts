/** Folds a run from its events once more, and compares the stored projections with the result. */
import type { DatabaseSync } from 'node:sqlite';
import {
  assertNever,
  type ExecutionResultEvent,
  isRunEvent,
  type LoggedEvent,
  type WorkflowResultEvent,
} from '@tutti/manifests';
import {
  createRedactor,
  emptyRun,
  evolve,
  isArtifactPath,
  type Redactor,
  type Run,
} from '@tutti/workflow';
import { type Fact, factOf } from '@tutti/workflow/facts';
import type { CommittedEvent } from '../../bus/bus.ts';
import { prepareQuery } from '../../store/sqlite/query.ts';
import { rowIdRange, rowNumber } from '../../store/sqlite/row-ids.ts';
import type { Projection, WorkflowRow } from '../../store/store.ts';

/** Computes projections from the events that moved the run from `before` to `after`. */
export type ProjectRun = (
  before: Run,
  after: Run,
  events: readonly CommittedEvent[],
  redactor: Pick<Redactor, 'document'>,
) => Projection;

/** A row of the table of runs. */
export interface StoredRun {
  readonly run: number;
  readonly workflowId: string;
  readonly name: string;
  readonly namespace: string;
  readonly status: string;
  readonly live: number;
  readonly workers: string;
  readonly createdAt: string;
  readonly completedAt: string | null;
  readonly events: number;
  readonly logBytes: number;
  readonly testCases: number;
}

export const SELECT_STORED = `SELECT id AS run, workflow_id AS workflowId, name, namespace, status, live, workers,
  created_at AS createdAt, completed_at AS completedAt, events, log_bytes AS logBytes,
  test_cases AS testCases FROM workflows`;

/** One event of a log, and the run after it. */
export interface FoldedEvent {
  readonly seq: number;
  readonly kind: string;
  readonly json: string;
  readonly folds: boolean;
  readonly event: LoggedEvent;
  readonly projection: Projection;
  readonly run: Run;
}

interface EventRow {
  readonly id: number;
  readonly kind: string;
  readonly json: string;
}

/** Events that are read at a time. */
const PAGE = 64;

/** The log cannot be folded. */
export class BrokenLog extends Error {
  override readonly name = 'BrokenLog';
}

/**
 * The events of a run, one after the other, as the server would take them. `masks`: masks for what is shown; those of the run so far if
 * absent. Throws BrokenLog.
 */
export function* foldRun(
  db: DatabaseSync,
  run: number,
  project: ProjectRun,
  masks?: Run['masks'],
): Generator<FoldedEvent> {
  const page = prepareQuery<EventRow>(
    db,
    'SELECT id, kind, json FROM events WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?',
  );
  const { first, last } = rowIdRange(run);
  let state = emptyRun;
  let redactor = { masks: emptyRun.masks, value: createRedactor(masks ?? emptyRun.masks) };
  for (let seq = 0; ; ) {
    const rows = page.all(first + seq + 1, last, PAGE);
    if (rows.length === 0) return;
    for (const { id, kind, json } of rows) {
      seq += 1;
      if (rowNumber(id) !== seq) throw new BrokenLog(`event ${seq} is missing`);
      const event = parsed(json, seq);
      const next = evolved(state, event, seq);
      if (masks === undefined && redactor.masks !== next.masks) {
        redactor = { masks: next.masks, value: createRedactor(next.masks) };
      }
      const committed = { event, json, shown: redactor.value.shown(event, json) };
      const projection = project(state, next, [committed], redactor.value);
      const folds = next !== state;
      state = next;
      yield { seq, kind, json, folds, event, projection, run: state };
    }
  }
}

function parsed(json: string, seq: number): LoggedEvent {
  try {
    // Whatever else it is, `evolve` says.
    return JSON.parse(json) as LoggedEvent;
  } catch {
    throw new BrokenLog(`event ${seq} is no JSON`);
  }
}

function evolved(run: Run, event: LoggedEvent, seq: number): Run {
  try {
    return evolve(run, event);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new BrokenLog(`event ${seq} cannot be taken (${why})`);
  }
}

export interface ScannedRun {
  readonly workflowId: string;
  readonly events: number;
  /** Why its events cannot be folded; null when they can. */
  readonly broken: string | null;
  /** Stored data that differs from the events. */
  readonly differences: readonly string[];
  /** Names of files that the server itself has stored for the run: also what steps uploaded, and reports. */
  readonly ownFiles: readonly string[];
  /** Attachments that other programs announced: their files may never have come. */
  readonly namedFiles: readonly string[];
}

export interface ScanOptions {
  readonly project: ProjectRun;
  /** Ids of the server's own channel handlers, which store each file before they announce it. */
  readonly ownHandlers: readonly string[];
}

/** Reads one run, as of one moment. */
export function scanRun(db: DatabaseSync, stored: StoredRun, options: ScanOptions): ScannedRun {
  const seen = {
    row: null as WorkflowRow | null,
    events: 0,
    jobs: new Set<string>(),
    attachments: new Set<string>(),
    testCases: new Set<string>(),
    own: new Set<string>(),
    named: new Set<string>(),
  };
  const { workflowId } = stored;
  const result = (broken: string | null, differences: readonly string[]): ScannedRun => ({
    workflowId,
    events: seen.events,
    broken,
    differences,
    ownFiles: [...seen.own],
    namedFiles: [...seen.named],
  });
  try {
    for (const { seq, event, projection, run } of foldRun(db, stored.run, options.project)) {
      seen.events = seq;
      seen.row = projection.workflow ?? seen.row;
      for (const { jobId } of projection.jobs) seen.jobs.add(jobId);
      for (const { attachmentId } of projection.attachments) seen.attachments.add(attachmentId);
      for (const { key } of projection.testCases) seen.testCases.add(JSON.stringify(key));
      if (seq === 1) for (const blob of Object.values(run.files)) seen.own.add(blob);
      if (isRunEvent(event)) noteFilesOf(factOf(event), options.ownHandlers, seen);
    }
  } catch (error) {
    if (error instanceof BrokenLog) return result(error.message, []);
    throw error;
  }
  if (seen.events === 0) return result('it has no events', []);
  return result(null, [
    ...rowDifferences(stored, seen.row, seen.events),
    ...partDifferences(db, stored, seen),
  ]);
}

type SeenFiles = Readonly<Record<'own' | 'named', Set<string>>>;

function noteFilesOf(fact: Fact, ownHandlers: readonly string[], seen: SeenFiles): void {
  switch (fact.type) {
    case 'EnvironmentOffered':
    case 'StepAnswered':
    case 'EnvironmentFreed':
    case 'FilesPublished':
      noteFiles(fact.event, ownHandlers, seen);
      break;
    case 'RunReceived':
    case 'EnvironmentRequested':
    case 'StepStarted':
    case 'StepStopped':
    case 'JobReleased':
    case 'FunctionCalled':
    case 'FunctionAnswered':
    case 'TestsAsked':
    case 'TestsJudged':
    case 'JobsAsked':
    case 'JobsGiven':
    case 'JobEnded':
    case 'Halted':
    case 'Granted':
    case 'DownloadBegun':
    case 'Held':
    case 'JobOverdue':
    case 'StepOverdue':
    case 'Superseded':
    case 'StepEnded':
    case 'StepPrinted':
    case 'WorkerChanged':
    case 'ReportRead':
    case 'Noted':
    case 'RunFailed':
    case 'CancellationAsked':
    case 'RunSucceeded':
    case 'RunEnded':
      break;
    default:
      assertNever(fact);
  }
}

function noteFiles(
  { metadata }: ExecutionResultEvent | WorkflowResultEvent,
  ownHandlers: readonly string[],
  { own, named }: SeenFiles,
): void {
  const handler = 'channelhandler_id' in metadata ? metadata.channelhandler_id : undefined;
  const isOfOwnHandler = typeof handler === 'string' && ownHandlers.includes(handler);
  for (const [path, { uuid }] of Object.entries(metadata.attachments ?? {})) {
    const isOwn = isOfOwnHandler || isArtifactPath(path, metadata.workflow_id);
    (isOwn ? own : named).add(uuid);
  }
}

function rowDifferences(
  stored: StoredRun,
  row: WorkflowRow | null,
  events: number,
): readonly string[] {
  const named: Readonly<Record<string, unknown>> = {
    name: row?.name,
    namespace: row?.namespace,
    status: row?.status,
    live: row?.live === true ? 1 : 0,
    workers: JSON.stringify(row?.workers),
    createdAt: row?.createdAt,
    completedAt: row?.completedAt,
    events,
  };
  const kept: Readonly<Record<string, unknown>> = { ...stored };
  return Object.entries(named).flatMap(([field, value]) =>
    kept[field] === value ? [] : [`${field} is ${kept[field]}, and ${value} by its events`],
  );
}

interface CountedParts {
  readonly logBytes: number;
  readonly jobs: number;
  readonly attachments: number;
  readonly testCases: number;
  readonly counted: number;
  /** Test cases of before they had keys. */
  readonly keyless: number;
}

function partDifferences(
  db: DatabaseSync,
  { run, logBytes, testCases }: StoredRun,
  seen: Readonly<Record<'jobs' | 'attachments' | 'testCases', ReadonlySet<string>>>,
): readonly string[] {
  const parts = countParts(db, run);
  const differ = (what: string, kept: number, named: number) =>
    kept === named ? [] : [`it has ${kept} ${what}, and ${named} by its events`];
  return [
    ...(parts.logBytes === logBytes
      ? []
      : [`its log has ${parts.logBytes} bytes, and should have ${logBytes}`]),
    ...differ('ended jobs', parts.jobs, seen.jobs.size),
    ...differ('attachments', parts.attachments, seen.attachments.size),
    ...(parts.keyless > 0 ? [] : differ('test cases', parts.testCases, seen.testCases.size)),
    ...(parts.testCases === testCases && parts.counted === testCases
      ? []
      : [`it counts ${testCases} test cases, ${parts.counted} by job, and has ${parts.testCases}`]),
  ];
}

function countParts(db: DatabaseSync, run: number): CountedParts {
  const { first, last } = rowIdRange(run);
  const inRange = `BETWEEN ${first} AND ${last}`;
  const query = prepareQuery<CountedParts>(
    db,
    `SELECT (SELECT coalesce(sum(length(bytes)), 0) FROM log_pages WHERE id ${inRange}) +
         (SELECT coalesce(sum(bytes), 0) FROM log_parts WHERE run = ${run}) AS logBytes,
       (SELECT count(*) FROM jobs WHERE run = ${run}) AS jobs,
       (SELECT count(*) FROM attachments WHERE run = ${run}) AS attachments,
       (SELECT count(*) FROM test_cases WHERE id ${inRange}) AS testCases,
       (SELECT coalesce(sum(count), 0) FROM test_case_counts WHERE run = ${run}) AS counted,
       (SELECT count(*) FROM test_cases WHERE id ${inRange} AND key IS NULL) AS keyless`,
  );
  const found = query.get();
  if (found === undefined) throw new Error('A query of counts has no row.');
  return found;
}
