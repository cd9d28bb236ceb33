/** Commands about the history of tests. */
import { type Command, Option } from 'commander';
import type {
  QuarantinedOptions,
  QuarantineOptions,
  ReleaseOptions,
} from '../commands/quarantine.ts';
import type { ShowTestOptions } from '../commands/show-test.ts';
import type { TestHistoryOptions } from '../commands/test-history.ts';
import type { TestsOptions } from '../commands/tests.ts';
import { withConnection } from '../options/connection-options.ts';
import { readEnd, readMoment } from '../options/moments.ts';
import { addChoices, readCount } from '../options/option-values.ts';
import { resourceOutputOption } from '../resources/output.ts';
import type { Act } from './act.ts';

const LISTED = 100;
const TEST_ARGUMENT = [
  '<test>',
  'id of a test, or its name, as in "cart#adds" or a part of it',
] as const;
const STATES = ['broken', 'flaky', 'unsure', 'new', 'stable'] as const;
const ORDERS = ['impact', 'flakeRate', 'failures', 'duration', 'name', 'lastFailed'].flatMap(
  (order) => [order, `-${order}`],
);
const OUTCOMES = ['success', 'failure', 'error', 'skipped'] as const;

export function addTestCommands(program: Command, act: Act): void {
  const tests = program
    .command('tests')
    .description(
      'Show tests over all runs: which are flaky or broken, and why; alone, lists them.',
    );
  addList(tests, act);
  addShow(tests, act);
  addHistory(tests, act);
  addQuarantine(tests, act);
  addRelease(tests, act);
  addQuarantined(tests, act);
}

const limitOption = (what: string): Option =>
  new Option('--limit <count>', `so many ${what}`).argParser(readCount).default(LISTED);
const namespaceOption = (): Option =>
  new Option(
    '--namespace <namespace>',
    'tests of this namespace; of all that you may see if absent',
  );
const projectOption = (): Option =>
  new Option(
    '--project <project>',
    'tests of this project: the label "tutti/project" of workflows, else their name',
  );

function addList(tests: Command, act: Act): void {
  const list = tests
    .command('list', { isDefault: true })
    .description('List tests with their states, those first that failed most runs.');
  withConnection(list)
    .option(
      '--state <list>',
      `tests in these states: ${STATES.join(', ')}, separated by commas`,
      addChoices('--state', STATES),
    )
    .option('--search <text>', 'tests with this text in their suite or name, in either case')
    .addOption(projectOption())
    .addOption(namespaceOption())
    .addOption(
      new Option('--sort <order>', 'by what; with a minus the largest first')
        .choices(ORDERS)
        .default('-impact'),
    )
    .addOption(limitOption('tests'))
    .addOption(resourceOutputOption())
    .addHelpText('after', LIST_HELP)
    .action(async (options: TestsOptions) => {
      const { listTests } = await import('../commands/tests.ts');
      await act((io) => listTests(options, io));
    });
}

const LIST_HELP = `
FLAKE_RATE is how often a test fails whatever the version, FAILURES what it did last: failed executions of so many. RUNS_LOST counts
runs in which it was the only test that failed. A test has the worst state of its variants.

Examples:
  tutti tests --state flaky,broken
  tutti tests --search cart --sort name -o wide
  tutti tests --project shop --state flaky -o json`;

function addShow(tests: Command, act: Act): void {
  withConnection(tests.command('show').description('Show a test, and the evidence for its state.'))
    .argument(...TEST_ARGUMENT)
    .addOption(projectOption())
    .addOption(namespaceOption())
    .addOption(
      new Option('-o, --output <format>', 'json, yaml: for programs')
        .choices(['table', 'json', 'yaml'])
        .default('table'),
    )
    .addHelpText('after', SHOW_HELP)
    .action(async (test: string, options: ShowTestOptions) => {
      const { showTest } = await import('../commands/show-test.ts');
      await act((io) => showTest(test, options, io));
    });
}

const SHOW_HELP = `
In the line of outcomes, a dot is an execution that passed, and F one that failed; the newest one is the last.

Examples:
  tutti tests show "cart#adds"
  tutti tests show "cart#adds" -o json`;

