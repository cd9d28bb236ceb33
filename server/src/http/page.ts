/** `GET /ui/`: the files of the page, as the build writes them. Any other path shows the page, which reads its address. */
import { createHash } from 'node:crypto';
import { OrchestratorError } from '@tutti/manifests';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { listOwnFiles, readOwnFile } from '../runtime/own-files.ts';
import { requestUrl } from './request-url.ts';
import { filesIn, type SiteFile } from './site-files.ts';

const BUILT = new URL('../../dist/ui/', import.meta.url);
const NOT_BUILT =
  'The page is not built. What to do: run "npm ci" in the folder of Tutti, then ask again.';

/** Scripts and styles are files of the page, and nothing makes code of a text. The policy `tutti` names the script of a worker. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "frame-src 'self'",
  "worker-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types tutti',
].join('; ');

/** The name of a file in `assets/` has the hash of its content. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** Forms of a file that the build has written, the smallest first, with the ends of their names. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Resolves with the handler. A page that is built while the server runs is there with the next request. */
export function openPage(folder: URL = BUILT) {
  const place = new URL('index.html', folder);
  let files: ReadonlyMap<string, SiteFile> = new Map();
  let names: ReadonlySet<string> = new Set();
  let loaded = '';

  /** The text of the page. The list of its files follows each build. */
  async function load(): Promise<string> {
    const text = await readOwnFile(place).then(String, () => '');
    if (text !== loaded) {
      files = await filesIn(folder);
      names = new Set(listOwnFiles(folder));
      loaded = text;
    }
    return text;
  }

  async function sendFile(
    { path, file }: { readonly path: string; readonly file: SiteFile },
    request: FastifyRequest,
    reply: FastifyReply,
  ) {
    reply.headers({
      ETag: file.etag,
      'Cache-Control': path.startsWith('assets/') ? FOR_EVER : 'no-cache',
      Vary: 'Accept-Encoding',
    });
    if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
    const accepted = acceptedEncodings(request);
    const form = ENCODINGS.find(([name, end]) => accepted.has(name) && names.has(path + end));
    if (form !== undefined) reply.header('Content-Encoding', form[0]);
    const place = form === undefined ? file.place : new URL(path + form[1], folder);
    return reply.type(file.type).send(await readOwnFile(place));
  }

  return async (request: FastifyRequest, reply: FastifyReply) => {
    const text = await load();
    if (text === '') throw new OrchestratorError('NotFound', NOT_BUILT);
    const path = (request.params as { readonly '*'?: string })['*'] ?? '';
    const file = path === 'index.html' ? undefined : files.get(path);
    if (file !== undefined) return await sendFile({ path, file }, request, reply);
    // A page that is older than the server asks for files that are gone.
    if (path.startsWith('assets/')) throw new OrchestratorError('NotFound', 'No such file.');
    const page = text.replace('<base href="/ui/"', `<base href="${baseOf(request)}"`);
    const etag = `"${createHash('sha256').update(page).digest('base64url').slice(0, 22)}"`;
    reply.headers({
      ETag: etag,
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': POLICY,
      'X-Frame-Options': 'DENY',
    });
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.type('text/html; charset=utf-8').send(page);
  };
}

function acceptedEncodings(request: FastifyRequest): ReadonlySet<string> {
  const header = request.headers['accept-encoding'];
  const names = String(header ?? '').split(',', 20);
  return new Set(names.filter((each) => !/;\s*q=0(?:\.0*)?\s*$/.test(each)).map(nameIn));
}

const nameIn = (choice: string): string => (choice.split(';')[0] ?? '').trim().toLowerCase();

/** The path of the page for its client, with the prefixes of proxies and services. */
function baseOf(request: FastifyRequest): string {
  const { pathname } = requestUrl(request);
  const [own = ''] = (request.raw.url ?? '').split('?');
  const prefix = pathname.slice(0, pathname.length - own.replace(/\/{2,}/g, '/').length);
  return `${prefix.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}/ui/`;
}
