/**
 * Reads manifests of many runs group by group. Together they may have some GiB, so they are sent while they are read. Frequent ones are
 * cached as text, to which an answer adds the status.
 */
import type { WorkflowId } from '@tutti/manifests';
import { Turns } from '../../runtime/turns.ts';
import type { RunGroup } from '../../store/run-groups.ts';
import type { ListedRun, Store } from '../../store/store.ts';

type ReadableStore = Pick<Store, 'firstEvents'>;

export const WORKFLOW_MANIFESTS_LIMITS = {
  /** Length of the cached manifests in characters: ten thousand small workflows. The fields for selectors are cached once more. */
  kept: 16 * 1024 * 1024,
  /** Manifests with longer texts are read each time, in characters. */
  keptLength: 64 * 1024,
} as const;

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
  /** `masks` of its row at that time: other masks may hide other texts. */
  readonly masks: number;
  readonly json: string;
  head: object | null;
  /** Number of the last list that had the run. */
  listed: number;
}

/** Members of a group of runs, as they are sent: they are the same until one of the runs changes. */
interface Piece {
  /** The text of the group. */
  readonly states: string;
  readonly bytes: Uint8Array;
  listed: number;
}

/** Rows that are looked at together. */
const GROUP = 100;
/** Text that is gathered before it is sent, and that is read at once, in characters. */
const SLICE_LENGTH = 256 * 1024;

export type Portions = AsyncIterable<readonly ListedRun[]>;
export type Groups = AsyncIterable<readonly RunGroup[]>;

export class WorkflowManifests {
  readonly #store: ReadableStore;
  readonly #kept = new Map<WorkflowId, Known>();
  #length = 0;
  /** By the places of their first runs. */
  readonly #pieces = new Map<number, Piece>();
  #piecesLength = 0;
  #lists = 0;

  constructor(store: ReadableStore) {
    this.#store = store;
  }

  /**
   * All manifests in the order of the groups, whose texts are states; deleted runs are left out. They are members of a JSON object by ids,
   * each after a comma. Rows of a group are read only if it has changed. A change meanwhile shows in its next text, too.
   */
  async *all(
    portions: Groups,
    rowsOf: (group: RunGroup) => Promise<readonly ListedRun[]>,
  ): AsyncGenerator<Uint8Array> {
    this.#lists += 1;
    const list = this.#lists;
    const turns = new Turns();
    for await (const groups of portions) {
      for (const group of groups) {
        if (group.text === '') continue;
        const piece = this.#pieces.get(group.first);
        if (piece?.states === group.text) {
          piece.listed = list;
          yield piece.bytes;
        } else yield* this.#makePieces(group, await rowsOf(group), list);
        if (turns.isOver) await turns.next();
      }
    }
    this.#makeRoom(list);
    this.#makeRoomForPieces(list);
  }

