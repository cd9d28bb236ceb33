/** Requests of the page to its server. The browser adds the cookie of the session. */
import { type ApiRequest, createTransport, type Fetch } from '@tutti/client/transport';

export type JsonRecord = Readonly<Record<string, unknown>>;

/** Address of the server with its path prefix, without a slash at the end: the page is one folder below. */
export const SERVER = new URL('..', document.baseURI).href.replace(/\/$/, '');

/** Sends requests of this page. A page of another origin cannot add the header. */
export const pageFetch: Fetch = (url, { headers, ...request }) =>
  fetch(url, { ...request, headers: { ...headers, 'Tutti-Session': '1' } } as RequestInit);

const transport = createTransport({ baseUrl: SERVER, fetch: pageFetch });

/**
 * Sends a request, and resolves with the details of the Status manifest. Throws OrchestratorError for a refusal, and UnreachableError
 * where no server answered.
 */
export async function ask<Details = JsonRecord>(request: ApiRequest): Promise<Details> {
  const { body } = await transport.json(request);
  // The server validates what it answers; the shapes are those of `openapi.json`.
  return (body as { readonly details?: Details }).details ?? ({} as Details);
}

/** Sends a request, and resolves with the bytes of the answer. */
export async function askBlob(request: ApiRequest): Promise<Blob> {
  const answer = await transport.send({ ...request, headers: { accept: '*/*' }, limitTime: false });
  // The transport answers what `fetch` gave it.
  return await (answer as Response).blob();
}

/** Sends a request, and resolves with the answer as text. */
export async function askText(request: ApiRequest): Promise<string> {
  return await (await transport.send(request)).text();
}

/** Path of a run in the interface. */
export const runPath = (runId: string, rest = ''): string =>
  `/workflows/${encodeURIComponent(runId)}${rest}`;

/** Sends a request for a list that is no Status manifest, and resolves with its items. */
export async function askItems<Item>(request: ApiRequest): Promise<readonly Item[]> {
  const { body } = await transport.json(request);
  return (body as { readonly items?: readonly Item[] }).items ?? [];
}
