/** Commands about the results of a run: test cases, attachments and reports. */
import { type Command, Option } from 'commander';
import type { AttachmentsOptions } from '../commands/attachments.ts';
import type { CopyOptions } from '../commands/copy-attachments.ts';
import type { OpenOptions } from '../commands/open-report.ts';
import type { ReportOptions } from '../commands/report.ts';
import type { TestCasesOptions } from '../commands/testcases.ts';
import { withConnection } from '../options/connection-options.ts';
import { addChoices, readSeconds } from '../options/option-values.ts';
import { readOutput, resourceOutputOption } from '../resources/output.ts';
import { MISSING_RESULTS_HELP } from '../terminal/exit-codes.ts';
import { REPORT_FORMS } from '../test-case-formats/test-case-format.ts';
import type { Act } from './act.ts';

const RESULTS_TIMEOUT_MS = 8_000;
const REPORT_TIMEOUT_MS = 60_000;
const RUN_ARGUMENT = [
  '[id]',
  'id of a workflow, or the beginning of one; the one that was started last if absent',
] as const;
const OUTCOMES = ['success', 'failure', 'error', 'skipped'] as const;

export function addResultCommands(program: Command, act: Act): void {
  addTestCasesCommand(program, act);
  addAttachmentsCommand(program, act);
  addReportCommand(program, act);
}

function addAttachmentsCommand(program: Command, act: Act): void {
  const attachments = program
    .command('attachments')
    .description('Show, save and copy the files that steps attached; alone, lists them.');
  const list = attachments
    .command('list', { isDefault: true })
    .description('List attachments, or save them.');
  withConnection(list)
    .argument(...RUN_ARGUMENT)
    .argument(
      '[pattern]',
      'which ones, by their names, as in "*.xml", which may also come alone; or the id of one',
    )
    .option('--type <pattern>', 'which ones, by their types, as in "text/*"')
    .option('--save-to <directory>', 'save them there, in a folder for each job and step')
    .option('--force', 'with --save-to: replace files that are there')
    .addOption(resourceOutputOption())
    .addHelpText('after', ATTACHMENTS_EXAMPLES)
    .action(
      async (id: string | undefined, pattern: string | undefined, options: AttachmentsOptions) => {
        const { showAttachments } = await import('../commands/attachments.ts');
        await act((io) => showAttachments(id, pattern, options, io));
      },
    );
  addCopyCommand(attachments, act);
}

const ATTACHMENTS_EXAMPLES = `
Examples:
  tutti attachments 0198
  tutti attachments 0198 "*.png" --save-to pictures`;

function addCopyCommand(attachments: Command, act: Act): void {
  withConnection(
    attachments
      .command('copy')
      .alias('cp')
      .description('Copy an attachment to a file, or all that fit into folders of jobs and steps.'),
  )
    .argument(
      '<attachment-and-destination...>',
      'ID PATTERN DESTINATION, or ID:PATTERN DESTINATION; without ID of the workflow that was started last, without PATTERN all',
    )
    .option('--type <pattern>', 'which ones, by their types, as in "text/*"')
    .option('--force', 'replace files that are there')
    .addOption(resourceOutputOption())
    .addHelpText('after', COPY_HELP)
    .action(async (words: readonly string[], options: CopyOptions) => {
      const { copyAttachments } = await import('../commands/copy-attachments.ts');
      await act((io) => copyAttachments(words, options, io));
    });
}

const COPY_HELP = `
PATTERN is the id of an attachment, or a name. One attachment is copied to the file DESTINATION, or into it where it is a directory, or
ends with a slash. With *, ? or [ in PATTERN, all that fit are copied into folders of their jobs and steps below DESTINATION.

Exit codes:
  0  done
  1  none fits, or not all could be copied
  2  wrong use, a refusal of the server, or a server that cannot be reached

Examples:
  tutti attachments copy 0198 report.xml results/unit.xml
  tutti attachments copy 0198:'*.png' pictures
  tutti attachments copy 0198 '*' texts --type 'text/*' --force`;

function addReportCommand(program: Command, act: Act): void {
  const report = program
    .command('report')
    .description('Save and open reports on a workflow; alone, saves them.');
  withConnection(
    report.command('save', { isDefault: true }).description('Save reports on a workflow.'),
  )
    .argument(...RUN_ARGUMENT)
    .option(
      '--using <file>',
      'definitions of insights to make reports by; absent, the reports that the server made at the end of the run',
    )
    .addOption(
      new Option(
        '--html',
        'make a page about the workflow, report.html, which needs no definitions',
      ).conflicts(['using', 'name']),
    )
    .addOption(new Option('--name <pattern>', 'which ones, by their names').default('*'))
    .addOption(new Option('--save-to <directory>', 'where to save them').default('.'))
    .option('--as <name>', 'name of the file, where it is one report')
    .option('--force', 'replace files that are there')
    .addOption(
      new Option('--timeout <time>', 'how long to wait for them, as in 30 (seconds) or 5m')
        .argParser(readSeconds)
        .default(REPORT_TIMEOUT_MS, '60 seconds'),
    )
    .addOption(resourceOutputOption())
    .addHelpText('after', SAVE_EXAMPLES)
    .action(async (id: string | undefined, options: ReportOptions) => {
      const { saveReports } = await import('../commands/report.ts');
      await act((io) => saveReports(id, options, io));
    });
  addOpenCommand(report, act);
}

const SAVE_EXAMPLES = `
Examples:
  tutti report ID
  tutti report ID --using insights.yaml --save-to reports
  tutti report ID --name results --as unit.xml`;

function addOpenCommand(report: Command, act: Act): void {
  withConnection(
    report
      .command('open')
      .description('Open the report that a tool made, with its pictures, videos and traces.'),
  )
    .argument(...RUN_ARGUMENT)
    .argument('[file]', 'a file of the report, as "tutti testcases ID NAME" shows it')
    .option('--job <name>', 'the job whose report it is, where several have one')
    .option('--step <number>', 'the step whose report it is, where several of the job have one')
    .option('--no-browser', 'print the address alone')
    .addHelpText('after', OPEN_HELP)
    .action(async (id: string | undefined, file: string | undefined, options: OpenOptions) => {
      const { openReport } = await import('../commands/open-report.ts');
      await act((io) => openReport(id, file, options, io));
    });
}

const OPEN_HELP = `
The command serves the report at an address of this machine until Ctrl-C. It opens the address in $BROWSER, or in the usual browser.

Examples:
  tutti report open
  tutti report open 0198 --job shop --no-browser`;

function addTestCasesCommand(program: Command, act: Act): void {
  withConnection(
    program.command('testcases').description('Show the test cases of a workflow, or one in full.'),
  )
    .argument(...RUN_ARGUMENT)
    .argument(
      '[name]',
      'name of a test case, as in "cart#adds" or "*adds*": shows its message, its report and its history',
    )
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
    .addHelpText('after', `${TEST_CASES_EXAMPLES}\n${MISSING_RESULTS_HELP}`)
    .action(async (id: string | undefined, name: string | undefined, options: TestCasesOptions) => {
      const { showTestCases } = await import('../commands/testcases.ts');
      await act((io) => showTestCases(id, name, options, io));
    });
}

const TEST_CASES_EXAMPLES = `
Examples:
  tutti testcases 0198 --outcome failure
  tutti testcases 0198 "cart#adds"`;
