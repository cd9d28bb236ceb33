/** Details of listed runs that their manifests lack: how they ended, and their test cases. */
import type { Client, JsonRecord } from '@tutti/client';
import { parseTimestamp } from '@tutti/manifests';
import { valuesAt } from '../resources/value-path.ts';
import { idOf } from './chosen-workflows.ts';

export interface RunDetails {
  /** Epoch milliseconds; null for a run that goes on. */
  readonly endedAt: number | null;
  readonly isCanceled: boolean;
  readonly tests: number;
  readonly failedTests: number;
}

/** Questions that are under way at a time. */
const AT_ONCE = 8;
const ENDS = 'kind in (WorkflowCompleted,WorkflowCanceled)';

/** Reads the details of these runs. A later call reads only those of runs that went on. */
export function createDetailsReader(
  client: Client,
): (runs: readonly JsonRecord[], signal?: AbortSignal) => Promise<ReadonlyMap<string, RunDetails>> {
  const known = new Map<string, RunDetails>();
  return async (runs, signal) => {
    const ids = runs.map(idOf).filter((id) => (known.get(id)?.endedAt ?? null) === null);
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      const some = ids.slice(at, at + AT_ONCE);
      const read = await Promise.all(some.map((id) => readDetails(client, id, signal)));
      for (const [index, id] of some.entries()) {
        const details = read[index];
        if (details != null) known.set(id, details);
      }
    }
    return known;
  };
}

/** Null if the server does not show them to this token: the list is worth showing without them. */
async function readDetails(
  client: Client,
  id: string,
  signal: AbortSignal | undefined,
): Promise<RunDetails | null> {
  try {
    // Read before the test cases: those of an ended run are remembered.
    const end = await endOf(client, id, signal);
    const { items } = await client.runItems(id, 'jobs', { waitMs: 0 }, { signal });
    const count = (name: string) =>
      items
        .flatMap((job) => valuesAt(job, ['status', 'testCaseStatusSummary', name]))
        .reduce<number>((sum, value) => sum + Number(value), 0);
    const failedTests = count('failure') + count('error');
    return { ...end, failedTests, tests: failedTests + count('success') + count('skipped') };
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return null;
  }
}

async function endOf(client: Client, id: string, signal: AbortSignal | undefined) {
  const query = { fieldSelector: ENDS, pageSize: 1, signal };
  for await (const { events } of client.eventPages(id, query)) {
    const [event] = events;
    if (event === undefined) break;
    const [at] = valuesAt(event, ['metadata', 'creationTimestamp']);
    const isCanceled = valuesAt(event, ['details', 'status'])[0] === 'cancelled';
    return { endedAt: parseTimestamp(String(at)), isCanceled };
  }
  return { endedAt: null, isCanceled: false };
}
