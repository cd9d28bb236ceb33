/** Expected duration of a run, taken from the last successful run of its name. */
import type { Client } from '@tutti/client';
import {
  emptyRunView,
  type JobView,
  type RunView,
  reduceRunView,
  wholeJobTimeMs,
} from '@tutti/run-view';
import type { ExpectedTimes } from '../run-view/frame.ts';

/** Limit of pages of events; longer runs show no job times. */
const PAGES_MAX = 5;
/** Names that selectors can have. */
const PLAIN_NAME = /^[\w.-][\w .-]*$/;

/** Null if no such run is known, or the server has no times. */
export async function expectedTimes(
  client: Client,
  { name, namespace, workflowId }: Pick<RunView, 'name' | 'namespace' | 'workflowId'>,
  signal: AbortSignal,
): Promise<ExpectedTimes | null> {
  if (!PLAIN_NAME.test(name)) return null;
  try {
    const fieldSelector = `metadata.name==${name},metadata.namespace==${namespace},status.phase==DONE`;
    const { details } = await client.ask({ path: '/workflows', query: { fieldSelector }, signal });
    const before = idsIn(details).findLast((id) => id !== workflowId);
    return before === undefined ? null : await timesOf(client, before, signal);
  } catch {
    // A failure costs only a few words on the screen.
    return null;
  }
}

function idsIn(details: unknown): readonly string[] {
  const items =
    typeof details === 'object' && details !== null && 'items' in details && details.items;
  return Array.isArray(items) ? items.filter((item) => typeof item === 'string') : [];
}

async function timesOf(
  client: Client,
  workflowId: string,
  signal: AbortSignal,
): Promise<ExpectedTimes> {
  // The request for an environment, the first command, and the release with its result.
  const fieldSelector = 'metadata.step_sequence_id in (-1,0,-2)';
  let view = emptyRunView;
  let pages = 0;
  for await (const page of client.eventPages(workflowId, { fieldSelector, signal })) {
    view = page.events.reduce(reduceRunView, view);
    pages += 1;
    if (pages === PAGES_MAX) break;
  }
  return durationsIn(view);
}

function durationsIn({ jobs }: RunView): ExpectedTimes {
  const times = [...jobs.values()].flatMap(({ startedAt, endedAt }) =>
    startedAt === null || endedAt === null ? [] : [{ startedAt, endedAt }],
  );
  const begin = Math.min(...times.map(({ startedAt }) => startedAt));
  const end = Math.max(...times.map(({ endedAt }) => endedAt));
  return {
    totalMs: times.length === 0 ? null : end - begin,
    jobs: new Map([...jobs.values()].flatMap(knownTime)),
  };
}

function knownTime(job: JobView): [key: string, ms: number][] {
  const ms = wholeJobTimeMs(job);
  return ms === null ? [] : [[job.key, ms]];
}
