/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: scripts of shells, and expressions. */
/**
 * Files that a step finds by patterns on its environment: `*` and `?` within a name, `**` for any folders. They are found by one walk
 * and regular expressions, since shells differ in what their own patterns are.
 */
import { type ChannelOs, OrchestratorError } from '@tutti/manifests';
import { quoteSh } from '@tutti/sdk';
import { powerShell } from './powershell-line.ts';

/** Patterns of one step. */
const PATTERNS_MAX = 64;
/** Depth that `find` takes for no bound. */
const ANY_DEPTH = 1000;
/** Matches no path. */
const NOTHING = '^$';

export interface PatternMeaning {
  /** Whether a folder that matches stands for all files in it. */
  readonly foldersCount: boolean;
  /** Whether wildcards and folders stand for names that begin with a dot, too. */
  readonly hiddenCount: boolean;
}

export interface FilePatterns {
  /** Folders, or files, to begin the walk at; none of them in another one. */
  readonly bases: readonly string[];
  /** The folder of all files, without a separator at its end. A file itself where there is one path without wildcards. */
  readonly root: string;
  /** Regular expressions of whole paths, as bash and .NET read them. */
  readonly wanted: string;
  readonly unwanted: string;
  readonly depth: number;
}

/** `given`: a pattern, several in lines, or a list; those after `!` leave out. Throws `Invalid`. */
export function readPatterns(
  os: ChannelOs,
  input: string,
  given: unknown,
  meaning: PatternMeaning,
): FilePatterns {
  const texts = textsOf(input, given);
  const wanted = texts.filter((text) => !text.startsWith('!'));
  if (wanted.length === 0) throw invalid(input, 'there is no pattern of what is wanted');
  const patterns = wanted.map((text) => readPattern(os, input, text, meaning));
  const without = { foldersCount: true, hiddenCount: true };
  const excluded = texts
    .filter((text) => text.startsWith('!'))
    .map((text) => readPattern(os, input, text.slice(1), without));
  const bases = outermost(patterns.map(({ base }) => base));
  return {
    bases: bases.map(pathOf),
    root: commonStart(patterns.map(({ base }) => base)).join('/'),
    wanted: eitherOf(patterns),
    unwanted: excluded.length === 0 ? NOTHING : eitherOf(excluded),
    depth: Math.max(...patterns.map((pattern) => depthOf(pattern, bases))),
  };
}

const depthOf = ({ base, length }: Pattern, bases: readonly (readonly string[])[]): number => {
  const outer = bases.find((each) => isWithin(base, each)) ?? base;
  return length === null ? ANY_DEPTH : length - outer.length;
};

function textsOf(input: string, given: unknown): readonly string[] {
  const items: readonly unknown[] = Array.isArray(given) ? given : String(given).split(/\r?\n/);
  const texts = items.map((item) => (typeof item === 'string' ? item.trim() : ''));
  const said = texts.filter((text) => text !== '' && text !== '!');
  if (Array.isArray(given) && said.length < texts.length) {
    throw invalid(input, 'a list of patterns has texts, and none of them is empty');
  }
  if (said.length > PATTERNS_MAX)
    throw invalid(input, `there are more than ${PATTERNS_MAX} patterns`);
  return said;
}

/** The first part of a path is `.`, nothing (the root), or a drive. */
interface Pattern {
  readonly base: readonly string[];
  readonly expression: string;
  /** Number of parts in the paths that it matches; null where that may be any. */
  readonly length: number | null;
}

