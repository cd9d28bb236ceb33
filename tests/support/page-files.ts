/** The files of the built page, and their bytes as a browser loads them. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../structure/source-files.ts';

const PAGE = join(ROOT, 'server/dist/ui');

export interface PageFiles {
  /** Files that the page names: a browser loads them before it shows something. */
  readonly first: readonly string[];
  /** Files of further pages. */
  readonly further: readonly string[];
  /** The check of workflows: it runs beside its page. */
  readonly checks: readonly string[];
}

export function readPageFiles(): PageFiles {
  const names = readdirSync(join(PAGE, 'assets')).filter((name) => !/\.(?:br|gz)$/.test(name));
  const index = readFileSync(join(PAGE, 'index.html'), 'utf8');
  const first = [...index.matchAll(/assets\/([^"]+)"/g)].map(([, name = '']) => name);
  const others = names.filter((name) => !first.includes(name));
  const isCheck = (name: string) => name.startsWith('check-worker-');
  return {
    first,
    further: others.filter((name) => !isCheck(name)),
    checks: others.filter(isCheck),
  };
}

/** Bytes of all of these files, compressed with gzip where the server has that form. */
export const bytesOf = (names: readonly string[]): number =>
  names.reduce((sum, name) => {
    const file = join(PAGE, 'assets', name);
    return sum + (statSync(`${file}.gz`, { throwIfNoEntry: false })?.size ?? statSync(file).size);
  }, 0);
