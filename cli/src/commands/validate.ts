/** `tutti validate`: all that is wrong with workflows, without a server. */
import type { CheckedFile } from '../diagnostics/checked-file.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { CLI_VERSION } from '../version.ts';
import { createReporter } from '../workflow-reporter.ts';
import { readWorkflowText, STANDARD_INPUT } from '../workflow-source.ts';

export type ValidateFormat = 'human' | 'json' | 'github' | 'sarif';

export interface ValidateOptions {
  readonly format: ValidateFormat;
  readonly apiGroup?: string | undefined;
  /** The workflows are to be called by others, in a repository. */
  readonly called?: boolean;
}

/** Resolves with the exit code: 1 when there are problems. Nothing is written when a file cannot be read. */
export async function validateWorkflows(
  names: readonly string[],
  options: ValidateOptions,
  io: Io,
): Promise<number> {
  const report = await createReporter(options.apiGroup, io.env);
  const use = options.called === true ? 'called-in-repository' : 'started';
  const files: CheckedFile[] = [];
  for (const name of names) {
    const text = await readWorkflowText(name, io);
    files.push({ name: name === STANDARD_INPUT ? 'stdin' : name, text, report: report(text, use) });
  }
  io.screen.write(await formatted(files, options.format, io));
  const isValid = files.every(({ report: { manifest } }) => manifest !== null);
  return isValid ? EXIT_CODES.done : EXIT_CODES.failed;
}

async function formatted(
  files: readonly CheckedFile[],
  format: ValidateFormat,
  { screen }: Io,
): Promise<string> {
  switch (format) {
    case 'json':
      return (await import('../diagnostics/json-format.ts')).jsonFormat(files);
    case 'github':
      return (await import('../diagnostics/github-format.ts')).githubFormat(files);
    case 'sarif':
      return (await import('../diagnostics/sarif-format.ts')).sarifFormat(files, CLI_VERSION);
    case 'human': {
      const { humanFormat } = await import('../diagnostics/human-format.ts');
      return humanFormat(files, { paint: screen.paint, columns: screen.columns() });
    }
  }
}
