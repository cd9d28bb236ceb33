/** What was found in a file of a workflow, before it is written in one of the formats. */
import { withHint } from '@tutti/manifests/documents';
import type { WorkflowDiagnostic, WorkflowReport } from '@tutti/workflow/validation';
import { ShownLine } from './shown-line.ts';

export interface CheckedFile {
  /** As the user named it. */
  readonly name: string;
  readonly text: string;
  readonly report: WorkflowReport;
}

export const diagnosticsOf = (
  { report }: CheckedFile,
  severity: WorkflowDiagnostic['severity'],
): readonly WorkflowDiagnostic[] =>
  report.diagnostics.filter((diagnostic) => diagnostic.severity === severity);

/** Warnings count as errors, for those who asked for that. */
export function strictly(report: WorkflowReport): WorkflowReport {
  if (report.warningCount === 0) return report;
  const diagnostics = report.diagnostics.map((each) => ({ ...each, severity: 'error' as const }));
  return { ...report, isValid: false, manifest: null, diagnostics, warningCount: 0 };
}

/** Where the documentation says more. */
export const linkOf = ({ page = 'reference/language', topic }: WorkflowDiagnostic): string =>
  `docs/${page}.md#${topic}`;

/** The message with its path and its hint. */
export function fullMessage({ path, message, hint }: WorkflowDiagnostic): string {
  const text = withHint(message, hint);
  return path === '' ? text : `${path}: ${text}`;
}

/** The piece of the text that a problem is about, up to the end of its first line; empty when it has no place. */
export function offendingText({ text }: CheckedFile, { span }: WorkflowDiagnostic): string {
  if (span === null) return '';
  const line = new ShownLine(text, span.line);
  return line.piece(span.column - 1, span.endLine === span.line ? span.endColumn - 1 : undefined);
}
