/** Lists of the interface. Some servers answer with an array, others with an object that has the ids as keys. */
import { detailsOf, isRecord, type JsonRecord, unexpected } from './documents.ts';
import { ignoredParameter } from './ignored-parameter.ts';
import { nextQuery } from './link-header.ts';
import type { Answer, ApiRequest, Transport } from './transport.ts';
import { UnreachableError } from './unreachable-error.ts';

/** Resources that a server lists (specification 4.3 to 4.5). */
export type ResourceName = 'workflows' | 'agents' | 'channels' | 'subscriptions';

/** Conditions on the listed resources (specification 4.1). */
export interface Selection {
  readonly fieldSelector?: string | undefined;
  readonly labelSelector?: string | undefined;
}

/**
 * Lists manifests in the order of the server; workflows in the order of their start. Servers that do not know selectors answer with
 * everything. Such an answer is refused, because readers would take it for the selection.
 */
export async function listResources(
  transport: Transport,
  name: ResourceName,
  { fieldSelector, labelSelector }: Selection,
  signal: AbortSignal | undefined,
): Promise<readonly JsonRecord[]> {
  const expand = name === 'workflows' ? 'manifest' : undefined;
  const query = { expand, fieldSelector, labelSelector };
  const { response, body } = await transport.json({ path: `/${name}`, query, signal });
  checkProcessed(response, { fieldSelector, labelSelector });
  const items = isRecord(body) ? (body.items ?? detailsOf(body)?.items) : null;
  if (typeof items !== 'object' || items === null) throw unexpected(response.url, 'items');
  const manifests = Object.values(items).filter(isRecord);
  return name === 'workflows' ? manifests.toSorted(byStart) : manifests;
}

function checkProcessed(
  { headers, url }: Answer,
  selection: Readonly<Record<string, string | undefined>>,
): void {
  const parameter = ignoredParameter(headers, selection);
  if (parameter === null) return;
  throw new UnreachableError(url, 'answer', `answered without regard to "${parameter}"`);
}

const startOf = ({ metadata }: JsonRecord): string =>
  isRecord(metadata) ? String(metadata.creationTimestamp ?? '') : '';
const byStart = (a: JsonRecord, b: JsonRecord) => startOf(a).localeCompare(startOf(b));

/** The document of an answer. A list in pages (specification 4.1) gives its first page, with the items of all. */
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
