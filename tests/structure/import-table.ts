/** The table "Who may import whom" of ARCHITECTURE.md, read and applied. */
import { posix } from 'node:path';

export interface ImportRule {
  /**
   * A folder or a file. A last `*` stands for each folder below, which is then a part of its own. A last `*.ts` for the files right in the
   * folder, which are one part.
   */
  readonly part: string;
  /** Prefixes of paths. */
  readonly allowed: readonly string[];
}

const PARTS_OF_SERVER = ['runtime', 'store', 'blobs', 'bus', 'auth', 'http', 'services', 'plugins'];
const PROGRAMS = ['server', 'agent', 'cli'];

/** Reads the table out of the page; throws naming a cell that is not understood. */
export function parseImportTable(page: string, packages: readonly string[]): readonly ImportRule[] {
  const [, section = ''] =
    /^## Who may import whom$([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(page) ?? [];
  const rows = section.split('\n').filter((line) => /^\|\s*`/.test(line));
  if (rows.length === 0) throw new Error('ARCHITECTURE.md has no table "Who may import whom".');
  return rows.flatMap((row) => {
    const [, parts = '', words = ''] = row.split('|');
    const allowed = allowedPaths(words, packages);
    return [...parts.matchAll(/`([^`]+)`/g)].map(([, part = '']) => ({ part, allowed }));
  });
}

/** Drops the text after a semicolon: it only repeats that parts named by `*` do not know each other. */
function allowedPaths(cell: string, packages: readonly string[]): readonly string[] {
  const [list = ''] = cell.split(';');
  const words = list.split(/,|\band\b/).map((word) => word.trim());
  return words.filter((word) => word !== '').flatMap((word) => pathsOf(word, packages));
}

function pathsOf(word: string, packages: readonly string[]): readonly string[] {
  if (word === 'nothing of ours') return [];
  if (word === 'packages') return packages.map((name) => `packages/${name}/`);
  const [, folder] = /^everything in `([^`]+)`$/.exec(word) ?? [];
  if (folder !== undefined) return [`${folder}/`];
  if (packages.includes(word)) return [`packages/${word}/`];
  if (PARTS_OF_SERVER.includes(word)) return [`server/src/${word}/`];
  if (PROGRAMS.includes(word)) return [`${word}/`];
  throw new Error(`ARCHITECTURE.md, "Who may import whom": "${word}" is no part that is known.`);
}

/** The part that a file belongs to, with the rule for it. Null when the table does not speak of it. */
export function partOf(
  path: string,
  rules: readonly ImportRule[],
): { readonly part: string; readonly rule: ImportRule } | null {
  const found = rules
    .map((rule) => ({ rule, part: matchPart(path, rule.part) }))
    .filter((match): match is { rule: ImportRule; part: string } => match.part !== null)
    .sort((left, right) => right.part.length - left.part.length);
  return found[0] ?? null;
}

function matchPart(path: string, part: string): string | null {
  if (part.endsWith('/*.ts')) {
    return posix.dirname(path) === posix.dirname(part) ? part : null;
  }
  if (!part.endsWith('/*')) {
    return path === part || path.startsWith(`${part}/`) ? part : null;
  }
  const parent = part.slice(0, -1);
  const [child, ...rest] = path.startsWith(parent) ? path.slice(parent.length).split('/') : [];
  return child !== undefined && rest.length > 0 ? parent + child : null;
}

/** Why a file may not import another; null when it may. Paths from the root of the repository. */
export function importProblem(
  importer: string,
  imported: string,
  rules: readonly ImportRule[],
): string | null {
  const owner = partOf(importer, rules);
  if (owner === null) return `${importer}: ARCHITECTURE.md has no row for it`;
  const target = partOf(imported, rules);
  if (target?.part === owner.part) return null;
  return owner.rule.allowed.some((prefix) => imported.startsWith(prefix))
    ? null
    : `${importer}: ${owner.part} may not import ${target?.part ?? imported} (${imported})`;
}
