/** Answers of the interface as they are, for programs that read more of them than our own types hold. */
import { detailsOf, isRecord, type JsonRecord } from './documents.ts';
import { nextQuery } from './link-header.ts';
import type { ApiRequest, Transport } from './transport.ts';
import { UnreachableError } from './unreachable-error.ts';

/** The document that a request is answered with; of a list in pages (specification 4.1), the first with the items of all. */
export async function readWholeDocument(
  transport: Transport,
  request: ApiRequest,
): Promise<JsonRecord> {
  const first = await readPage(transport, request);
  const items = [...first.items];
  let { query } = first;
  while (query !== null) {
    const page = await readPage(transport, { ...request, query });
    items.push(...page.items);
    query = page.query;
  }
  if (first.query === null) return first.document;
  return { ...first.document, details: { ...detailsOf(first.document), items } };
}

async function readPage(transport: Transport, request: ApiRequest) {
  const { response, body } = await transport.json(request);
  if (!isRecord(body)) throw new UnreachableError(response.url, 'answer', 'answered no document');
  const items: unknown = detailsOf(body)?.items;
  return {
    document: body,
    items: Array.isArray(items) ? items : [],
    query: nextQuery(response.headers.get('link')),
  };
}
