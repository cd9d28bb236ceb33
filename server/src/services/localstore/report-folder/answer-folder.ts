/** Answers requests for the files of a report folder. Pages may load nothing from elsewhere. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { folderPage } from './folder-page.ts';
import type { ReportFolder, StoredFile } from './read-folder.ts';

/** Only what the folder has: a script of a report reaches no other server, and no other page embeds it. */
const policy = (frames: string): string =>
  [
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' blob: data:",
    "form-action 'none'",
    `frame-ancestors ${frames}`,
    "object-src 'none'",
  ].join('; ');

const HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

const TYPES = new Map(
  Object.entries({
    css: 'text/css; charset=utf-8',
    gif: 'image/gif',
    html: 'text/html; charset=utf-8',
    jpeg: 'image/jpeg',
    jpg: 'image/jpeg',
    js: 'text/javascript; charset=utf-8',
    json: 'application/json',
    log: 'text/plain; charset=utf-8',
    md: 'text/plain; charset=utf-8',
    mjs: 'text/javascript; charset=utf-8',
    mp4: 'video/mp4',
    png: 'image/png',
    svg: 'image/svg+xml',
    ttf: 'font/ttf',
    txt: 'text/plain; charset=utf-8',
    wasm: 'application/wasm',
    webm: 'video/webm',
    webmanifest: 'application/manifest+json',
    webp: 'image/webp',
    woff: 'font/woff',
    woff2: 'font/woff2',
    xml: 'application/xml',
    zip: 'application/zip',
  }),
);

const typeOf = (path: string): string =>
  TYPES.get(path.split('.').at(-1)?.toLowerCase() ?? '') ?? 'application/octet-stream';

export interface AnsweredFolder {
  readonly folder: ReportFolder;
  readonly title: string;
  /** Address of the folder, with a slash at its end. */
  readonly base: string;
  /** Origins whose pages may show it in a frame, as in a policy. */
  readonly frames: string;
}

/** `path` is the address of the request behind `base`. */
export async function answerFolder(
  { folder, title, base, frames }: AnsweredFolder,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method } = request;
  response.setHeader('content-security-policy', policy(frames));
  if (method !== 'GET' && method !== 'HEAD') return refuse(response, 405);
  const name = pathIn(path);
  if (name === '') {
    response.writeHead(200, { ...HEADERS, 'content-type': 'text/html; charset=utf-8' });
    response.end(method === 'HEAD' ? undefined : folderPage(folder, base, title));
    return;
  }
  const file = name === null ? undefined : folder.files.get(name);
  if (name === null || file === undefined) return refuse(response, 404);
  await send({ folder, file, type: typeOf(name) }, request, response);
}

function pathIn(url: string): string | null {
  try {
    const path = decodeURIComponent(url.replace(/[?#].*/s, ''));
    return path.endsWith('/') ? `${path}index.html` : path;
  } catch {
    return null;
  }
}

export function refuse(response: ServerResponse, code: number): void {
  response.writeHead(code, { ...HEADERS, 'content-type': 'text/plain' });
  response.end(`${code}\n`);
}

interface Sent {
  readonly folder: ReportFolder;
  readonly file: StoredFile;
  readonly type: string;
}

/** Videos are read in pieces. */
async function send(
  { folder, file, type }: Sent,
  { method, headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const range = rangeOf(headers.range, file.size);
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  response.writeHead(range === null ? 200 : 206, {
    ...HEADERS,
    'content-type': type,
    'content-length': end - start + 1,
    'accept-ranges': 'bytes',
    ...(range === null ? {} : { 'content-range': `bytes ${start}-${end}/${file.size}` }),
  });
  if (method === 'HEAD' || file.size === 0) return void response.end();
  await pipeline(folder.content(file, start, end), response);
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Null if there is none that can be answered: then the whole file is. */
function rangeOf(header: string | undefined, size: number): Range | null {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return null;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  return start <= end ? { start, end } : null;
}
