/** Sections of the kinds `SummaryBlock` and `Cloud`. */
import type { SectionDefinition } from '@tutti/manifests';
import { addOutcome, NO_TESTS, type TestCaseManifest, totalOf } from '@tutti/workflow';
import { type Collector, itemsShown, shortened } from './collector.ts';
import { numberOf, readField, textOf } from './field.ts';
import { SUMMARY_LIMITS } from './summary-limits.ts';
import { compareText, isDescending } from './table.ts';

/** Counts test cases. */
export function collectSummary(): Collector {
  let counts = NO_TESTS;
  let durationMs = 0;
  let repeated = 0;
  return {
    add(item) {
      // Sections of this kind are given test cases only.
      const { test, execution, metadata } = item as TestCaseManifest;
      counts = addOutcome(counts, test.outcome, 1);
      durationMs += execution.duration;
      if ((metadata.executions ?? 1) > 1) repeated += 1;
    },
    model: () => ({ kind: 'SummaryBlock', counts, total: totalOf(counts), durationMs, repeated }),
  };
}

const WEIGHT = 'status.testCaseCount';
const FAILED = ['failure', 'error'].map((name) =>
  readField(`status.testCaseStatusSummary.${name}`),
);

const failedOf = (job: unknown): number =>
  FAILED.reduce((sum, field) => sum + (numberOf(field(job)) ?? 0), 0);

/** Jobs, as large as `data` says: the number of their test cases unless the definition has another field. */
export function collectCloud(definition: SectionDefinition): Collector {
  const { data, groupBy = 'metadata.name', orderBy, maxItems = SUMMARY_LIMITS.words } = definition;
  const size = typeof data === 'string' ? data : WEIGHT;
  const [label, weight] = [readField(groupBy), readField(size)];
  const phase = readField('status.phase');
  const words = new Map<string, CloudWord>();
  const shown = itemsShown(maxItems, SUMMARY_LIMITS.words);
  return {
    add(item) {
      const text = shortened(textOf(label(item)) || '(none)', SUMMARY_LIMITS.labelLength);
      const known = words.get(text) ?? newWord(text, size === WEIGHT ? 0 : null);
      const found = textOf(phase(item));
      known.weight += numberOf(weight(item)) ?? 1;
      if (known.failed !== null) known.failed += failedOf(item);
      if (found !== 'SUCCEEDED') known.phase = found;
      words.set(text, known);
    },
    model: () => {
      if (words.size === 0) return null;
      const all = [...words.values()];
      const ordered =
        orderBy === undefined ? all : all.sort(compareWords(orderBy.key, orderBy.order));
      const left = Math.max(0, words.size - shown);
      return { kind: 'Cloud', words: ordered.slice(0, shown), left };
    },
  };
}

interface CloudWord {
  readonly label: string;
  weight: number;
  phase: string;
  failed: number | null;
}

const newWord = (label: string, failed: number | null): CloudWord => ({
  label,
  weight: 0,
  phase: 'SUCCEEDED',
  failed,
});

function compareWords(
  key: string,
  order: string | undefined,
): (left: CloudWord, right: CloudWord) => number {
  const sign = isDescending(order) ? -1 : 1;
  const isByWeight = key === 'value' || key === 'data' || key === WEIGHT;
  return (left, right) =>
    sign * (isByWeight ? left.weight - right.weight : compareText(left.label, right.label));
}
