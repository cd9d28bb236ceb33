/** Options for the end of a run, and for a run that does not end in time. */
import { type Command, Option } from 'commander';
import { UsageError } from '../terminal/problem.ts';
import { readSeconds } from './option-values.ts';
import { type GitlabParameters, pluginOption } from './plugin-option.ts';

export interface EndOptions {
  /** Timeout of the run, in milliseconds. */
  readonly timeout?: number | undefined;
  /** Cancels the run then. */
  readonly cancelOnTimeout?: boolean | undefined;
  /** Name of the quality gate that the run is judged by. */
  readonly gate?: string | undefined;
  readonly report?: readonly ReportWish[] | undefined;
  /** Places to which the verdict is published. */
  readonly plugin?: GitlabParameters | undefined;
}

/** A report that is to be saved. */
export interface ReportWish {
  /** Name of the report, or of its file. */
  readonly name: string;
  /** A file, or a directory; the current one, if absent. */
  readonly path: string | null;
}

export function addEndOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--timeout <time>',
        'with --wait: how long it may take, as in 30 (seconds) or 5m; the exit code is 101 then, and the workflow goes on',
      ).argParser(readSeconds),
    )
    .option('--cancel-on-timeout', 'with --timeout: cancel the workflow then')
    .option(
      '--gate <name>',
      'with --wait: judge the workflow by this quality gate; 102 when it is not passed, 101 without a verdict',
    )
    .option(
      '--report <name[:path]>',
      'with --wait: save this report, there or under its own name; html is a page that needs no definition; may be repeated, replaces files',
      addReport,
    )
    .addOption(pluginOption('with --gate: '))
    .addHelpText('after', EXAMPLES);
}

const EXAMPLES = `
Examples, for build servers:
  tutti run nightly.yaml --wait --report html:public/tests.html
  tutti run nightly.yaml --wait --timeout 30m --cancel-on-timeout
  tutti run nightly.yaml --wait --gate strict --report executionlog.txt --report results:reports/junit.xml
  tutti run nightly.yaml --wait --gate strict --plugin gitlab:label=default`;

function addReport(text: string, before: readonly ReportWish[] = []): readonly ReportWish[] {
  const colon = text.indexOf(':');
  const name = colon === -1 ? text : text.slice(0, colon);
  const path = colon === -1 ? null : text.slice(colon + 1);
  if (name !== '' && path !== '') return [...before, { name, path }];
  throw new UsageError(`--report takes a name, or name:path, not "${text}".`);
}

/** Checks the options about the end of a run. Throws `UsageError` for options without an effect. */
export function checkEndOptions(options: EndOptions, isWaitedFor: boolean): void {
  const { timeout, cancelOnTimeout, gate, report, plugin } = options;
  const given = [
    ['--timeout', timeout],
    ['--gate', gate],
    ['--report', report],
  ].find(([, value]) => value !== undefined);
  if (given !== undefined && !isWaitedFor) {
    throw new UsageError(`${given[0]} goes with --wait.`, 'add --wait, or leave it out.');
  }
  if (plugin !== undefined && gate === undefined) {
    throw new UsageError(
      '--plugin goes with --gate.',
      'name the gate whose verdict is to be posted.',
    );
  }
  if (cancelOnTimeout === true && timeout === undefined) {
    throw new UsageError(
      '--cancel-on-timeout goes with --timeout.',
      'say how long it may take, as in --timeout 30m.',
    );
  }
}
