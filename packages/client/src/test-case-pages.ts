/** The test cases of a run page by page, however many there are (specification 4.5; clients facts 3.7). */
import {
  type DataSourceStatus,
  detailsOf,
  isPreparing,
  isRecord,
  type JsonRecord,
  warningsOf,
} from './documents.ts';
import { nextQuery } from './link-header.ts';
import type { Sleep } from './retry-delay.ts';
import type { Transport } from './transport.ts';
import { UnreachableError } from './unreachable-error.ts';

export interface TestCasePagesQuery {
  /** Expression over `test`. */
  readonly scope?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Milliseconds to wait for the end of the run and for its test results. */
  readonly waitMs: number;
  /** Test cases of a page; absent, as many as there may be. */
  readonly pageSize?: number | undefined;
}

export interface TestCasePage {
  /** Null where the server had no answer in time. */
  readonly status: DataSourceStatus | null;
  readonly items: readonly JsonRecord[];
  /** Sentences on reports of which test cases may be missing. */
  readonly warnings: readonly string[];
  /** The answer of the server, as it is. */
  readonly document: JsonRecord;
}

interface ReadWith {
  readonly transport: Transport;
  readonly sleep: Sleep;
  readonly now: () => number;
}

/** Between two looks at test cases that are not all there. */
const PAUSE = { firstMs: 100, maxMs: 1_000 } as const;
const PAGE_SIZE = 1000;
/** More pages than any run has: of a server whose pages never end. */
const PAGES_MAX = 1_000_000;

/** There is always one page. Throws the refusals of the server. */
export async function* testCasePages(
  { transport, sleep, now }: ReadWith,
  path: string,
  query: TestCasePagesQuery & { readonly signal?: AbortSignal | undefined },
): AsyncGenerator<TestCasePage, void, undefined> {
  const { scope, fieldSelector, waitMs, signal, pageSize = PAGE_SIZE } = query;
  const first = { per_page: String(pageSize), scope, fieldSelector };
  const deadline = now() + waitMs;
  let read = await readPage(transport, { path, query: first, signal });
  for (
    let pauseMs: number = PAUSE.firstMs;
    read.isOpen;
    pauseMs = Math.min(2 * pauseMs, PAUSE.maxMs)
  ) {
    const leftMs = deadline - now();
    if (leftMs <= 0) break;
    await sleep(Math.min(pauseMs, leftMs), signal);
    read = await readPage(transport, { path, query: first, signal });
  }
  yield read.page;
  for (let pages = 1; read.next !== null && pages < PAGES_MAX; pages += 1) {
    read = await readPage(transport, { path, query: read.next, signal });
    yield read.page;
  }
}

async function readPage(transport: Transport, request: Parameters<Transport['json']>[0]) {
  const { response, body } = await transport.json(request);
  if (!isRecord(body)) throw new UnreachableError(response.url, 'answer', 'answered no document');
  const details = detailsOf(body);
  const { status, items } = details ?? {};
  const page: TestCasePage = {
    status: isDataSourceStatus(status) ? status : null,
    items: Array.isArray(items) ? items.filter(isRecord) : [],
    warnings: warningsOf(details),
    document: body,
  };
  // A server that still prepares them and gives a status will not give more.
  const isOpen = isPreparing(body) ? page.status === null : page.status === 'ONGOING';
  return { page, isOpen, next: nextQuery(response.headers.get('link')) };
}

const isDataSourceStatus = (value: unknown): value is DataSourceStatus =>
  value === 'ONGOING' || value === 'COMPLETE' || value === 'INTERRUPTED';
