/**
 * Pages of the events of a run (specification 4.5). A page may have a thousand events with many lines of output each. It is read and sent
 * in slices. It is never in memory as a whole, and other requests get their turn in between.
 */
import { workflowNotFound } from '@tutti/manifests';
import { type Page, pageOffset } from '../../http/paging.ts';
import { nextTurn, Turns } from '../../runtime/turns.ts';
import type { EventPage } from '../../store/store.ts';
import { chosenText, type EventSource, neighbours, readGroup } from './chosen-text.ts';
import { NO_FACTS, type QuestionFacts } from './event-facts.ts';
import type { EventSearch, FoundEvents } from './event-searches.ts';

/** Page size for reading events: some MiB if all are full of output. */
export const EVENTS_SLICE = 64;

/** JSON texts of the events of a page, separated by commas. */
export interface EventsOfPage {
  readonly text: string | AsyncIterable<string>;
  /** Number of events on all pages. */
  readonly total: number;
  readonly workflow: EventPage['workflow'];
}

/**
 * A page of all events. The first read fixes its end and the status of the run. Events that arrive meanwhile belong to the next
 * answer, and so does their status.
 */
export async function plainPage(source: EventSource, page: Page): Promise<EventsOfPage> {
  const offset = pageOffset(page);
  const first = await readSlice(source, offset + 1, Math.min(page.perPage, EVENTS_SLICE));
  const { total, workflow } = first;
  const end = Math.min(offset + page.perPage, total);
  const start = first.items.join(',');
  const next = offset + first.items.length;
  const text = next < end ? sliced(source, [start], { next, end }) : start;
  return { text, total, workflow };
}

/** Takes the first slice out of its list. Otherwise a text that a generator names would stay in memory until the end of the page. */
async function* sliced(
  source: EventSource,
  first: string[],
  { next, end }: { readonly next: number; readonly end: number },
): AsyncGenerator<string> {
  yield first.pop() ?? '';
  for (let read = next; read < end; ) {
    const count = Math.min(EVENTS_SLICE, end - read);
    const { items } = await readSlice(source, read + 1, count);
    // Retention deleted the run meanwhile; the broken answer shows it to the client.
    if (items.length === 0) throw workflowNotFound(source.workflowId);
    read += items.length;
    yield `,${items.join(',')}`;
  }
}

interface ChosenSearch extends EventSearch {
  readonly isChosen: (event: object) => boolean;
}

/**
 * A page of selected events. It checks all events, since the links of the page depend on their number. It skips events that the
 * search has checked, and those with known facts.
 */
export async function selectedPage(
  source: EventSource,
  { page, perPage }: Page,
  search: ChosenSearch,
): Promise<EventsOfPage> {
  const { found, workflow } = await searchOn(source, search);
  search.remember(found);
  await search.held?.readNext();
  const offset = pageOffset({ page, perPage });
  const seqs = found.seqs.slice(offset, offset + perPage);
  const text = await chosenText(source, seqs, EVENTS_SLICE);
  return { text, total: found.seqs.length, workflow };
}

async function searchOn(
  source: EventSource,
  { isChosen, found: before, facts = NO_FACTS }: ChosenSearch,
): Promise<{ readonly found: FoundEvents; readonly workflow: EventPage['workflow'] }> {
  const { seen, seqs: known } = await searchFacts(source, { isChosen, before, facts });
  const added: number[] = [];
  for (let seq = seen + 1; ; ) {
    // When many searches run, one of them reads and parses in each turn.
    await nextTurn();
    const { count, total, workflow } = await searchSlice(source, seq, (at, event) => {
      facts.learn(at, event);
      if (isChosen(event)) added.push(at);
    });
    seq += count;
    if (count === 0 || seq > total) {
      const seqs = added.length === 0 ? known : known.concat(added);
      return { found: { seen: seq - 1, seqs }, workflow };
    }
  }
}

/** A function of its own, so that its events leave memory while this search waits for its turn. */
async function searchSlice(
  source: EventSource,
  firstSeq: number,
  look: (seq: number, event: object) => void,
): Promise<Pick<EventPage, 'total' | 'workflow'> & { readonly count: number }> {
  const { items, total, workflow } = await readSlice(source, firstSeq, EVENTS_SLICE);
  for (const [index, json] of items.entries()) look(firstSeq + index, JSON.parse(json));
  return { count: items.length, total, workflow };
}

interface FactSearch extends Pick<ChosenSearch, 'isChosen'> {
  readonly before: FoundEvents;
  readonly facts: QuestionFacts;
}

/** Continues over known events, and reads only events without enough facts. */
async function searchFacts(
  source: EventSource,
  { isChosen, before, facts }: FactSearch,
): Promise<FoundEvents> {
  const { seen } = facts;
  if (seen <= before.seen) return before;
  const { chosen, open } = await new Turns().run(facts.decide(before.seen + 1, seen));
  const added: number[] = [];
  for (const group of neighbours(open, EVENTS_SLICE)) {
    for (let left = group; left.length > 0; ) {
      await nextTurn();
      const { read, chosen: ofGroup } = await searchGroup(source, left, isChosen);
      added.push(...ofGroup);
      left = left.slice(read);
    }
  }
  const all = added.length === 0 ? chosen : [...chosen, ...added].sort((one, other) => one - other);
  return { seen, seqs: before.seqs.length === 0 ? all : before.seqs.concat(all) };
}

async function searchGroup(
  source: EventSource,
  group: readonly number[],
  isChosen: (event: object) => boolean,
): Promise<{ readonly read: number; readonly chosen: readonly number[] }> {
  const texts = await readGroup(source, group);
  const read = group.slice(0, texts.length);
  const chosen = read.filter((_, index) => isChosen(JSON.parse(texts[index] ?? '')));
  return { read: read.length, chosen };
}

async function readSlice(
  { store, workflowId }: EventSource,
  firstSeq: number,
  count: number,
): Promise<EventPage> {
  const slice = await store.events(workflowId, firstSeq, count);
  if (slice === null) throw workflowNotFound(workflowId);
  return slice;
}
