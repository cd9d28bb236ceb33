/** A request whose answer stays open: what it got so far, and how it ended. */
import { request } from 'node:http';

export interface OpenStream {
  readonly text: string;
  /** The status code, once there is one. */
  readonly code: number | null;
  readonly isOver: boolean;
  close(): void;
}

export function openStream(
  url: string,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): OpenStream {
  const seen = { text: '', code: null as number | null, isOver: false };
  const end = () => {
    seen.isOver = true;
  };
  const all = { authorization: `Bearer ${token}`, ...headers };
  const asked = request(url, { headers: all }, (answer) => {
    seen.code = answer.statusCode ?? null;
    answer.setEncoding('utf8').on('data', (piece: string) => {
      seen.text += piece;
    });
    answer.on('error', end).on('close', end);
  });
  asked.on('error', end).end();
  return Object.assign(seen, { close: () => asked.destroy() });
}
