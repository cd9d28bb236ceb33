/** Reads the first items of a long list, page by page. */
import type { Client, JsonRecord } from '@tutti/client';
import { cleanLine } from '@tutti/run-view/text';
import { valuesAt } from '../resources/value-path.ts';

const PAGE_MAX = 1000;

export interface ReadItems {
  readonly items: readonly JsonRecord[];
  /** Number of items on all pages. */
  readonly total: number;
  readonly warnings: readonly string[];
}

/** At most `limit` items. */
export async function readPages(
  client: Pick<Client, 'ask'>,
  request: Pick<Parameters<Client['ask']>[0], 'path' | 'query'>,
  limit: number,
): Promise<ReadItems> {
  const items: JsonRecord[] = [];
  const warnings = new Set<string>();
  const perPage = Math.min(limit, PAGE_MAX);
  for (let page = 1; ; page++) {
    const query = { ...request.query, page: String(page), per_page: String(perPage) };
    const answer = await client.ask({ ...request, query });
    const found = valuesAt(answer, ['details', 'items', '*']).filter(isRecord);
    for (const warning of valuesAt(answer, ['details', 'warnings', '*'])) {
      warnings.add(cleanLine(String(warning)));
    }
    items.push(...found.slice(0, limit - items.length));
    const total = Number(valuesAt(answer, ['details', 'total'])[0] ?? items.length);
    if (items.length >= limit || found.length < perPage) {
      return { items, total, warnings: [...warnings] };
    }
  }
}

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
