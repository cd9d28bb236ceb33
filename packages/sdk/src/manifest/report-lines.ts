/** Lines of scripts around tests: they remove reports of earlier runs before, and attach the new ones afterwards. */
import { type Scope, splitText } from '@tutti/expressions';
import {
  type ChannelOs,
  OrchestratorError,
  type ProviderAttachment,
  REPORT_FOLDER_TYPE,
} from '@tutti/manifests';
import { attachHead, missingReportHead } from '../attach.ts';
import { escapeEcho, quoteCmdPath, quoteSh, WORKSPACE } from '../quoting.ts';
import { renderPlain } from './call-values.ts';
import { attachFolder, removeFolder } from './folder-lines.ts';

/** A piece of a path; wildcards are those that the description has, and none that a value has. */
interface PathPiece {
  readonly text: string;
  readonly isWildcard: boolean;
}

/** A report with the path that it has in this call. */
export interface Report {
  /** Below this folder and all folders in it are the paths of `pieces`; null without `**` in the path. */
  readonly root: readonly PathPiece[] | null;
  readonly pieces: readonly PathPiece[];
  /** Whether all files of a folder are meant, whose path this is. */
  readonly isFolder: boolean;
  /** The path as the log shows it. */
  readonly path: string;
  readonly attachment: ProviderAttachment;
}

export function reportOf(attachment: ProviderAttachment, scope: Scope): Report {
  const pieces = splitText(attachment.path).flatMap((part): readonly PathPiece[] =>
    part.kind === 'expression'
      ? [{ text: renderPlain(`\${{${part.text}}}`, scope), isWildcard: false }]
      : wildcardsOf(part.text),
  );
  const path = pieces.map(({ text }) => text).join('');
  const problem = pathProblem(path);
  if (problem !== null) throw new OrchestratorError('Invalid', `"${path}" ${problem}.`);
  const shown = path.replace(`${WORKSPACE}/`, '');
  if (!isFolderPath(path)) {
    return { ...splitAtFolders(pieces), isFolder: false, path: shown, attachment };
  }
  return { root: null, pieces: withoutEnd(pieces), isFolder: true, path: shown, attachment };
}

export const isFolderPath = (path: string): boolean => /[\\/]$/.test(path);

/** Without the separator that says that it is a folder. */
function withoutEnd(pieces: readonly PathPiece[]): readonly PathPiece[] {
  const text = pieces.map((piece) => piece.text).join('');
  return [{ text: text.replace(/[\\/]+$/, ''), isWildcard: false }];
}

/** The part of a path that stands for any folders, with the separator behind it. */
const ANY_FOLDERS = /^\*\*[\\/]$/;

const wildcardsOf = (text: string): readonly PathPiece[] =>
  (text.match(/\*\*[\\/]|[*?]|[^*?]+/g) ?? []).map((piece) => ({
    text: piece,
    isWildcard: /^[*?]$/.test(piece) || ANY_FOLDERS.test(piece),
  }));

function splitAtFolders(pieces: readonly PathPiece[]): Pick<Report, 'root' | 'pieces'> {
  const at = pieces.findIndex(({ text, isWildcard }) => isWildcard && ANY_FOLDERS.test(text));
  if (at === -1) return { root: null, pieces };
  const root = pieces.slice(0, at).filter(({ text }) => text !== '');
  const here = { text: './', isWildcard: false };
  return { root: root.length === 0 ? [here] : root, pieces: pieces.slice(at + 1) };
}

/** Reports are removed before the tests, so none may be anywhere else than below the working directory. */
export function pathProblem(path: string): string | null {
  const parts = path.split(/[\\/]/);
  if (/^(?:[\\/]|[a-z]:)/i.test(path) || parts.includes('..')) {
    return 'leads out of the working directory';
  }
  if (/[\0\r\n]/.test(path)) return 'is no path';
  if (!isFolderPath(path)) return parts.at(-1) === '.' ? 'is a directory, not a file' : null;
  // A folder is removed before the tests, and the sources are in these.
  const isEverything = parts.every((part) => part === '' || part === '.' || part === WORKSPACE);
  if (isEverything) return 'is the directory of the sources';
  return /[*?]/.test(path) ? 'is a folder, which can be no pattern' : null;
}

export function removeReports(os: ChannelOs, reports: readonly Report[]): readonly string[] {
  if (os === 'windows') return reports.map(removeWindows);
  const here = reports.filter(({ root, isFolder }) => root === null && !isFolder);
  const folders = reports.filter(({ isFolder }) => isFolder);
  const below = reports.filter(({ root }) => root !== null);
  return [
    ...(here.length === 0 ? [] : [`rm -f -- ${here.map(unixPath).join(' ')}`]),
    ...below.flatMap((report) => eachUnix(report, 'rm -f -- "$tutti_report"')),
    ...folders.map((report) => removeFolder(os, unixPath(report))),
  ];
}

function removeWindows(report: Report): string {
  if (report.isFolder) return removeFolder('windows', windowsPath(report.pieces));
  const { folders, path } = windowsSearch(report);
  return `@${folders}if exist ${path} del /q ${path}`;
}

