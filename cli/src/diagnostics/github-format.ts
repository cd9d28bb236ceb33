/** Problems as lines that GitHub shows at the changed files: `::error file=..,line=..,col=..::message`. */
import type { WorkflowDiagnostic } from '@tutti/workflow/validation';
import { type CheckedFile, fullMessage, linkOf } from './checked-file.ts';

export function githubFormat(files: readonly CheckedFile[]): string {
  return files
    .flatMap((file) => [
      ...file.report.diagnostics.map((diagnostic) => annotation(file.name, diagnostic)),
      ...(file.report.moreCount === 0 ? [] : [more(file)]),
    ])
    .map((line) => `${line}\n`)
    .join('');
}

function annotation(file: string, diagnostic: WorkflowDiagnostic): string {
  const text = `${fullMessage(diagnostic)} (${linkOf(diagnostic)})`;
  return command({ file, ...properties(diagnostic.span) }, text);
}

const more = ({ name, report }: CheckedFile): string =>
  command({ file: name }, `and ${report.moreCount} more`);

/** Columns of an end are understood for one line only. */
function properties(span: WorkflowDiagnostic['span']): Readonly<Record<string, string>> {
  if (span === null) return {};
  const { line, column, endLine, endColumn } = span;
  return {
    line: String(line),
    col: String(column),
    endLine: String(endLine),
    ...(endLine === line && endColumn > column ? { endColumn: String(endColumn) } : {}),
  };
}

function command(named: Readonly<Record<string, string>>, text: string): string {
  const list = Object.entries(named).map(([name, value]) => `${name}=${escapedProperty(value)}`);
  return `::error ${list.join(',')}::${escapedText(text)}`;
}

const escapedText = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const escapedProperty = (text: string): string =>
  escapedText(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
