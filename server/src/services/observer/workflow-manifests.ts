/** Manifests of many runs, one after the other: together they may have some GiB, so they are sent as they are read. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WorkflowId } from '@tutti/manifests';
import type { Store, WorkflowRow } from '../../store/store.ts';

type ReadableStore = Pick<Store, 'events'>;

export interface FoundManifest {
  readonly workflowId: WorkflowId;
  readonly manifest: object;
}

/** Runs whose manifests are looked at before others get their turn: some milliseconds. */
const ROWS_PER_TURN = 100;

/** The manifests that are chosen, in the order of the rows; a run that left meanwhile is left out. */
export async function* chosenManifests(
  store: ReadableStore,
  rows: readonly WorkflowRow[],
  isChosen: (manifest: object) => boolean,
): AsyncGenerator<FoundManifest> {
  for (const [index, row] of rows.entries()) {
    // Reading is never interrupted by itself: with thousands of runs, others would wait.
    if (index % ROWS_PER_TURN === ROWS_PER_TURN - 1) await nextTurn();
    const manifest = await manifestOf(store, row);
    if (manifest !== null && isChosen(manifest)) yield { workflowId: row.workflowId, manifest };
  }
}

/** The manifest with what clients filter by (clients facts 3.2): ids, times, and the status as `status.phase`. */
async function manifestOf(store: ReadableStore, row: WorkflowRow): Promise<object | null> {
  const first = await store.events(row.workflowId, 1, 1);
  const json = first?.items[0];
  if (json === undefined) return null;
  return { ...JSON.parse(json), status: { phase: row.status } };
}

/** Text that is gathered before it is sent, in characters. */
const SLICE_LENGTH = 256 * 1024;

/** The members of a JSON object of manifests by id, in slices. */
export async function* manifestMembers(
  found: AsyncIterable<FoundManifest>,
): AsyncGenerator<string> {
  let slice = '';
  let separator = '';
  for await (const { workflowId, manifest } of found) {
    slice += `${separator}"${workflowId}":${JSON.stringify(manifest)}`;
    separator = ',';
    if (slice.length < SLICE_LENGTH) continue;
    yield slice;
    slice = '';
  }
  yield slice;
}
