/** What was found in a file of a workflow, before it is written in one of the formats. */
import { withHint } from '@tutti/manifests/documents';
import type { WorkflowDiagnostic, WorkflowReport } from '@tutti/workflow/validation';

export interface CheckedFile {
  /** As the user named it. */
  readonly name: string;
  readonly text: string;
  readonly report: WorkflowReport;
}

/** Where the documentation says more. */
export const linkOf = ({ page = 'workflows', topic }: WorkflowDiagnostic): string =>
  `docs/${page}.md#${topic}`;

/** The message with its path and its hint. */
export function fullMessage({ path, message, hint }: WorkflowDiagnostic): string {
  const text = withHint(message, hint);
  return path === '' ? text : `${path}: ${text}`;
}

/** The piece of the text that a problem is about, up to the end of its first line; empty when it has no place. */
export function offendingText({ text }: CheckedFile, { span }: WorkflowDiagnostic): string {
  if (span === null) return '';
  const line = shownLineOf(text, span.line);
  return span.endLine === span.line
    ? line.slice(span.column - 1, span.endColumn - 1)
    : line.slice(span.column - 1);
}

/** A line for readers: one that begins with all secrets has none of them. */
export const shownLineOf = (text: string, number: number): string =>
  lineOf(text, number).replace(/^(\s*["']?secrets["']?\s*:\s*)\S.*$/, '$1***');

/** A line of a text, counted from 1, without its end. */
export function lineOf(text: string, number: number): string {
  let start = 0;
  for (let line = 1; line < number; line++) {
    const end = text.indexOf('\n', start);
    if (end === -1) return '';
    start = end + 1;
  }
  const end = text.indexOf('\n', start);
  return text.slice(start, end === -1 ? undefined : end).replace(/\r$/, '');
}
