/** `tutti jobs`: the jobs of a run, also waiting and running ones, and why they wait. */
import type { JsonRecord, WorkflowStatus } from '@tutti/client';
import { parseTimestamp } from '@tutti/manifests';
import { jobTimeMs } from '@tutti/run-view';
import { formatDuration } from '@tutti/run-view/text';
import { JOB_ENTRY } from '@tutti/workflow/facts';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { checkWatchOptions, type WatchOptions } from '../options/watch-option.ts';
import { readOutput } from '../resources/output.ts';
import { type Listing, printItems } from '../resources/print-items.ts';
import { NOTHING, textAt, valuesAt } from '../resources/value-path.ts';
import { watchItems } from '../resources/watch-items.ts';
import { runEnding } from '../runs/not-over.ts';
import { readJobs } from '../runs/run-jobs.ts';
import { workflowRef } from '../runs/workflow-ref.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';

export interface JobsOptions extends ConnectionOptions, WatchOptions {
  /** Test cases that count. */
  readonly scope?: string | undefined;
  readonly output: string;
}

/** Lists the jobs of a run, by default of the newest one. Resolves with the exit code. */
export async function listJobs(
  text: string | undefined,
  options: JobsOptions,
  io: Io,
): Promise<number> {
  const output = readOutput(options.output);
  checkWatchOptions(options);
  const client = await connect(options, io);
  const id = await workflowRef(client, text, { what: 'to show jobs of' }, io);
  const listing = jobListing(() => io.now());
  let status: WorkflowStatus = 'PENDING';
  const read = async (signal?: AbortSignal): Promise<readonly JsonRecord[]> => {
    const jobs = await readJobs(client, id, { scope: options.scope, signal });
    ({ status } = jobs);
    return jobs.items;
  };
  if (options.watch !== true) {
    await printItems(await read(), listing, output, io);
    return EXIT_CODES.done;
  }
  const isOver = () => status === 'DONE' || status === 'FAILED';
  const ending = runEnding(client, id, options.timeout, io);
  return await watchItems({ read, listing, output, isOver, ...ending }, io);
}

const SECONDS = 'YYYY-MM-DDThh:mm:ss'.length;

function jobListing(nowMs: () => number): Listing {
  return {
    columns: [
      { title: 'NAME', cell: 'metadata.name' },
      { title: 'STATUS', cell: 'status.phase' },
      { title: 'STARTED', cell: (job) => startOf(job)?.slice(0, SECONDS) ?? NOTHING },
      { title: 'DURATION', cell: (job) => durationOf(job, nowMs()), isRunning: true },
      {
        title: 'RUNS_ON',
        cell: (job) => valuesAt(job, ['spec', 'runs-on', '*']).join(',') || NOTHING,
      },
      { title: 'TESTS', cell: testsOf },
      { title: 'REASON', cell: (job) => valuesAt(job, ['status', 'reason']).join('') || NOTHING },
      { title: 'JOB_ID', cell: 'metadata.id', isWide: true },
      { title: 'ENVIRONMENT', cell: 'status.channel', isWide: true },
      { title: 'REQUESTED', cell: 'status.requestTime', isWide: true },
    ],
    idPath: `metadata[${JOB_ENTRY}]`,
    emptyText: 'There are no jobs yet.',
  };
}

function startOf(job: JsonRecord): string | null {
  const [start] = valuesAt(job, ['status', 'startTime']);
  return typeof start === 'string' ? start : null;
}

/** The same duration as in the display of runs. */
function durationOf(job: JsonRecord, nowMs: number): string {
  const [startedAt = null, endedAt = null] = ['startTime', 'endTime'].map((name) => {
    const [time] = valuesAt(job, ['status', name]);
    return typeof time === 'string' ? parseTimestamp(time) : null;
  });
  const timeMs = jobTimeMs({ startedAt, endedAt }, nowMs);
  return timeMs === null ? NOTHING : formatDuration(timeMs);
}

function testsOf(job: JsonRecord): string {
  const count = (name: string) => Number(textAt(job, ['status', 'testCaseStatusSummary', name]));
  const [total] = valuesAt(job, ['status', 'testCaseCount']);
  if (typeof total !== 'number' || total === 0) return NOTHING;
  const bad = count('failure') + count('error');
  return bad === 0 ? `${total}` : `${total}, ${bad} failed`;
}
