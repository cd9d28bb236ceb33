/** The finders of lists of masks, each made once. When a list grows, its new masks get a finder of their own. */
import type { Steps } from '@tutti/manifests';
import { createMaskFinder, type MaskFinder, maskFinderSteps } from './mask-finder.ts';
import type { TextRange } from './text-finder.ts';

interface Search {
  readonly finder: MaskFinder;
  /** The few masks that came since: building the large finder anew for each would be quadratic. */
  readonly recent: readonly string[];
  /** Finder for recent masks, made when it is needed first. */
  recentFinder: MaskFinder | null;
}

const RECENT_MAX = 16;

const searches = new WeakMap<readonly string[], Search>();

function searchOf(masks: readonly string[]): Search {
  const known = searches.get(masks) ?? {
    finder: createMaskFinder(masks),
    recent: [],
    recentFinder: null,
  };
  if (known.recent.length > 0) known.recentFinder ??= createMaskFinder(known.recent);
  searches.set(masks, known);
  return known;
}

/** Makes the finder of these masks if they have none. */
export function* searchSteps(masks: readonly string[]): Steps<void> {
  if (masks.length === 0 || searches.has(masks)) return;
  searches.set(masks, { finder: yield* maskFinderSteps(masks), recent: [], recentFinder: null });
}

/** Searches a text ahead, for the next search of it with these masks. */
export function* searchAhead(masks: readonly string[], text: string): Steps<void> {
  yield* searchSteps(masks);
  for (const finder of findersOf(masks)) yield* finder.searchAhead(text);
}

/** `more`: the masks with the `fresh` ones behind them. */
export function extendSearch(
  masks: readonly string[],
  more: readonly string[],
  fresh: readonly string[],
): void {
  const known = searches.get(masks);
  if (known === undefined || known.recent.length + fresh.length > RECENT_MAX) return;
  searches.set(more, { ...known, recent: [...known.recent, ...fresh], recentFinder: null });
}

/** Length of the longest form of a mask; at least 1. */
export const longestForm = (masks: readonly string[]): number =>
  findersOf(masks).reduce((most, { longest }) => Math.max(most, longest), 1);

export function findersOf(masks: readonly string[]): readonly MaskFinder[] {
  const { finder, recentFinder } = searchOf(masks);
  return recentFinder === null ? [finder] : [finder, recentFinder];
}

/** Ranges of masked texts in a line, in order of their begin. */
export function rangesOf(masks: readonly string[], line: string): readonly TextRange[] {
  const { finder, recentFinder } = searchOf(masks);
  const found = finder.find(line);
  return recentFinder === null
    ? found.toSorted(byStart)
    : [...found, ...recentFinder.find(line)].sort(byStart);
}

export const byStart = (one: TextRange, other: TextRange): number => one.start - other.start;
