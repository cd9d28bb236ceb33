/**
 * Pages of the events of a run (specification 4.5). A page may have a thousand events, and each may hold many lines of output: they
 * are read and sent slice by slice, so that no page is ever in memory as a whole, and other requests get their turn in between.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type WorkflowId, workflowNotFound } from '@tutti/manifests';
import { type Page, pageOffset } from '../../http/paging.ts';
import type { EventPage, Store } from '../../store/store.ts';
import { chosenText, neighbours, readGroup } from './chosen-text.ts';
import { NO_FACTS, type QuestionFacts } from './event-facts.ts';
import { type EventSearch, type FoundEvents, NEW_SEARCH } from './event-searches.ts';

type ReadableStore = Pick<Store, 'events'>;

/** Events read at a time: some MiB where all of them are full of output. */
export const EVENTS_SLICE = 64;

/** JSON texts of the events of a page, separated by commas. */
export interface EventsOfPage {
  readonly text: string | AsyncIterable<string>;
  /** Of all pages. */
  readonly total: number;
  readonly workflow: EventPage['workflow'];
}

/**
 * A page of all events. Its end is fixed by the first read, which also tells the status of the run: events that come while the
 * page is being sent belong to the next answer, as the status that they may bring does.
 */
export async function plainPage(
  store: ReadableStore,
  workflowId: WorkflowId,
  page: Page,
): Promise<EventsOfPage> {
  const offset = pageOffset(page);
  const first = await readSlice(
    store,
    workflowId,
    offset + 1,
    Math.min(page.perPage, EVENTS_SLICE),
  );
  const { total, workflow } = first;
  const end = Math.min(offset + page.perPage, total);
  const start = first.items.join(',');
  const next = offset + first.items.length;
  const text = next < end ? sliced(store, workflowId, { start, next, end }) : start;
  return { text, total, workflow };
}

async function* sliced(
  store: ReadableStore,
  workflowId: WorkflowId,
  { start, next, end }: { readonly start: string; readonly next: number; readonly end: number },
): AsyncGenerator<string> {
  yield start;
  for (let read = next; read < end; ) {
    const count = Math.min(EVENTS_SLICE, end - read);
    const { items } = await readSlice(store, workflowId, read + 1, count);
    // Retention removed the run meanwhile; the answer breaks off, and the client sees that it did.
    if (items.length === 0) throw workflowNotFound(workflowId);
    yield `,${items.join(',')}`;
    read += items.length;
  }
}

/**
 * A page of the events that are chosen: all of them are looked at, since the links of the page depend on their number, but for those
 * that the search looked at before, or of which enough is known.
 */
export async function selectedPage(
  store: ReadableStore,
  workflowId: WorkflowId,
  { page, perPage }: Page,
  isChosen: (event: object) => boolean,
  search: EventSearch = NEW_SEARCH,
): Promise<EventsOfPage> {
  const { found, workflow } = await searchOn(store, workflowId, isChosen, search);
  search.remember(found);
  const offset = pageOffset({ page, perPage });
  const seqs = found.seqs.slice(offset, offset + perPage);
  const text = await chosenText(store, workflowId, seqs, EVENTS_SLICE);
  return { text, total: found.seqs.length, workflow };
}

async function searchOn(
  store: ReadableStore,
  workflowId: WorkflowId,
  isChosen: (event: object) => boolean,
  { found: before, facts = NO_FACTS }: EventSearch,
): Promise<{ readonly found: FoundEvents; readonly workflow: EventPage['workflow'] }> {
  const { seen, seqs: known } = await searchFacts(store, workflowId, isChosen, before, facts);
  const added: number[] = [];
  for (let seq = seen + 1; ; ) {
    const { items, total, workflow } = await readSlice(store, workflowId, seq, EVENTS_SLICE);
    for (const [index, json] of items.entries()) {
      const event = JSON.parse(json);
      facts.learn(seq + index, event);
      if (isChosen(event)) added.push(seq + index);
    }
    seq += items.length;
    if (items.length === 0 || seq > total) {
      const seqs = added.length === 0 ? known : known.concat(added);
      return { found: { seen: seq - 1, seqs }, workflow };
    }
    await nextTurn();
  }
}

/** Goes on as far as events are known, and reads those alone of which not enough is. */
async function searchFacts(
  store: ReadableStore,
  workflowId: WorkflowId,
  isChosen: (event: object) => boolean,
  before: FoundEvents,
  facts: QuestionFacts,
): Promise<FoundEvents> {
  const { seen } = facts;
  if (seen <= before.seen) return before;
  const { chosen, open } = facts.decide(before.seen + 1);
  const added: number[] = [];
  for (const group of neighbours(open, EVENTS_SLICE)) {
    for (let left = group; left.length > 0; ) {
      const texts = await readGroup(store, workflowId, left);
      const read = left.slice(0, texts.length);
      added.push(...read.filter((_, index) => isChosen(JSON.parse(texts[index] ?? ''))));
      left = left.slice(texts.length);
      await nextTurn();
    }
  }
  const all = added.length === 0 ? chosen : [...chosen, ...added].sort((one, other) => one - other);
  return { seen, seqs: before.seqs.length === 0 ? all : before.seqs.concat(all) };
}

async function readSlice(
  store: ReadableStore,
  workflowId: WorkflowId,
  firstSeq: number,
  count: number,
): Promise<EventPage> {
  const slice = await store.events(workflowId, firstSeq, count);
  if (slice === null) throw workflowNotFound(workflowId);
  return slice;
}

/** Shorter answers are sent as one text. */
const TEXT_MAX = 64 * 1024;

/** The text of a page between what comes before and after it in the answer. */
export function framed(
  before: string,
  text: EventsOfPage['text'],
  after: string,
): string | AsyncIterable<string> {
  return typeof text === 'string' && text.length <= TEXT_MAX
    ? `${before}${text}${after}`
    : framedSlices(before, typeof text === 'string' ? [text] : text, after);
}

async function* framedSlices(
  before: string,
  slices: AsyncIterable<string> | Iterable<string>,
  after: string,
): AsyncGenerator<string> {
  yield before;
  yield* slices;
  yield after;
}
