/** Requests as browsers send them for pages. */
import { request } from 'node:http';
import type { Loose } from './api.ts';

/** Headers of a request that changes something, of a page of that server. */
export const pageHeaders = (url: string): Readonly<Record<string, string>> => ({
  'sec-fetch-site': 'same-origin',
  origin: url,
  'tutti-session': '1',
});

export interface PageAnswer {
  readonly code: number;
  readonly cookie: string | null;
  readonly text: string;
}

/** Any header may be set, `host` too. */
export function askAs(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<PageAnswer> {
  return new Promise((resolve, reject) => {
    const asked = request(
      url,
      { method, headers: { 'content-length': '0', ...headers } },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        answer.on('end', () => {
          const [set = null] = answer.headers['set-cookie'] ?? [];
          resolve({ code: answer.statusCode ?? 0, cookie: set, text });
        });
      },
    );
    asked.on('error', reject).end();
  });
}

/** Signs in, and resolves with the `Cookie` header that a browser sends from then on. */
export async function signIn(url: string, credentials: Readonly<Record<string, string>>) {
  const answer = await askAs('POST', `${url}/ui/session`, { ...pageHeaders(url), ...credentials });
  if (answer.code !== 201) throw new Error(`Signing in: ${answer.code} ${answer.text}`);
  return answer.cookie?.split(';')[0] ?? '';
}

export const detailsIn = ({ text }: PageAnswer): Loose => JSON.parse(text).details;
