/** Pages of a listing (specification 4.1 and part 8) and the `Link` header that leads through them (RFC 8288). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LIMITS } from '../runtime/limits.ts';
import { queryInteger } from './query.ts';
import { requestUrl } from './request-url.ts';

export interface Page {
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
}

/** Larger page numbers count as this one: the number of their first item would be inexact. No listing is that long. */
const PAGE_MAX = Math.floor(Number.MAX_SAFE_INTEGER / LIMITS.perPageMax);

/** The page a request asks for. `per_page` above its maximum is taken as the maximum; below 1 it is `Invalid`. */
export function queryPage(request: FastifyRequest): Page {
  const page = queryInteger(request, 'page', { min: 1 }) ?? 1;
  const perPage = queryInteger(request, 'per_page', { min: 1 }) ?? LIMITS.perPageDefault;
  return { page: Math.min(page, PAGE_MAX), perPage: Math.min(perPage, LIMITS.perPageMax) };
}

/** Longer addresses get only the link to the next page: many clients refuse an answer with headers above 16 KiB. */
const LINKED_LENGTH_MAX = 3 * 1024;

/** Index of the first item of a page, from 0. */
export function pageOffset({ page, perPage }: Page): number {
  return (page - 1) * perPage;
}

interface Listed {
  /** Number of items on all pages; with `hasMore`, the number counted, including one behind the page. */
  readonly total: number;
  /** The last page is unknown. */
  readonly hasMore?: boolean;
}

/** Sets `Link` if more pages exist. */
export function setPageLinks(reply: FastifyReply, page: Page, listed: Listed): void {
  const link = pageLinks(reply.request, page, listed);
  if (link !== null) reply.header('Link', link);
}

/**
 * The relations first, prev, next and last, each only if it leads to another page; null without any. A very long address has only the
 * relation next.
 */
export function pageLinks(
  request: FastifyRequest,
  { page, perPage }: Page,
  { total, hasMore = false }: Listed,
): string | null {
  const last = Math.max(1, Math.ceil(total / perPage));
  const relations: readonly (readonly [string, number, boolean])[] = [
    ['first', 1, page > 1],
    ['prev', Math.min(page - 1, last), page > 1],
    ['next', page + 1, page < last],
    ['last', last, page !== last && !hasMore],
  ];
  const url = requestUrl(request);
  const isLong = url.href.length > LINKED_LENGTH_MAX;
  const links = relations
    .filter(([relation, , leads]) => leads && (relation === 'next' || !isLong))
    .map(([relation, target]) => `<${pageUrl(url, target, perPage)}>; rel="${relation}"`);
  return links.length === 0 ? null : links.join(',');
}

/**
 * The address of another page. All other parameters stay, because clients follow it without adding selectors. Repeated parameters
 * appear once.
 */
function pageUrl(url: URL, page: number, perPage: number): string {
  const target = new URL(url);
  target.search = '';
  for (const [name, value] of url.searchParams) target.searchParams.set(name, value);
  target.searchParams.set('page', String(page));
  target.searchParams.set('per_page', String(perPage));
  return target.href;
}