function addHistory(tests: Command, act: Act): void {
  withConnection(
    tests.command('history').description('Show the executions of a test, the newest first.'),
  )
    .argument(...TEST_ARGUMENT)
    .addOption(projectOption())
    .addOption(namespaceOption())
    .option('--variant <id>', 'executions of this variant, as "tutti tests show" names it')
    .option('--code-version <version>', 'executions on this version')
    .option('--branch <branch>', 'executions on this branch')
    .addOption(new Option('--outcome <outcome>', 'executions that ended so').choices(OUTCOMES))
    .option(
      '--since <time>',
      'executions of runs that began since then, as in 7d or 2026-01-31T12:00',
      readMoment,
    )
    .addOption(limitOption('executions'))
    .addOption(resourceOutputOption())
    .addHelpText('after', HISTORY_HELP)
    .action(async (test: string, options: TestHistoryOptions) => {
      const { showTestHistory } = await import('../commands/test-history.ts');
      await act((io) => showTestHistory(test, options, io));
    });
}

const HISTORY_HELP = `
Examples:
  tutti tests history "cart#adds" --outcome failure
  tutti tests history "cart#adds" --since 7d -o wide`;

function addQuarantine(tests: Command, act: Act): void {
  withConnection(
    tests
      .command('quarantine')
      .description('Put a test in quarantine: it runs, and its failures do not count.'),
  )
    .argument(...TEST_ARGUMENT)
    .requiredOption('--reason <text>', 'why its failures do not count')
    .option(
      '--until <time>',
      'its end, as in 7d or 2026-01-31T12:00; by default as "quarantine.days" of the server says',
      readEnd,
    )
    .option('--variant <id>', 'only this variant, as "tutti tests show" names it')
    .option('--link <url>', 'where somebody works on it')
    .option('--force', 'also if the test is broken; its failures count until it is repaired')
    .addOption(projectOption())
    .addOption(namespaceOption())
    .addHelpText('after', QUARANTINE_HELP)
    .action(async (test: string, options: QuarantineOptions) => {
      const { quarantineTest } = await import('../commands/quarantine.ts');
      await act((io) => quarantineTest(test, options, io));
    });
}

const QUARANTINE_HELP = `
The quarantine also ends when the test recovers, or with "tutti tests release". The failures of a broken test always count.

Examples:
  tutti tests quarantine "cart#adds" --reason "waits for the new driver" --until 7d
  tutti tests quarantine "cart#adds" --reason "see the link" --link https://tracker.example.com/4711`;

function addRelease(tests: Command, act: Act): void {
  withConnection(tests.command('release').description('Release a test from quarantine.'))
    .argument(...TEST_ARGUMENT)
    .option('--reason <text>', 'kept in the journal of the test')
    .option('--variant <id>', 'only this variant, not the test and all of its variants')
    .addOption(projectOption())
    .addOption(namespaceOption())
    .addHelpText('after', RELEASE_HELP)
    .action(async (test: string, options: ReleaseOptions) => {
      const { releaseTest } = await import('../commands/quarantine.ts');
      await act((io) => releaseTest(test, options, io));
    });
}

const RELEASE_HELP = `
Examples:
  tutti tests release "cart#adds" --reason "the driver is there"`;

function addQuarantined(tests: Command, act: Act): void {
  withConnection(
    tests.command('quarantined').description('List the tests in quarantine, the newest first.'),
  )
    .addOption(projectOption())
    .addOption(namespaceOption())
    .addOption(limitOption('entries'))
    .addOption(resourceOutputOption())
    .addHelpText('after', QUARANTINED_HELP)
    .action(async (options: QuarantinedOptions) => {
      const { listQuarantined } = await import('../commands/quarantine.ts');
      await act((io) => listQuarantined(options, io));
    });
}

const QUARANTINED_HELP = `
SPARED says whether failures are spared: those of a broken test count.

Examples:
  tutti tests quarantined --project shop -o wide`;
