/** Shows problems as compilers do: the message, the place, the line, and a mark below the mistake. */
import { countOf } from '@tutti/manifests';
import type { SourceSpan } from '@tutti/manifests/documents';
import { cleanOutput } from '@tutti/run-view/text';
import type { WorkflowDiagnostic } from '@tutti/workflow/validation';
import { cutToWidth, type Paint, widthOf } from '../terminal/style.ts';
import { type CheckedFile, linkOf } from './checked-file.ts';
import { ShownLine } from './shown-line.ts';

export interface HumanOptions {
  readonly paint: Paint;
  /** Width of the terminal. */
  readonly columns: number;
}

export function humanFormat(files: readonly CheckedFile[], options: HumanOptions): string {
  const blocks = files.flatMap((file) => [
    ...file.report.diagnostics.map((diagnostic) => block(file, diagnostic, options)),
    ...(file.report.moreCount === 0
      ? []
      : [`${clean(file.name)}: and ${countOf(file.report.moreCount, more(file))}`]),
  ]);
  return [...blocks, summary(files, options.paint)].join('\n\n').concat('\n');
}

const more = ({ report }: CheckedFile): string =>
  report.isValid ? 'more warning' : 'more problem';

function summary(files: readonly CheckedFile[], paint: Paint): string {
  const errors = files.map(
    ({ report }) => report.diagnostics.length + report.moreCount - report.warningCount,
  );
  const warnings = countOf(sumOf(files.map(({ report }) => report.warningCount)), 'warning');
  const wrong = errors.filter((count) => count > 0).length;
  const hasWarnings = files.some(({ report }) => report.warningCount > 0);
  const [first] = files;
  if (wrong === 0) {
    const what =
      files.length === 1 ? `${clean(first?.name ?? '')} is` : `All ${files.length} files are`;
    return paint('green', hasWarnings ? `${what} valid, with ${warnings}.` : `${what} valid.`);
  }
  const problems = countOf(sumOf(errors), 'problem');
  const where = files.length === 1 ? clean(first?.name ?? '') : `${wrong} of ${files.length} files`;
  const beside = hasWarnings ? `, and ${warnings}` : '';
  return paint('red', `${problems} in ${where}${beside}.`);
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

function block(file: CheckedFile, diagnostic: WorkflowDiagnostic, options: HumanOptions): string {
  const { paint } = options;
  const { severity } = diagnostic;
  const path = diagnostic.path === '' ? '' : `${diagnostic.path}: `;
  const word = paint(COLORS[severity], severity);
  const title = `${word}: ${paint('bold', clean(path + diagnostic.message))}`;
  return [title, ...place(file, diagnostic, options)].join('\n');
}

const COLORS = { error: 'red', warning: 'yellow' } as const;

function place(
  file: CheckedFile,
  diagnostic: WorkflowDiagnostic,
  options: HumanOptions,
): readonly string[] {
  const { paint } = options;
  const { span, hint } = diagnostic;
  const link = `see ${linkOf(diagnostic)}`;
  if (span === null) {
    return [
      `  in ${clean(file.name)}`,
      ...(hint === null ? [] : [`  ${clean(hint)}`]),
      `  ${link}`,
    ];
  }
  const number = String(span.line);
  const margin = ' '.repeat(number.length);
  const bar = paint('cyan', '|');
  const { line, mark } = marked(file, span, options.columns - number.length - 3);
  const said = hint === null ? '' : ` ${clean(hint)}`;
  return [
    `${margin}${paint('cyan', '-->')} ${clean(file.name)}:${span.line}:${span.column}`,
    `${margin} ${bar}`,
    `${paint('cyan', number)} ${bar} ${line}`,
    `${margin} ${bar} ${mark.indent}${paint(COLORS[diagnostic.severity], `${mark.line}${said}`)}`,
    `${margin} ${paint('cyan', '=')} ${paint('dim', link)}`,
  ];
}

/** Number of characters shown before the problem in a line that is too long for the terminal. */
const BEFORE = 24;
const ELLIPSIS = '…';

interface Marked {
  readonly line: string;
  readonly mark: { readonly indent: string; readonly line: string };
}

function marked({ text }: CheckedFile, span: SourceSpan, width: number): Marked {
  const source = new ShownLine(text, span.line);
  const start = span.column - 1;
  const end = span.endLine > span.line ? source.length : span.endColumn - 1;
  const isLong = widthOf(clean(source.piece())) > width;
  const from = isLong ? Math.max(0, start - BEFORE) : 0;
  const head = `${from > 0 ? ELLIPSIS : ''}${clean(source.piece(from, start))}`;
  const wrong = clean(source.piece(start, end));
  const line = cutToWidth(`${head}${wrong}${clean(source.piece(end))}`, Math.max(width, BEFORE));
  const room = Math.max(1, widthOf(line) - widthOf(head));
  return {
    line,
    mark: {
      indent: ' '.repeat(widthOf(head)),
      line: '^'.repeat(Math.max(1, Math.min(widthOf(wrong), room))),
    },
  };
}

/** The text on one line, without control sequences; a tab takes its shown width. */
const clean = (text: string): string => cleanOutput(text, false).replace(/\s/g, ' ');
