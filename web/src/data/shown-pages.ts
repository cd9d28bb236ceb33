/** The pages of a long list that are near the view. */
import type { UseQueryResult } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import type { Page } from './runs.ts';

/** Numbers of these pages, from 0. */
export function useShownPages(rows: number) {
  const [[from, to], setRange] = useState<readonly [number, number]>([0, 1]);
  const first = Math.floor(from / rows);
  const last = Math.floor(Math.max(0, to - 1) / rows);
  const onRange = useCallback((next: number, end: number) => setRange([next, end]), []);
  return {
    numbers: Array.from({ length: last - first + 1 }, (_, index) => first + index),
    onRange,
  };
}

type Answer<Item> = Pick<UseQueryResult<Page<Item>>, 'data' | 'error' | 'refetch'>;

/** The list that these pages belong to. */
export function listOf<Item>(
  answers: readonly Answer<Item>[],
  numbers: readonly number[],
  rows: number,
) {
  const known = answers.flatMap(({ data }) => data ?? []);
  return {
    total: known[0]?.total ?? null,
    warnings: [...new Set(known.flatMap(({ warnings = [] }) => warnings))],
    error: answers.find(({ error, data }) => error !== null && data === undefined)?.error ?? null,
    again: () => void Promise.all(answers.map((answer) => answer.refetch())),
    rowAt: (index: number): Item | undefined =>
      answers[Math.floor(index / rows) - (numbers[0] ?? 0)]?.data?.items[index % rows],
  };
}
