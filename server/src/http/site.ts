/** `GET /docs/`: the documentation as a site. `npm run docs` builds it into the package of the server. */
import { join } from 'node:path';
import { OrchestratorError } from '@tutti/manifests';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readOwnFile } from '../runtime/own-files.ts';
import type { Routes } from './routes.ts';
import { filesIn, type SiteFile } from './site-files.ts';

export interface SiteOptions {
  /** The built site. */
  readonly folder?: URL;
  readonly insecureDocs: boolean;
}

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
