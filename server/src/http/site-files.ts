/** The files of a site that the server has: the documentation, and the page. */
import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { listOwnFiles, readOwnFile } from '../runtime/own-files.ts';

/** A file of a site. */
export interface SiteFile {
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

/** By their paths below the folder: what a request names is looked up, and never becomes a path. */
export async function filesIn(folder: URL): Promise<ReadonlyMap<string, SiteFile>> {
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
