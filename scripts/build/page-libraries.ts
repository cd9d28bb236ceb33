/** The libraries whose code is in the page, as its build notes them for a release. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { ROOT } from './bundles.ts';

const NOTE = join(ROOT, 'server/dist/ui-libraries.json');
const FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

/** Notes the libraries of these modules. */
export function writeLibraries(modules: readonly string[]): void {
  const folders = modules.flatMap(
    (id) => FOLDER.exec(relative(ROOT, id.replace(/^\0/, '')).split(sep).join('/')) ?? [],
  );
  writeFileSync(NOTE, JSON.stringify([...new Set(folders)].sort()));
}

/** Their folders from the root of the repository. */
export const librariesOfPage = (): readonly string[] => JSON.parse(readFileSync(NOTE, 'utf8'));
