/** The selectors of a request: conditions on fields and labels. */
import { type Condition, matches, parseFieldSelector, parseLabelSelector } from '@tutti/selectors';
import type { FastifyRequest } from 'fastify';
import { queryText } from '../../http/query.ts';

export const SELECTORS = {
  fieldSelector: { type: 'string' },
  labelSelector: { type: 'string' },
} as const;

export interface Selectors {
  readonly fields: string;
  readonly labels: string;
  readonly isEmpty: boolean;
  /** Conditions of both selectors. */
  readonly conditions: readonly Condition[];
  /** True for an item that both choose. */
  readonly matches: (item: object) => boolean;
}

export function readSelectors(request: FastifyRequest): Selectors {
  const texts = {
    fields: queryText(request, 'fieldSelector') ?? '',
    labels: queryText(request, 'labelSelector') ?? '',
  };
  const fields = parseFieldSelector(texts.fields);
  const labels = parseLabelSelector(texts.labels);
  return {
    ...texts,
    isEmpty: `${texts.fields}${texts.labels}`.trim() === '',
    conditions: [...fields.conditions, ...labels.conditions],
    matches: (item) => matches(fields, item) && matches(labels, item),
  };
}
