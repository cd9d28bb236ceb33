/** The problems of one workflow file, before an output format writes them. */
import { withHint } from '@tutti/manifests/documents';
import type { WorkflowDiagnostic, WorkflowReport } from '@tutti/workflow/validation';
import { ShownLine } from './shown-line.ts';

export interface CheckedFile {
  /** Name of the file as the user wrote it. */
  readonly name: string;
  readonly text: string;
  readonly report: WorkflowReport;
}

export const diagnosticsOf = (
  { report }: CheckedFile,
  severity: WorkflowDiagnostic['severity'],
): readonly WorkflowDiagnostic[] =>
  report.diagnostics.filter((diagnostic) => diagnostic.severity === severity);

/** Turns warnings into errors, for `--strict`. */
export function strictly(report: WorkflowReport): WorkflowReport {
  if (report.warningCount === 0) return report;
  const diagnostics = report.diagnostics.map((each) => ({ ...each, severity: 'error' as const }));
  return { ...report, isValid: false, manifest: null, diagnostics, warningCount: 0 };
}

/** The command that prints the section about it. */
export const linkOf = ({ page = 'reference/language', topic }: WorkflowDiagnostic): string =>
  `tutti docs ${page}#${topic}`;

/** The message with its path and its hint. */
export function fullMessage({ path, message, hint }: WorkflowDiagnostic): string {
  const text = withHint(message, hint);
  return path === '' ? text : `${path}: ${text}`;
}

/** The text that a problem concerns, up to the end of its first line; empty without a place. */
export function offendingText({ text }: CheckedFile, { span }: WorkflowDiagnostic): string {
  if (span === null) return '';
  const line = new ShownLine(text, span.line);
  return line.piece(span.column - 1, span.endLine === span.line ? span.endColumn - 1 : undefined);
}
