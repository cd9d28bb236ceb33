/** Reads the texts of some events of a run in slices: few reads for adjacent events, and little memory. */
import { type WorkflowId, workflowNotFound } from '@tutti/manifests';
import type { Store } from '../../store/store.ts';

/** The events of one run. */
export interface EventSource {
  readonly store: Pick<Store, 'events'>;
  readonly workflowId: WorkflowId;
}

/** Text that is gathered before it is sent, in characters. */
const SLICE_LENGTH = 256 * 1024;
/** Unwanted events to read between two wanted ones: cheaper than another read. */
const GAP_MAX = 8;

/** The JSON texts, separated by commas: as one text if they are short. Throws `NotFound` when the run is gone. */
export async function chosenText(
  source: EventSource,
  seqs: readonly number[],
  readMax: number,
): Promise<string | AsyncIterable<string>> {
  const left = [...neighbours(seqs, readMax)].reverse();
  const first = await nextSlice(source, left);
  return left.length === 0 ? first : slices(source, [first], left);
}

/** Removes the first slice from its list: a generator's variable stays in memory until the end. */
async function* slices(
  source: EventSource,
  first: string[],
  left: (readonly number[])[],
): AsyncGenerator<string> {
  yield first.pop() ?? '';
  while (left.length > 0) yield `,${await nextSlice(source, left)}`;
}

/** Takes groups from the end of the list. */
async function nextSlice(source: EventSource, left: (readonly number[])[]): Promise<string> {
  let slice = '';
  for (let group = left.pop(); group !== undefined; group = left.pop()) {
    const texts = await readGroup(source, group);
    if (texts.length < group.length) left.push(group.slice(texts.length));
    const text = texts.join(',');
    slice = slice === '' ? text : `${slice},${text}`;
    if (slice.length >= SLICE_LENGTH) break;
  }
  return slice;
}

/**
 * The JSON texts of a group from `neighbours`. If the events are large, only those of the first ones. Throws `NotFound` when the run is
 * gone.
 */
export async function readGroup(
  { store, workflowId }: EventSource,
  group: readonly number[],
): Promise<readonly string[]> {
  const first = group[0] ?? 0;
  const count = (group.at(-1) ?? 0) - first + 1;
  const items = (await store.events(workflowId, first, count))?.items ?? [];
  // Retention deleted the run meanwhile; the broken answer shows it to the client.
  if (items.length === 0) throw workflowNotFound(workflowId);
  const read = group.filter((seq) => seq - first < items.length);
  return read.map((seq) => items[seq - first] ?? '');
}

/** Groups of events that one read fetches, each of at most `readMax` events. */
export function* neighbours(
  seqs: readonly number[],
  readMax: number,
): Generator<readonly number[]> {
  let group: number[] = [];
  for (const seq of seqs) {
    const [first = seq] = group;
    const before = group.at(-1) ?? seq;
    if (seq - before > GAP_MAX || seq - first >= readMax) {
      yield group;
      group = [];
    }
    group.push(seq);
  }
  if (group.length > 0) yield group;
}
