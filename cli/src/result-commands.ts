/** The commands about what a run leaves: its test cases, its attachments and reports on it. */
import { type Command, Option } from 'commander';
import type { AttachmentsOptions } from './commands/attachments.ts';
import type { ReportOptions } from './commands/report.ts';
import type { TestCasesOptions } from './commands/testcases.ts';
import { withConnection } from './connection-options.ts';
import { MISSING_RESULTS_HELP } from './exit-codes.ts';
import type { Io } from './io.ts';
import { addChoices, readSeconds } from './option-values.ts';
import { readOutput, resourceOutputOption } from './resources/output.ts';
import { REPORT_FORMS } from './test-case-formats/test-case-format.ts';

type End = (action: Promise<number>) => Promise<void>;

const RESULTS_TIMEOUT_MS = 8_000;
const REPORT_TIMEOUT_MS = 60_000;
const RUN_ARGUMENT = [
  '[id]',
  'id of a workflow, or the beginning of one; the one that was started last if absent',
] as const;
const OUTCOMES = ['success', 'failure', 'error', 'skipped'] as const;

export function addResultCommands(program: Command, end: End, io: Io): void {
  addTestCasesCommand(program, end, io);
  addAttachmentsCommand(program, end, io);
  addReportCommand(program, end, io);
}

function addAttachmentsCommand(program: Command, end: End, io: Io): void {
  withConnection(
    program.command('attachments').description('Show or save the files that steps attached.'),
  )
    .argument(...RUN_ARGUMENT)
    .argument(
      '[pattern]',
      'which ones, by their names, as in "*.xml", which may also come alone; or the id of one',
    )
    .option('--type <pattern>', 'which ones, by their types, as in "text/*"')
    .option('--save-to <directory>', 'save them there, in a folder for each job and step')
    .option('--force', 'with --save-to: replace files that are there')
    .addOption(resourceOutputOption())
    .action(
      async (id: string | undefined, pattern: string | undefined, options: AttachmentsOptions) => {
        const { showAttachments } = await import('./commands/attachments.ts');
        await end(showAttachments(id, pattern, options, io));
      },
    );
}

function addReportCommand(program: Command, end: End, io: Io): void {
  withConnection(program.command('report').description('Save reports on a workflow.'))
    .argument(...RUN_ARGUMENT)
    .option(
      '--using <file>',
      'definitions of insights to make reports by; absent, the reports that the server made at the end of the run',
    )
    .addOption(new Option('--name <pattern>', 'which ones, by their names').default('*'))
    .addOption(new Option('--save-to <directory>', 'where to save them').default('.'))
    .option('--force', 'replace files that are there')
    .addOption(
      new Option('--timeout <time>', 'how long to wait for them, as in 30 (seconds) or 5m')
        .argParser(readSeconds)
        .default(REPORT_TIMEOUT_MS, '60 seconds'),
    )
    .addOption(resourceOutputOption())
    .action(async (id: string | undefined, options: ReportOptions) => {
      const { saveReports } = await import('./commands/report.ts');
      await end(saveReports(id, options, io));
    });
}

function addTestCasesCommand(program: Command, end: End, io: Io): void {
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
        'table, wide: for people; json, yaml: the document of the server, as it is; junit: JUnit XML; ctrf: Common Test Report Format; name: the names alone; custom-columns=TITLE:path,...: a table of your own',
      )
        .argParser((text: string) => {
          if (!REPORT_FORMS.some((form) => form === text)) readOutput(text, REPORT_FORMS);
          return text;
        })
        .default('table'),
    )
    .addHelpText('after', MISSING_RESULTS_HELP)
    .action(async (id: string | undefined, options: TestCasesOptions) => {
      const { showTestCases } = await import('./commands/testcases.ts');
      await end(showTestCases(id, options, io));
    });
}
