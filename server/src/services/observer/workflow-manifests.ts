/**
 * Reads manifests of many runs group by group. Together they may have some GiB, so they are sent while they are read. Frequent ones are
 * cached as text, to which an answer adds the status.
 */
import type { WorkflowId } from '@tutti/manifests';
import { nextTurn } from '../../runtime/turns.ts';
import type { ListedRun, Store } from '../../store/store.ts';
import { maskMarks } from './shown-events.ts';

type ReadableStore = Pick<Store, 'firstEvents' | 'documents'>;

export const WORKFLOW_MANIFESTS_LIMITS = {
  /** Length of the cached manifests in characters: ten thousand small workflows. The fields for selectors are cached once more. */
  kept: 16 * 1024 * 1024,
  /** Manifests with longer texts are read each time, in characters. */
  keptLength: 64 * 1024,
} as const;

export interface FoundManifest {
  readonly workflowId: WorkflowId;
  /** JSON text. */
  readonly manifest: string;
}

/** A selection of manifests. */
export interface ManifestChoice {
  readonly matches: (manifest: object) => boolean;
  /** True if it reads only keys of `HEAD`. */
  readonly isOfHead: boolean;
}

/** The usual fields of selectors on runs: names, labels and the status. */
export const MANIFEST_HEAD: ReadonlySet<string> = new Set([
  'apiVersion',
  'kind',
  'metadata',
  'status',
]);

interface Known {
  /** Number of masks of the run at that time: other masks may hide other texts. */
  readonly masks: number;
  readonly json: string;
  /** The text up to the status; null if the manifest already has a status. */
  readonly start: string | null;
  head: object | null;
}

/** Number of manifests checked per turn: some milliseconds. */
const ROWS_PER_TURN = 100;
/** Text that is gathered before it is sent, and that is read at once, in characters. */
const SLICE_LENGTH = 256 * 1024;

export class WorkflowManifests {
  readonly #store: ReadableStore;
  readonly #kept = new Map<WorkflowId, Known>();
  #length = 0;

  constructor(store: ReadableStore) {
    this.#store = store;
  }

  /** The selected manifests in the order of the rows, all if `choice` is null; deleted runs are left out. */
  chosen(
    rows: readonly ListedRun[],
    choice: ManifestChoice | null,
  ): AsyncGenerator<readonly FoundManifest[]> {
    return this.#groups(rows, choice, (each) => each);
  }

  /** Finds manifests without their texts, which stay in memory only during the check. */
  chosenIds(
    rows: readonly ListedRun[],
    choice: ManifestChoice | null,
  ): AsyncGenerator<readonly WorkflowId[]> {
    return this.#groups(rows, choice, ({ workflowId }) => workflowId);
  }

