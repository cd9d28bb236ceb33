/** `tutti docs`: pages of the documentation, as the program has them. */
import { nearestName } from '@tutti/manifests/documents';
import { readOwnFile } from '@tutti/server/own-files';
import { listPages, PAGES_FOLDER, pageName } from '../resources/own-pages.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';

/** Prints the names of all pages, a page, or the section behind `#`. Resolves with the exit code. */
export async function printDocs(wanted: string | undefined, { screen }: Io): Promise<number> {
  const pages = listPages();
  if (wanted === undefined) {
    const titles = pages.map(
      async (page) => [pageName(page), titleOf(await textOf(page))] as const,
    );
    const rows = await Promise.all(titles);
    const width = Math.max(0, ...rows.map(([page]) => page.length));
    screen.write(rows.map(([page, title]) => `${page.padEnd(width)}  ${title}\n`).join(''));
    return EXIT_CODES.done;
  }
  const [, name = '', anchor] = /^(?:docs\/)?([^#]*?)(?:\.md)?(?:#(.*))?$/s.exec(wanted) ?? [];
  const page = pages.find((each) => each === name || pageName(each) === name);
  if (page === undefined) throw unknown(`page "${name}"`, name, pages.map(pageName), 'tutti docs');
  const text = await textOf(page);
  screen.write(anchor === undefined ? text : sectionOf(text, anchor, pageName(page)));
  return EXIT_CODES.done;
}

const textOf = async (page: string): Promise<string> =>
  String(await readOwnFile(new URL(`${page}.md`, PAGES_FOLDER)));

const titleOf = (text: string): string => /^# (.*)$/m.exec(text)?.[1] ?? '';

interface Heading {
  readonly anchor: string;
  readonly level: number;
  /** From 0. */
  readonly line: number;
}

function sectionOf(text: string, anchor: string, page: string): string {
  const lines = text.split('\n');
  const headings = headingsOf(lines);
  const begin = headings.find((each) => each.anchor === anchor);
  if (begin === undefined) {
    const anchors = headings.map((each) => each.anchor);
    throw unknown(`section "${anchor}" in that page`, anchor, anchors, `tutti docs ${page}`);
  }
  const end = headings.find(({ line, level }) => line > begin.line && level <= begin.level);
  return `${lines.slice(begin.line, end?.line).join('\n').trimEnd()}\n`;
}

/** Anchors are those of links between pages. Comments in code are no headings. */
function headingsOf(lines: readonly string[]): readonly Heading[] {
  let isCode = false;
  return lines.flatMap((text, line) => {
    if (text.startsWith('```')) isCode = !isCode;
    const [, signs = '', title = ''] = (!isCode && /^(#{1,6}) (.*)$/.exec(text)) || [];
    if (signs === '') return [];
    const words = title.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '');
    return [{ anchor: words.replace(/\s/g, '-'), level: signs.length, line }];
  });
}

function unknown(what: string, name: string, names: readonly string[], whole: string): UsageError {
  const near = nearestName(name, names);
  return new UsageError(
    `There is no ${what}.`,
    near === null ? `"${whole}" shows what there is.` : `did you mean "${near}"?`,
  );
}
