/** Pages of the documentation, as the program has them. */
import { listOwnFiles } from '@tutti/server/own-files';

export const PAGES_FOLDER = new URL('../../../docs/', import.meta.url);
const INDEX = '/README';

/** Paths of all pages in the folder, without their suffix. */
export const listPages = (): readonly string[] =>
  listOwnFiles(PAGES_FOLDER)
    .filter((path) => path.endsWith('.md'))
    .map((path) => path.slice(0, -'.md'.length));

/** The name of a page for people. The first page of a folder has the folder's. */
export const pageName = (path: string): string =>
  path.endsWith(INDEX) ? path.slice(0, -INDEX.length) : path;