  async *#groups<Item>(
    rows: readonly ListedRun[],
    choice: ManifestChoice | null,
    itemOf: (found: FoundManifest) => Item,
  ): AsyncGenerator<readonly Item[]> {
    this.#makeRoom(rows);
    const masks = await maskMarks(this.#store);
    const read = async (group: readonly ListedRun[]) => {
      const known = await this.#read(group, masks);
      const items = known.flatMap((one, index) => found(group[index], one, choice).map(itemOf));
      return { count: known.length, items };
    };
    for (let at = 0; at < rows.length; ) {
      const { count, items } = await read(rows.slice(at, at + ROWS_PER_TURN));
      yield items;
      at += count;
      // Reading does not yield by itself: with thousands of runs, other requests would wait.
      await nextTurn();
    }
  }

  /** Reads the first rows, at least one; null for a run that was deleted. */
  async #read(
    rows: readonly ListedRun[],
    masks: ReadonlyMap<string, number>,
  ): Promise<readonly (Known | null)[]> {
    const kept = rows.map(({ workflowId }) => this.#find(workflowId, masks.get(workflowId) ?? 0));
    const missing = rows.filter((_, index) => kept[index] === undefined);
    if (missing.length === 0) return kept.map((one) => one ?? null);
    const ids = missing.map(({ workflowId }) => workflowId);
    const texts = await this.#store.firstEvents(ids, SLICE_LENGTH);
    const read = texts.map((json, index) => this.#keep(ids[index], json, masks));
    // The rows end where the texts end; later rows come with the next group.
    const end = rows.findIndex(({ workflowId }) => workflowId === ids[texts.length]);
    let next = 0;
    return kept
      .slice(0, end === -1 ? rows.length : end)
      .map((one) => (one === undefined ? (read[next++] ?? null) : one));
  }

  #find(workflowId: WorkflowId, masks: number): Known | undefined {
    const known = this.#kept.get(workflowId);
    if (known === undefined || known.masks === masks) return known;
    this.#forget(workflowId, known);
    return undefined;
  }

  #keep(
    workflowId: WorkflowId | undefined,
    json: string | null,
    masks: ReadonlyMap<string, number>,
  ): Known | null {
    if (workflowId === undefined || json === null) return null;
    const start = json.includes('"status"') ? null : `${json.slice(0, -1)},"status":`;
    const known: Known = { masks: masks.get(workflowId) ?? 0, json, start, head: null };
    const { kept, keptLength } = WORKFLOW_MANIFESTS_LIMITS;
    const before = this.#kept.get(workflowId);
    // Another list has read it meanwhile.
    if (before !== undefined) this.#forget(workflowId, before);
    if (json.length > keptLength || this.#length + json.length > kept) return known;
    this.#kept.set(workflowId, known);
    this.#length += json.length;
    return known;
  }

  #forget(workflowId: WorkflowId, { json }: Known): void {
    this.#kept.delete(workflowId);
    this.#length -= json.length;
  }

  /** Makes room only by dropping runs that are gone. A cache that drops the oldest entry would miss on each listing in order. */
  #makeRoom(rows: readonly ListedRun[]): void {
    const { kept, keptLength } = WORKFLOW_MANIFESTS_LIMITS;
    if (this.#length + keptLength <= kept) return;
    const listed = new Set(rows.map(({ workflowId }) => workflowId));
    for (const [workflowId, known] of this.#kept) {
      if (!listed.has(workflowId)) this.#forget(workflowId, known);
    }
  }
}

function found(
  row: ListedRun | undefined,
  known: Known | null,
  choice: ManifestChoice | null,
): readonly FoundManifest[] {
  if (row === undefined || known === null) return [];
  const { workflowId, status } = row;
  if (choice !== null && !isChosen(known, status, choice)) return [];
  return [{ workflowId, manifest: withStatus(known, status) }];
}

function isChosen(
  known: Known,
  phase: ListedRun['status'],
  { matches, isOfHead }: ManifestChoice,
): boolean {
  if (!isOfHead) return matches({ ...JSON.parse(known.json), status: { phase } });
  known.head ??= headOf(JSON.parse(known.json));
  return matches({ ...known.head, status: { phase } });
}

function headOf(manifest: object): object {
  return Object.fromEntries(Object.entries(manifest).filter(([name]) => MANIFEST_HEAD.has(name)));
}

/** The manifest with the fields that clients filter by (clients facts 3.2): ids, times, and the status as `status.phase`. */
function withStatus({ json, start }: Known, phase: ListedRun['status']): string {
  if (start === null) return JSON.stringify({ ...JSON.parse(json), status: { phase } });
  return `${start}{"phase":"${phase}"}}`;
}

/** The members of a JSON object of manifests by id, in slices. */
export async function* manifestMembers(
  found: AsyncIterable<readonly FoundManifest[]>,
): AsyncGenerator<string> {
  let slice = '';
  let separator = '';
  for await (const group of found) {
    for (const { workflowId, manifest } of group) {
      slice += `${separator}"${workflowId}":${manifest}`;
      separator = ',';
      if (slice.length < SLICE_LENGTH) continue;
      yield slice;
      slice = '';
    }
  }
  yield slice;
}
