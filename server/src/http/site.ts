/** `GET /docs/`: the documentation as a site. `npm run docs` builds it into the package of the server. */
import { createHash } from 'node:crypto';
import { extname, join } from 'node:path';
import { OrchestratorError } from '@tutti/manifests';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { listOwnFiles, readOwnFile } from '../runtime/own-files.ts';
import type { Routes } from './routes.ts';

export interface SiteOptions {
  /** The built site. */
  readonly folder?: URL;
  readonly insecureDocs: boolean;
}

interface SiteFile {
  readonly place: URL;
  readonly type: string;
  readonly etag: string;
}

/** Other files are not part of the site. */
const TYPES = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json; charset=utf-8'],
  ['.png', 'image/png'],
  ['.svg', 'image/svg+xml'],
  ['.yml', 'application/yaml; charset=utf-8'],
]);

/** Scripts are files of the site. Code is coloured by attributes of its words. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src-elem 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const SITE = new URL('../../dist/docs/', import.meta.url);
const NOT_BUILT =
  'The documentation is not built. What to do: run "npm run docs" in the folder of Tutti, then ask again.';

/** A browser sends no token, and the site tells nothing of this installation: `insecureDocs` opens it. */
export function siteRoutes({ folder = SITE, insecureDocs }: SiteOptions): Routes {
  const config = { ...(insecureDocs && { access: 'none' as const }), anywhere: true };
  let files: ReadonlyMap<string, SiteFile> = new Map();
  const answer = async (path: string, request: FastifyRequest, reply: FastifyReply) => {
    // A site that is built while the server runs is there with the next request.
    if (files.size === 0) files = await filesIn(folder);
    if (files.size === 0) throw new OrchestratorError('NotFound', NOT_BUILT);
    const file = files.get(path) ?? files.get(join(path, 'index.html'));
    if (file === undefined) {
      throw new OrchestratorError('NotFound', 'The documentation has no such page.');
    }
    reply.headers({
      ETag: file.etag,
      // The names of assets have the hash of their content.
      'Cache-Control': path.startsWith('assets/') ? 'private, max-age=31536000' : 'no-cache',
      'Content-Security-Policy': POLICY,
    });
    if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
    return reply.type(file.type).send(await readOwnFile(file.place));
  };
  return (app) => {
    app.get('/docs', { config }, (request, reply) => answer('', request, reply));
    app.get<{ Params: { '*': string } }>('/docs/*', { config }, (request, reply) =>
      answer(request.params['*'], request, reply),
    );
  };
}

/** By their paths below the folder: what a request names is looked up, and never becomes a path. */
async function filesIn(folder: URL): Promise<ReadonlyMap<string, SiteFile>> {
  const files = listOwnFiles(folder).flatMap((path) => {
    const type = TYPES.get(extname(path));
    return type === undefined ? [] : [{ path, type, place: new URL(path, folder) }];
  });
  const found = files.map(async ({ path, type, place }) => {
    const hash = createHash('sha256').update(await readOwnFile(place));
    return [path, { place, type, etag: `"${hash.digest('base64url').slice(0, 22)}"` }] as const;
  });
  return new Map(await Promise.all(found));
}
