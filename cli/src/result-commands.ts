/** The commands about what a run leaves: its test cases. */
import { type Command, Option } from 'commander';
import type { TestCasesOptions } from './commands/testcases.ts';
import { withConnection } from './connection-options.ts';
import type { Io } from './io.ts';
import { addChoices, readSeconds } from './option-values.ts';
import { TEST_CASE_FORMATS } from './test-case-formats/test-case-format.ts';

type End = (action: Promise<number>) => Promise<void>;

const RESULTS_TIMEOUT_MS = 8_000;
const RUN_ARGUMENT = ['[id]', 'id of a workflow; the one that was started last if absent'] as const;
const OUTCOMES = ['success', 'failure', 'error', 'skipped'] as const;

export function addResultCommands(program: Command, end: End, io: Io): void {
  withConnection(program.command('testcases').description('Show the test cases of a workflow.'))
    .argument(...RUN_ARGUMENT)
    .option('--scope <expression>', "which ones, as in test.technology == 'junit'")
    .option('--field-selector <selector>', 'which ones, as in test.job=unit')
    .option(
      '--outcome <list>',
      `which ones: ${OUTCOMES.join(', ')}, separated by commas`,
      addChoices('--outcome', OUTCOMES),
    )
    .addOption(
      new Option(
        '--timeout <time>',
        'how long to wait until they are all there, as in 30 (seconds) or 5m',
      )
        .argParser(readSeconds)
        .default(RESULTS_TIMEOUT_MS, '8 seconds'),
    )
    .addOption(
      new Option(
        '-o, --output <format>',
        'json, yaml: the document of the server, as it is; junit: JUnit XML; ctrf: Common Test Report Format',
      )
        .choices(TEST_CASE_FORMATS)
        .default('table'),
    )
    .action(async (id: string | undefined, options: TestCasesOptions) => {
      const { showTestCases } = await import('./commands/testcases.ts');
      await end(showTestCases(id, options, io));
    });
}
