/**
 * Serves a report folder to the browser of this machine. Pages of reports need a server: browsers load neither workers nor other files from
 * `file:` addresses. The address has a random word, so that only who was told it can read the report. Pages may load nothing from elsewhere.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { folderPage } from './folder-page.ts';
import type { ReportFolder, StoredFile } from './read-folder.ts';

export interface ServedFolder {
  /** Address of the page that lists all files, with a slash at its end. */
  readonly address: string;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';

/** Only what the folder has: a script of a report reaches no other server, and no other page embeds it. */
const POLICY = [
  "default-src 'self' 'unsafe-inline' 'unsafe-eval' blob: data:",
  "form-action 'none'",
  "frame-ancestors 'self'",
  "object-src 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
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

export async function serveFolder(folder: ReportFolder, title: string): Promise<ServedFolder> {
  const prefix = `/${randomBytes(16).toString('hex')}/`;
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    answer({ folder, title, prefix, host: `${HOST}:${port}` }, request, response).catch(() =>
      response.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, HOST, resolve);
  });
  // The server listens, so this is its address.
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://${HOST}:${port}${prefix}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Served {
  readonly folder: ReportFolder;
  readonly title: string;
  readonly prefix: string;
  readonly host: string;
}

async function answer(
  { folder, title, prefix, host }: Served,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method, headers, url = '' } = request;
  // Another name that leads here is that of a page of somebody else.
  if (headers.host !== host) return refuse(response, 403);
  if (method !== 'GET' && method !== 'HEAD') return refuse(response, 405);
  const path = url.startsWith(prefix) ? pathIn(url.slice(prefix.length)) : null;
  if (path === '') {
    response.writeHead(200, { ...HEADERS, 'content-type': 'text/html; charset=utf-8' });
    response.end(folderPage(folder, `http://${host}${prefix}`, title));
    return;
  }
  const file = path === null ? undefined : folder.files.get(path);
  if (path === null || file === undefined) return refuse(response, 404);
  await send({ folder, file, type: typeOf(path) }, request, response);
}

function pathIn(url: string): string | null {
  try {
    const path = decodeURIComponent(url.replace(/[?#].*/s, ''));
    return path.endsWith('/') ? `${path}index.html` : path;
  } catch {
    return null;
  }
}

function refuse(response: ServerResponse, code: number): void {
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
