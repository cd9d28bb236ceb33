/** `tutti validate`: all that is wrong with workflows. A configured server only says which functions it has. */
import { cleanLine } from '@tutti/run-view/text';
import { type CheckedFile, strictly } from '../authoring/checked-file.ts';
import { restoreEditorSchema } from '../authoring/editor-schema.ts';
import { functionsFor } from '../authoring/known-functions.ts';
import { createReporter } from '../authoring/workflow-reporter.ts';
import type { ConnectionOptions } from '../connection/connection.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { problemOf, renderProblem, UsageError } from '../terminal/problem.ts';
import { CLI_VERSION } from '../terminal/version.ts';
import { readWorkflowText, STANDARD_INPUT } from '../terminal/workflow-source.ts';

export type ValidateFormat = 'human' | 'json' | 'github' | 'sarif';

export interface ValidateOptions extends ConnectionOptions {
  readonly format: ValidateFormat;
  readonly apiGroup?: string | undefined;
  /** Other workflows call these workflows, in a repository. */
  readonly called?: boolean;
  /** Warnings are errors. */
  readonly strict?: boolean;
}

/** Checks files of workflows. Resolves with the exit code: 1 if there are errors, 2 if a file cannot be read. */
export async function validateWorkflows(
  names: readonly string[],
  options: ValidateOptions,
  io: Io,
): Promise<number> {
  const texts: (readonly [name: string, text: string])[] = [];
  for (const name of names) {
    const text = await textOrComplaint(name, io);
    if (text === null) continue;
    texts.push([name, text]);
    await restoreEditorSchema(name, text);
  }
  const functions = await functionsFor(
    texts.map(([, text]) => text),
    options,
    io,
  );
  const report = await createReporter(options.apiGroup, io.env, { withProviders: true, functions });
  const use = options.called === true ? 'called-in-repository' : 'started';
  const files: CheckedFile[] = [];
  for (const [name, text] of texts) {
    const checked = report(text, use);
    const file = {
      name: name === STANDARD_INPUT ? 'stdin' : name,
      text,
      report: options.strict === true ? strictly(checked) : checked,
    };
    files.push(file);
    if (/\.json$/i.test(name) && file.report.isValid) printNoJson(name, text, io);
  }
  if (files.length > 0) io.screen.write(await formatted(files, options.format, io));
  if (files.length < names.length) return EXIT_CODES.problem;
  const isValid = files.every(({ report }) => report.isValid);
  return isValid ? EXIT_CODES.done : EXIT_CODES.failed;
}

/** JSON is YAML. Plain YAML in a file named `.json` is accepted with a warning, because other programs go by the name. */
function printNoJson(name: string, text: string, io: Io): void {
  try {
    JSON.parse(text);
  } catch (error) {
    const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(String(error)) ?? [];
    const place = line === undefined ? '' : ` (line ${line}, column ${column})`;
    io.complain(
      `tutti: ${cleanLine(name)} is no JSON${place}, but YAML, as which it is taken. Programs that read JSON refuse it.\n`,
    );
  }
}

/** Null if the file cannot be read; the problem is reported at once, and other files are still checked. */
async function textOrComplaint(name: string, io: Io): Promise<string | null> {
  try {
    return await readWorkflowText(name, io);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    io.complain(renderProblem(problemOf(error)));
    return null;
  }
}

async function formatted(
  files: readonly CheckedFile[],
  format: ValidateFormat,
  { screen }: Io,
): Promise<string> {
  switch (format) {
    case 'json':
      return (await import('../authoring/json-format.ts')).jsonFormat(files);
    case 'github':
      return (await import('../authoring/github-format.ts')).githubFormat(files);
    case 'sarif':
      return (await import('../authoring/sarif-format.ts')).sarifFormat(files, CLI_VERSION);
    case 'human': {
      const { humanFormat } = await import('../authoring/human-format.ts');
      return humanFormat(files, { paint: screen.paint, columns: screen.columns() });
    }
  }
}