function readPattern(os: ChannelOs, input: string, text: string, meaning: PatternMeaning): Pattern {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused.
  const forbidden = os === 'windows' ? /[\x00-\x1f"<>|]/ : /[\x00\r\n]/;
  if (forbidden.test(text)) throw invalid(input, `${JSON.stringify(text)} is no path`);
  const parts = partsOf(os === 'windows' ? text.replaceAll('\\', '/') : text, os);
  const first = parts.findIndex(hasWildcard);
  if (first !== -1 && parts.slice(first).includes('..')) {
    throw invalid(input, `"${text}" has ".." after a wildcard`);
  }
  const isOpen = meaning.foldersCount || parts.includes('**');
  const below = meaning.foldersCount ? `(/${anyName(meaning)})*` : '';
  return {
    base: first === -1 ? parts : parts.slice(0, first),
    expression: expressionOf(parts, meaning) + below,
    length: isOpen ? null : parts.length,
  };
}

function partsOf(text: string, os: ChannelOs): readonly string[] {
  const parts = text.split('/').filter((part, index) => index === 0 || !/^\.?$/.test(part));
  const [start = ''] = parts;
  const isRooted = start === '' || start === '.' || (os === 'windows' && /^[a-z]:$/i.test(start));
  return isRooted ? parts : ['.', ...parts];
}

const hasWildcard = (part: string): boolean => /[*?]/.test(part);

const anyName = ({ hiddenCount }: PatternMeaning): string => (hiddenCount ? '[^/]+' : '[^/.][^/]*');

function expressionOf(parts: readonly string[], meaning: PatternMeaning): string {
  return parts
    .map((part, index) => {
      if (part === '**') return `(/${anyName(meaning)})*`;
      return `${index === 0 ? '' : '/'}${nameExpression(part, meaning)}`;
    })
    .join('');
}

function nameExpression(part: string, { hiddenCount }: PatternMeaning): string {
  const pieces = part.match(/\*+|\?|[^*?]+/g) ?? [];
  return pieces
    .map((piece, index) => {
      const isVisible = index === 0 && !hiddenCount;
      if (piece === '?') return isVisible ? '[^/.]' : '[^/]';
      if (piece.startsWith('*')) return isVisible ? '([^/.][^/]*)?' : '[^/]*';
      return piece.replace(/[.[\]{}()*+?^$|\\]/g, '\\$&');
    })
    .join('');
}

const eitherOf = (patterns: readonly Pattern[]): string =>
  `^(${patterns.map(({ expression }) => expression).join('|')})$`;

const pathOf = (parts: readonly string[]): string => {
  const path = parts.join('/');
  return parts.length === 1 && path !== '.' ? `${path}/` : path;
};

const isWithin = (inner: readonly string[], outer: readonly string[]): boolean =>
  outer.every((part, index) => inner[index] === part) && !inner.slice(outer.length).includes('..');

function outermost(bases: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return bases.filter(
    (base, index) =>
      !bases.some(
        (other, at) =>
          at !== index && isWithin(base, other) && (at < index || !isWithin(other, base)),
      ),
  );
}

function commonStart([first = [], ...rest]: readonly (readonly string[])[]): readonly string[] {
  const end = first.findIndex((part, index) => rest.some((other) => other[index] !== part));
  return end === -1 ? first : first.slice(0, end);
}

/** Lines for bash, also the old one of macOS; they leave the files, sorted, in `tutti_files`. */
export function findUnix({ bases, wanted, unwanted, depth }: FilePatterns): readonly string[] {
  return [
    'tutti_files=()',
    'tutti_bases=()',
    `for tutti_base in ${bases.map(quoteSh).join(' ')}; do`,
    '  if [ -e "$tutti_base" ]; then tutti_bases+=("$tutti_base"); fi',
    'done',
    `tutti_wanted=${quoteSh(wanted)}`,
    `tutti_unwanted=${quoteSh(unwanted)}`,
    'if [ "${#tutti_bases[@]}" -gt 0 ]; then',
    "  while IFS= read -r -d '' tutti_file; do",
    '    if [[ $tutti_file =~ $tutti_wanted && ! $tutti_file =~ $tutti_unwanted && -f $tutti_file ]]; then',
    // The rest of such a name would be a line of its own in the output.
    "      if [[ $tutti_file == *$'\\n'* ]]; then",
    "        echo '::warning::A file whose name has a line break was left out.'",
    '      else',
    '        tutti_files+=("$tutti_file")',
    '      fi',
    '    fi',
    `  done < <(find -H "\${tutti_bases[@]}" -maxdepth ${depth} '(' -type f -o -type l ')' -print0 | LC_ALL=C sort -z)`,
    'fi',
  ];
}

/** A command for the absolute path of each of them, as `tutti_path`. */
export function eachUnix(command: string): readonly string[] {
  return [
    'for tutti_file in "${tutti_files[@]}"; do',
    '  case $tutti_file in',
    '    /*) tutti_path=$tutti_file ;;',
    '    *) tutti_path=$PWD/${tutti_file#./} ;;',
    '  esac',
    `  ${command}`,
    'done',
  ];
}

/**
 * Lines for cmd, which has no such patterns: PowerShell is on every Windows. `then` acts on `$files`: each has its `Path` as the patterns
 * mean it, and its `Full` path. It has no double quotes, and reads values from outside out of `variables`.
 */
export function findWindows(
  { bases, wanted, unwanted, depth }: FilePatterns,
  then: string,
  variables: Readonly<Record<string, string>> = {},
): readonly string[] {
  const entries = { TUTTI_BASES: bases.join('|'), TUTTI_WANTED: wanted, TUTTI_UNWANTED: unwanted };
  return powerShell(`${FIND.replace('DEPTH', String(depth))}; ${then}`, {
    ...entries,
    ...variables,
  });
}

const FIND = [
  "$files=@(foreach($base in $env:TUTTI_BASES.Split('|')){",
  'if(Test-Path -LiteralPath $base){',
  '$item=Get-Item -LiteralPath $base -Force;',
  "$from=$item.FullName.TrimEnd('\\');",
  "$start=$base.TrimEnd('/');",
  '$(if($item.PSIsContainer){Get-ChildItem -LiteralPath $item.FullName -Recurse -Depth DEPTH -File -Force}else{$item}) |',
  'Sort-Object FullName | ForEach-Object {',
  "$path=$start+$_.FullName.Substring($from.Length).Replace('\\','/');",
  'if($path -match $env:TUTTI_WANTED -and $path -notmatch $env:TUTTI_UNWANTED){',
  'New-Object psobject -Property @{Path=$path;Full=$_.FullName}}}}})',
].join(' ');

function invalid(input: string, why: string): OrchestratorError {
  return new OrchestratorError('Invalid', `Input "${input}": ${why}.`);
}
