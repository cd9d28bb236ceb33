/** Problems and warnings as lines that GitHub shows at the changed files: `::error file=..,line=..,col=..::message`. */
import type { WorkflowDiagnostic } from '@tutti/workflow/validation';
import { type CheckedFile, fullMessage, linkOf } from './checked-file.ts';
import { githubLine } from './github-command.ts';

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
  return githubLine(diagnostic.severity, { file, ...properties(diagnostic.span) }, text);
}

const more = ({ name, report }: CheckedFile): string =>
  githubLine(report.isValid ? 'warning' : 'error', { file: name }, `and ${report.moreCount} more`);

/** GitHub accepts columns of an end only within one line. */
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