export function attachReports(os: ChannelOs, reports: readonly Report[]): readonly string[] {
  return reports.flatMap(os === 'windows' ? attachWindows : attachUnix);
}

/** The workflow command up to the path, which the shell adds. */
function headOf({ isFolder, attachment: { type: given, name } }: Report): string {
  const type = isFolder ? REPORT_FOLDER_TYPE : given;
  return attachHead({
    ...(type === undefined ? {} : { type }),
    ...(name === undefined ? {} : { name }),
  });
}

function attachUnix(report: Report): readonly string[] {
  const [first] = report.root ?? report.pieces;
  const isAbsolute = first?.text.startsWith(WORKSPACE) === true;
  const directory = isAbsolute ? '' : '$PWD/';
  if (report.isFolder) {
    const head = quoteSh(headOf(report));
    const absence = absenceOf(report).map(quoteSh);
    const folder = unixPath(report);
    return attachFolder('linux', { folder, head, directory, shown: report.path, absence });
  }
  const command = `echo ${quoteSh(headOf(report))}"${directory}$tutti_report"`;
  return [
    'tutti_found=',
    ...eachUnix(report, `tutti_found=1; ${command}`),
    ...absenceOf(report).map((line) => `[ -n "$tutti_found" ] || echo ${quoteSh(line)}`),
  ];
}

/** Folders are listed, since the bash of macOS has no pattern for any of them. */
function eachUnix(report: Report, command: string): readonly string[] {
  const { root } = report;
  const inFolder = root === null ? '' : '"$tutti_folder"/';
  const loop = [
    `for tutti_report in ${inFolder}${unixPath(report)}; do`,
    `  if [ -f "$tutti_report" ]; then ${command}; fi`,
    'done',
  ];
  if (root === null) return loop;
  const start = unixWord(root).replace(/\/$/, '');
  return [
    "while IFS= read -r -d '' tutti_folder; do",
    ...loop,
    `done < <(find ${start} -type d -print0 2>/dev/null | LC_ALL=C sort -z)`,
  ];
}

function attachWindows(report: Report): readonly string[] {
  if (report.isFolder) {
    const head = escapeEcho(headOf(report));
    const absence = absenceOf(report).map(escapeEcho);
    const folder = windowsPath(report.pieces);
    return attachFolder('windows', { folder, head, directory: '', shown: report.path, absence });
  }
  const { folders, path } = windowsSearch(report);
  const attach = `@${folders}for %%F in (${path}) do @if exist "%%~fF" echo ${escapeEcho(headOf(report))}%%~fF`;
  const absence = absenceOf(report).map((line) => `echo ${escapeEcho(line)}`);
  if (absence.length === 0) return [attach];
  if (folders === '') return [attach, ...absence.map((line) => `@if not exist ${path} ${line}`)];
  return [
    attach,
    '@set "TUTTI_FOUND="',
    `@${folders}if exist ${path} set "TUTTI_FOUND=1"`,
    ...absence.map((line) => `@if not defined TUTTI_FOUND ${line}`),
  ];
}

interface WindowsSearch {
  /** The `for` command that goes through folders, before the command for each of them. */
  readonly folders: string;
  /** Path of the report in each of these folders. */
  readonly path: string;
}

function windowsSearch({ root, pieces }: Report): WindowsSearch {
  if (root === null) return { folders: '', path: windowsPath(pieces) };
  const start = windowsPath(root).replace(/\\"$/, '"');
  const all = `for /r ${start} %%D in (.) do @`;
  const path = windowsPath([FOUND, ...pieces]);
  // Only the last part of what cmd looks for can have wildcards. So each folder with wildcards is one more loop.
  const [, folder, rest] = /^"([^*?]*[*?][^\\]*)(\\.+)"$/.exec(path) ?? [];
  if (folder === undefined || rest === undefined) return { folders: all, path };
  return { folders: `${all}for /d %%E in ("${folder}") do @`, path: `"%%E${rest}"` };
}

const FOUND: PathPiece = { text: '%%D\\', isWildcard: true };

/** Output for a missing report: a warning for the log, and a line by which the run counts it. */
function absenceOf({ path, attachment }: Report): readonly string[] {
  if (attachment.optional === true) return [];
  const head = missingReportHead(attachment.type);
  return [
    `::warning::There is no report ${path} to attach.`,
    ...(head === null ? [] : [`${head}${path}`]),
  ];
}

function unixPath({ root, pieces }: Report): string {
  return root === null ? unixWord(pieces) : wordOf(pieces);
}

function unixWord(pieces: readonly PathPiece[]): string {
  const path = pieces.map(({ text }) => text).join('');
  return (path.startsWith('-') ? './' : '') + wordOf(pieces);
}

const wordOf = (pieces: readonly PathPiece[]): string =>
  pieces.map((piece) => (piece.isWildcard ? piece.text : quoteSh(piece.text))).join('');

/** In cmd a wildcard works within quotes, so a value must have none. */
function windowsPath(pieces: readonly PathPiece[]): string {
  const quoted = pieces.map((piece) =>
    piece.isWildcard || piece.text === '' ? piece.text : quoteCmdPath(piece.text).slice(1, -1),
  );
  return `"${quoted.join('')}"`;
}
