/** Problems for programs. */
import { type CheckedFile, linkOf, offendingText } from './checked-file.ts';

export function jsonFormat(files: readonly CheckedFile[]): string {
  const described = files.map((file) => ({
    file: file.name,
    valid: file.report.manifest !== null,
    problems: file.report.diagnostics.map((diagnostic) => ({
      path: diagnostic.path,
      message: diagnostic.message,
      hint: diagnostic.hint,
      ...(diagnostic.span ?? { line: null, column: null, endLine: null, endColumn: null }),
      text: offendingText(file, diagnostic),
      link: linkOf(diagnostic),
    })),
    moreProblems: file.report.moreCount,
  }));
  return `${JSON.stringify({ files: described }, null, 2)}\n`;
}
