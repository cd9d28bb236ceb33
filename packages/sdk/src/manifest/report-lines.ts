/** Lines of scripts around tests: reports of earlier runs are removed before, and those that are there afterwards attached. */
import { type Scope, splitText } from '@tutti/expressions';
import { type ChannelOs, OrchestratorError, type ProviderAttachment } from '@tutti/manifests';
import { attachHead } from '../attach.ts';
import { escapeEcho, quoteCmdPath, quoteSh } from '../quoting.ts';
import { renderPlain } from './call-values.ts';

/** A piece of a path; wildcards are those that the description has, and none that a value has. */
interface PathPiece {
  readonly text: string;
  readonly isWildcard: boolean;
}

/** A report with the path that it has in this call. */
export interface Report {
  readonly pieces: readonly PathPiece[];
  /** As readers know it. */
  readonly path: string;
  readonly isPattern: boolean;
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
  return { pieces, path, isPattern: pieces.some(({ isWildcard }) => isWildcard), attachment };
}

const wildcardsOf = (text: string): readonly PathPiece[] =>
  (text.match(/[*?]|[^*?]+/g) ?? []).map((piece) => ({
    text: piece,
    isWildcard: /^[*?]$/.test(piece),
  }));

/** Reports are removed before the tests, so none may be anywhere else than below the working directory. */
export function pathProblem(path: string): string | null {
  const parts = path.split(/[\\/]/);
  if (/^(?:[\\/]|[a-z]:)/i.test(path) || parts.includes('..')) {
    return 'leads out of the working directory';
  }
  if (/[\0\r\n]/.test(path)) return 'is no path';
  return parts.at(-1) === '' || parts.at(-1) === '.' ? 'is a directory, not a file' : null;
}

export function removeReports(os: ChannelOs, reports: readonly Report[]): readonly string[] {
  if (os !== 'windows') return [`rm -f -- ${reports.map(unixPath).join(' ')}`];
  return reports.map(windowsPath).map((path) => `@if exist ${path} del /q ${path}`);
}

export function attachReports(os: ChannelOs, reports: readonly Report[]): readonly string[] {
  return reports.flatMap(os === 'windows' ? attachWindows : attachUnix);
}

/** The workflow command up to the path, which the shell adds. */
const headOf = ({ attachment: { type, name } }: Report): string =>
  attachHead({ ...(type === undefined ? {} : { type }), ...(name === undefined ? {} : { name }) });

function attachUnix(report: Report): readonly string[] {
  const command = `echo ${quoteSh(headOf(report))}"$PWD/$tutti_report"`;
  return [
    'tutti_found=',
    `for tutti_report in ${unixPath(report)}; do`,
    `  if [ -f "$tutti_report" ]; then tutti_found=1; ${command}; fi`,
    'done',
    ...(report.attachment.optional === true
      ? []
      : [`[ -n "$tutti_found" ] || echo ${quoteSh(warningOf(report))}`]),
  ];
}

function attachWindows(report: Report): readonly string[] {
  const path = windowsPath(report);
  const head = escapeEcho(headOf(report));
  const warning = `@if not exist ${path} echo ${escapeEcho(warningOf(report))}`;
  return [
    `@for %%F in (${path}) do @if exist "%%~fF" echo ${head}%%~fF`,
    ...(report.attachment.optional === true ? [] : [warning]),
  ];
}

const warningOf = ({ path }: Report): string => `::warning::There is no report ${path} to attach.`;

function unixPath({ pieces, path }: Report): string {
  const start = path.startsWith('-') ? './' : '';
  return (
    start + pieces.map((piece) => (piece.isWildcard ? piece.text : quoteSh(piece.text))).join('')
  );
}

/** In cmd a wildcard works within quotes, so a value must have none. */
function windowsPath({ pieces }: Report): string {
  const quoted = pieces.map((piece) =>
    piece.isWildcard || piece.text === '' ? piece.text : quoteCmdPath(piece.text).slice(1, -1),
  );
  return `"${quoted.join('')}"`;
}
