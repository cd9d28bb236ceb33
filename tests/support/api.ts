/** The HTTP API as a stranger sees it: requests and whole answers, with no client of ours in between. */
import type { RunEvent } from '@tutti/manifests';

export interface Answer {
  readonly code: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface ApiRequest {
  /** Appended to the path unencoded, so that tests choose the encoding. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes are sent unchanged, forms as multipart, other values as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

export interface Api {
  readonly url: string;
  /** One request with the administrator's token, unless `headers` has an `authorization` (empty for none). */
  call(method: string, path: string, request?: ApiRequest): Promise<Answer>;
}

export function createApi(url: string, token: string): Api {
  return {
    url,
    async call(method, path, { query, headers = {}, body, signal } = {}) {
      const payload = payloadOf(body);
      const all: Record<string, string> = {
        authorization: `Bearer ${token}`,
        ...payload.headers,
        ...headers,
      };
      if (all.authorization === '') delete all.authorization;
      const response = await fetch(`${url}${path}${query === undefined ? '' : `?${query}`}`, {
        method,
        headers: all,
        ...(payload.body === null ? {} : { body: payload.body }),
        ...(signal === undefined ? {} : { signal }),
        redirect: 'manual',
      });
      return { code: response.status, headers: response.headers, text: await response.text() };
    },
  };
}

interface Payload {
  readonly body: FormData | string | Uint8Array<ArrayBuffer> | null;
  readonly headers: Readonly<Record<string, string>>;
}

function payloadOf(body: unknown): Payload {
  if (body === undefined) return { body: null, headers: {} };
  if (body instanceof FormData || typeof body === 'string') return { body, headers: {} };
  if (body instanceof Uint8Array) return { body: new Uint8Array(body), headers: {} };
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

/** Any JSON document of the interface, loosely typed: tests assert the parts that they need. */
export type Loose = { readonly [key: string]: unknown };

/** The body as a JSON object; throws with the text when it is none. */
export function bodyOf(answer: Answer): Loose {
  try {
    const value: unknown = JSON.parse(answer.text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // The error follows below.
  }
  throw new Error(`Expected a JSON object, got ${answer.code}: ${answer.text.slice(0, 500)}`);
}

/** `details` of a Status manifest; empty when there are none. */
export function detailsOf(answer: Answer): Loose {
  const { details } = bodyOf(answer);
  return typeof details === 'object' && details !== null ? { ...details } : {};
}

export function itemsOf(answer: Answer): readonly unknown[] {
  const { items } = detailsOf(answer);
  if (!Array.isArray(items)) throw new Error(`No items: ${answer.text.slice(0, 500)}`);
  return items;
}

/** Plugins may publish events of kinds of their own, which this type leaves out. */
export const eventsOf = (answer: Answer): readonly RunEvent[] =>
  itemsOf(answer) as readonly RunEvent[];

/** The address of the `next` relation (RFC 8288); null when there is none. */
export function nextLinkOf(answer: Answer): string | null {
  return /<([^>]*)>\s*;\s*rel="?next"?/.exec(answer.headers.get('link') ?? '')?.[1] ?? null;
}

/** All pages of a listing from the first one on, followed through their links. */
export async function followPages(api: Api, first: Answer): Promise<readonly Answer[]> {
  const answers = [first];
  for (let next = nextLinkOf(first); next !== null; ) {
    const { pathname, search } = new URL(next);
    const answer = await api.call('GET', pathname, { query: search.slice(1) });
    answers.push(answer);
    next = nextLinkOf(answer);
  }
  return answers;
}