  /** Several where manifests are large: then they are not kept. */
  async *#makePieces(
    { first, text: states }: RunGroup,
    rows: readonly ListedRun[],
    list: number,
  ): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < rows.length; ) {
      const known = await this.#read(rows.slice(at));
      const texts: string[] = [];
      for (const [index, one] of known.entries()) {
        const row = rows[at + index];
        if (one === null || row === undefined) continue;
        one.listed = list;
        texts.push(',', memberOf(one, row));
      }
      const bytes = Buffer.from(texts.join(''));
      if (known.length === rows.length && !known.includes(null)) {
        this.#keepPiece(first, { states, bytes, listed: list });
      }
      yield bytes;
      at += known.length;
    }
  }

  #keepPiece(place: number, piece: Piece): void {
    this.#forgetPiece(place);
    if (this.#piecesLength + piece.bytes.length > WORKFLOW_MANIFESTS_LIMITS.kept) return;
    this.#pieces.set(place, piece);
    this.#piecesLength += piece.bytes.length;
  }

  #forgetPiece(place: number): void {
    this.#piecesLength -= this.#pieces.get(place)?.bytes.length ?? 0;
    this.#pieces.delete(place);
  }

  #makeRoomForPieces(list: number): void {
    if (this.#piecesLength + SLICE_LENGTH <= WORKFLOW_MANIFESTS_LIMITS.kept) return;
    for (const [place, { listed }] of this.#pieces) if (listed < list) this.#forgetPiece(place);
  }

  /** The selected manifests in the order of the rows, as `all` has them. */
  chosen(rows: Portions, choice: ManifestChoice): AsyncGenerator<readonly string[]> {
    return this.#groups(rows, choice, memberOf);
  }

  /** Finds manifests without their texts, which stay in memory only during the check. */
  chosenIds(rows: Portions, choice: ManifestChoice): AsyncGenerator<readonly WorkflowId[]> {
    return this.#groups(rows, choice, (_, { workflowId }) => workflowId);
  }

  async *#groups<Item>(
    portions: Portions,
    choice: ManifestChoice,
    itemOf: (known: Known, row: ListedRun) => Item,
  ): AsyncGenerator<readonly Item[]> {
    this.#lists += 1;
    const list = this.#lists;
    const turns = new Turns();
    for await (const rows of portions) {
      for (let at = 0; at < rows.length; ) {
        const group = rows.slice(at, at + GROUP);
        const known = await this.#read(group);
        yield known.flatMap((one, index) => {
          const row = group[index];
          if (one === null || row === undefined) return [];
          one.listed = list;
          return isChosen(one, row.status, choice) ? [itemOf(one, row)] : [];
        });
        at += known.length;
        // Reading does not yield by itself: with thousands of runs, other requests would wait.
        if (turns.isOver) await turns.next();
      }
    }
    this.#makeRoom(list);
  }

  /** Reads the first rows, at least one; null for a run that was deleted. */
  async #read(rows: readonly ListedRun[]): Promise<readonly (Known | null)[]> {
    const kept = rows.map((row) => this.#find(row));
    const missing = rows.filter((_, index) => kept[index] === undefined);
    if (missing.length === 0) return kept.map((one) => one ?? null);
    const ids = missing.map(({ workflowId }) => workflowId);
    const texts = await this.#store.firstEvents(ids, SLICE_LENGTH);
    const read = texts.map((json, index) => this.#keep(missing[index], json));
    // The rows end where the texts end; later rows come with the next group.
    const end = rows.findIndex(({ workflowId }) => workflowId === ids[texts.length]);
    let next = 0;
    return kept
      .slice(0, end === -1 ? rows.length : end)
      .map((one) => (one === undefined ? (read[next++] ?? null) : one));
  }

  #find({ workflowId, masks }: ListedRun): Known | undefined {
    const known = this.#kept.get(workflowId);
    if (known === undefined || known.masks === masks) return known;
    this.#forget(workflowId, known);
    return undefined;
  }

  #keep(row: ListedRun | undefined, json: string | null): Known | null {
    if (row === undefined || json === null) return null;
    const { workflowId, masks } = row;
    const known: Known = { masks, json, head: null, listed: 0 };
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

  /**
   * Makes room only by dropping runs that this list did not have: they are gone. A cache that drops the oldest entry would miss on each
   * listing in order.
   */
  #makeRoom(list: number): void {
    const { kept, keptLength } = WORKFLOW_MANIFESTS_LIMITS;
    if (this.#length + keptLength <= kept) return;
    for (const [workflowId, known] of this.#kept) {
      if (known.listed < list) this.#forget(workflowId, known);
    }
  }
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
function memberOf({ json }: Known, { workflowId, status: phase }: ListedRun): string {
  const manifest = json.includes('"status"')
    ? JSON.stringify({ ...JSON.parse(json), status: { phase } })
    : `${json.slice(0, -1)},"status":{"phase":"${phase}"}}`;
  return `"${workflowId}":${manifest}`;
}

/** Smaller pieces are sent together. Larger ones are sent as they are: a copy of each would fill memory that only a whole collection frees. */
const SMALL_BYTES = 16 * 1024;

/** The bytes in slices. The comma before the first item is left out. */
export async function* gathered(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let small: Uint8Array[] = [];
  let length = 0;
  let comma = 1;
  for await (const piece of pieces) {
    small.push(piece);
    length += piece.length;
    if (length < SMALL_BYTES) continue;
    yield joined(small).subarray(comma);
    [small, length] = [[], 0];
    comma = 0;
  }
  yield joined(small).subarray(comma);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first, second] = pieces;
  return first === undefined || second !== undefined ? Buffer.concat(pieces) : first;
}

/** The texts of all groups, each after a comma. */
export async function* encoded(
  groups: AsyncIterable<readonly string[]>,
): AsyncGenerator<Uint8Array> {
  for await (const texts of groups) {
    if (texts.length > 0) yield Buffer.from(`,${texts.join(',')}`);
  }
}
