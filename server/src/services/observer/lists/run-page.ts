/** Finds a page of runs. Conditions of the store choose rows; selectors look at each of these. */
import type { Page } from '../../../http/paging.ts';
import { pageOffset } from '../../../http/paging.ts';
import { Turns } from '../../../runtime/turns.ts';
import type { RunConditions, RunOrder, Store, SummarizedRun } from '../../../store/store.ts';
import type { Selectors } from '../selectors.ts';
import { runItem, selectable } from './run-items.ts';

export type ListStore = Pick<Store, 'summarizedRuns' | 'countRuns' | 'recentDurations'>;

export interface RunQuestion {
  readonly conditions: RunConditions;
  readonly order: RunOrder;
  readonly isDescending: boolean;
  readonly selectors: Pick<Selectors, 'isEmpty' | 'matches'>;
}

export interface RunPage {
  readonly runs: readonly SummarizedRun[];
  readonly total: number;
}

/** Rows that are read together: some milliseconds. */
const PORTION = 200;

/** `count` is called with the texts of the page, and may throw. */
export async function runPage(
  store: ListStore,
  question: RunQuestion,
  page: Page,
  count: (text: string) => void,
): Promise<RunPage> {
  const { conditions, selectors, ...order } = question;
  if (selectors.isEmpty) {
    const total = await store.countRuns(conditions);
    const from = pageOffset(page);
    const runs: SummarizedRun[] = [];
    while (runs.length < page.perPage && from + runs.length < total) {
      const limit = Math.min(PORTION, page.perPage - runs.length);
      const offset = from + runs.length;
      const portion = await store.summarizedRuns({ ...conditions, ...order, offset, limit });
      for (const { summary, failure, name } of portion) count(`${summary}${failure}${name}`);
      runs.push(...portion);
      if (portion.length < limit) break;
    }
    return { runs, total };
  }
  const chosen = await chosenPlaces(store, question);
  const places = chosen.slice(pageOffset(page), pageOffset(page) + page.perPage);
  const named = { conditions: { places }, selectors: { ...selectors, isEmpty: true }, ...order };
  const { runs } = await runPage(store, named, { page: 1, perPage: page.perPage }, count);
  return { runs, total: chosen.length };
}

interface ChosenRun {
  readonly place: number;
  readonly key: string | number;
}

/** Places of all runs that the selectors choose, in the order of the list. */
async function chosenPlaces(store: ListStore, question: RunQuestion): Promise<readonly number[]> {
  const { conditions, selectors, isDescending } = question;
  const chosen: ChosenRun[] = [];
  const turns = new Turns();
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const rows = await store.summarizedRuns({
      ...conditions,
      before,
      order: 'started',
      isDescending: true,
      offset: 0,
      limit: PORTION,
    });
    for (const row of rows) {
      if (selectors.matches(selectable(runItem(row, null)))) {
        chosen.push({ place: row.place, key: KEYS[question.order](row) });
      }
      if (turns.isOver) await turns.next();
    }
    if (rows.length < PORTION) break;
    before = rows.at(-1)?.place ?? 0;
  }
  const sign = isDescending ? -1 : 1;
  return chosen.sort((one, other) => sign * compared(one, other)).map(({ place }) => place);
}

const compared = (one: ChosenRun, other: ChosenRun): number => {
  if (one.key === other.key) return one.place - other.place;
  return one.key < other.key ? -1 : 1;
};

/** As the store orders them. */
const KEYS: Readonly<Record<RunOrder, (run: SummarizedRun) => string | number>> = {
  started: ({ place }) => place,
  name: ({ name }) => name,
  duration: (run) => runItem(run, null).duration ?? -1,
  failures: ({ tests: { failure = 0, error = 0 } }) => failure + error,
};
