/** Problems and warnings for programs. */
import type { WorkflowDiagnostic } from '@tutti/workflow/validation';
import { type CheckedFile, diagnosticsOf, linkOf, offendingText } from './checked-file.ts';

export function jsonFormat(files: readonly CheckedFile[]): string {
  const all = files.map((file) => ({
    file: file.name,
    valid: file.report.isValid,
    problems: described(file, 'error'),
    warnings: described(file, 'warning'),
    ...countsOfMore(file),
  }));
  return `${JSON.stringify({ files: all }, null, 2)}\n`;
}

const described = (file: CheckedFile, severity: WorkflowDiagnostic['severity']) =>
  diagnosticsOf(file, severity).map((diagnostic) => ({
    path: diagnostic.path,
    message: diagnostic.message,
    hint: diagnostic.hint,
    ...(diagnostic.span ?? { line: null, column: null, endLine: null, endColumn: null }),
    text: offendingText(file, diagnostic),
    link: linkOf(diagnostic),
  }));

function countsOfMore(file: CheckedFile) {
  const { moreCount, warningCount } = file.report;
  const moreWarnings = warningCount - diagnosticsOf(file, 'warning').length;
  return { moreProblems: moreCount - moreWarnings, moreWarnings };
}
