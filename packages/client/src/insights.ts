/** Asking for reports (specification 4.9; clients facts 3.10). */
import { detailsOf, unexpected } from './documents.ts';
import type { Transport } from './transport.ts';

export interface InsightsWanted {
  /** In YAML or JSON. */
  readonly definition: Blob;
  /** Which ones of the definition, by their names; `*`, `?` and `[..]` as in a shell. */
  readonly pattern: string;
}

export interface InsightsPromised {
  /** Null where none is expected. */
  readonly requestId: string | null;
  /** The insights that will be published. */
  readonly expected: readonly { readonly name: string; readonly kind: string }[];
  /** Warnings for the author of the definition, as sentences. */
  readonly warnings: readonly string[];
}

export async function requestInsights(
  transport: Transport,
  path: string,
  { definition, pattern, signal }: InsightsWanted & { readonly signal?: AbortSignal | undefined },
): Promise<InsightsPromised> {
  const form = new FormData();
  form.set('insights', definition, 'insights.yaml');
  const query = { insight: pattern };
  const answer = await transport.json({ method: 'POST', path, query, body: form, signal });
  const { request_id: id, expected, warnings } = detailsOf(answer.body) ?? {};
  if (!Array.isArray(expected)) throw unexpected(answer.response.url, 'the expected insights');
  const requestId = typeof id === 'string' ? id : null;
  if (requestId === null && expected.length > 0) {
    throw unexpected(answer.response.url, 'the id of the request');
  }
  return {
    requestId,
    expected: expected.map(parseExpected),
    warnings: Array.isArray(warnings) ? warnings.map(String) : [],
  };
}

function parseExpected(given: unknown): { readonly name: string; readonly kind: string } {
  const [name, kind] = Array.isArray(given) ? given.map(String) : [];
  return { name: name ?? '', kind: kind ?? '' };
}
