/** Commands about runs: listing, events, and cancellation. */
import { type Command, Option } from 'commander';
import type { CancelOptions } from '../commands/cancel.ts';
import type { StatusOptions } from '../commands/status.ts';
import type { EventsOptions } from '../commands/workflow-events.ts';
import type { ManifestOptions } from '../commands/workflow-manifest.ts';
import type { WorkflowsOptions } from '../commands/workflows.ts';
import { withConnection } from '../options/connection-options.ts';
import {
  commandLengthOption,
  jobDepthOption,
  stepDepthOption,
} from '../options/display-options.ts';
import { readMoment } from '../options/moments.ts';
import { addChoices, addNames, readCount, readSeconds } from '../options/option-values.ts';
import { withSelectors } from '../options/selector-options.ts';
import { runLimitOption } from '../options/time-limit.ts';
import { withWatch } from '../options/watch-option.ts';
import { resourceOutputOption } from '../resources/output.ts';
import type { Act } from './act.ts';
import { addObserveCommands } from './observe-commands.ts';

const PHASES = ['PENDING', 'RUNNING', 'DONE', 'FAILED'] as const;
const RUN_ARGUMENT = [
  '[id]',
  'id of a workflow, or the beginning of one; the one that was started last if absent',
] as const;

/** Gives the group `workflows`, to which others add; beside it stand the commands that look into one run. */
export function addWorkflowCommands(program: Command, act: Act): Command {
  const group = program
    .command('workflows')
    .alias('workflow')
    .description('Show and cancel the workflows of a server; alone, lists them.');
  addListCommand(group, act);
  addShowCommand(group, act);
  addEventsCommand(group, act);
  addManifestCommand(group, act);
  for (const parent of [group, program]) addCancelCommand(parent, act);
  addObserveCommands(program, act);
  return group;
}

function addListCommand(group: Command, act: Act): void {
  const list = group
    .command('list', { isDefault: true })
    .description('List workflows, newest first.');
  withWatch(withSelectors(withConnection(list)))
    .option(
      '--status <list>',
      `workflows of these phases: ${PHASES.join(', ')}, separated by commas`,
      addChoices('--status', PHASES),
    )
    .option('--name <pattern>', 'those of this name, as in "nightly*"')
    .option('--namespace <name>', 'those of this namespace')
    .option('--since <time>', 'started since then, as in 1h or 2026-01-31T12:00', readMoment)
    .option(
      '--having <selector>',
      'those with an event like this, as in "kind=ExecutionError"; asks for the events of each',
    )
    .option('--limit <count>', 'so many, the newest ones', readCount)
    .addOption(resourceOutputOption())
    .addHelpText('after', LIST_EXAMPLES)
    .action(async (options: WorkflowsOptions) => {
      const { listWorkflows } = await import('../commands/workflows.ts');
      await act((io) => listWorkflows(options, io));
    });
}

const LIST_EXAMPLES = `
Examples:
  tutti workflows --status failed --since 1d
  tutti workflows -l team=web --watch
  tutti workflows -o custom-columns=ID:metadata.workflow_id,BRANCH:variables.BRANCH
  tutti workflows --name 'nightly*' --limit 1 -o name | xargs tutti report`;

function addShowCommand(group: Command, act: Act): void {
  withConnection(group.command('show').description('Show where a workflow stands.'))
    .argument(...RUN_ARGUMENT)
    .addOption(
      new Option('-o, --output <format>', 'json, yaml: the document of the server, with all events')
        .choices(['table', 'json', 'yaml'])
        .default('table'),
    )
    .addOption(jobDepthOption())
    .addOption(commandLengthOption())
    .addHelpText('after', SHOW_EXAMPLES)
    .action(async (id: string | undefined, options: StatusOptions) => {
      const { showOneStatus } = await import('../commands/status.ts');
      await act((io) => showOneStatus(id, options, io));
    });
}

const SHOW_EXAMPLES = `
Examples:
  tutti workflows show 0198
  tutti workflows show --job-depth 1 --max-command-length 40
  tutti workflows show -o json | jq -r .details.status`;

function addEventsCommand(group: Command, act: Act): void {
  const events = group
    .command('events')
    .description('Show what happened to a workflow, event by event.');
  withSelectors(withConnection(events).argument(...RUN_ARGUMENT))
    .option('--kind <list>', 'events of these kinds, separated by commas', addNames('--kind'))
    .option(
      '-f, --follow',
      'show what comes, too, until the workflow is over; with -o json, one event per line',
    )
    .addOption(runLimitOption('-f'))
    .addOption(jobDepthOption(''))
    .addOption(stepDepthOption(''))
    .addOption(resourceOutputOption())
    .addHelpText('after', EVENTS_EXAMPLES)
    .action(async (id: string | undefined, options: EventsOptions) => {
      const { showEvents } = await import('../commands/workflow-events.ts');
      await act((io) => showEvents(id, options, io));
    });
}

const EVENTS_EXAMPLES = `
Examples:
  tutti workflows events 0198 --kind ExecutionError,WorkflowCanceled
  tutti workflows events --field-selector metadata.step_sequence_id=-1 -o wide
  tutti workflows events --job-depth 1 --step-depth 1
  tutti workflows events -f -o json | jq -c 'select(.kind == "ExecutionResult") | .status'`;

function addManifestCommand(group: Command, act: Act): void {
  withConnection(
    group
      .command('manifest')
      .description('Print what a workflow was started with, as a file that can be run again.'),
  )
    .argument(...RUN_ARGUMENT)
    .addOption(
      new Option('-o, --output <format>', 'form of the file')
        .choices(['yaml', 'json'])
        .default('yaml'),
    )
    .addHelpText('after', MANIFEST_HELP)
    .action(async (id: string | undefined, options: ManifestOptions) => {
      const { showManifest } = await import('../commands/workflow-manifest.ts');
      await act((io) => showManifest(id, options, io));
    });
}

const MANIFEST_HELP = `
Its variables are those that the run had. Texts that the run masks stay masked, and resource files are not in it.

Examples:
  tutti workflows manifest 0198 > again.yaml
  tutti workflows manifest 0198 | tutti run -`;

function addCancelCommand(parent: Command, act: Act): void {
  const cancel = parent.command('cancel').description('Cancel workflows.');
  withSelectors(
    withConnection(cancel).argument('[ids...]', 'ids of workflows, or the beginnings of them'),
  )
    .option('--all', 'all that are not over')
    .option('--reason <text>', 'why, for reports')
    .option('--source <text>', 'who asks, for reports; "tutti cancel" if absent')
    .option('--dry-run', 'say what would be canceled, and cancel nothing')
    .option('--wait', 'wait until they are over')
    .addOption(
      new Option(
        '--timeout <time>',
        'with --wait: how long, as in 30 (seconds) or 5m; for ever if absent',
      ).argParser(readSeconds),
    )
    .option('-y, --yes', 'do not ask whether several that were chosen by selectors are meant')
    .addHelpText('after', CANCEL_HELP)
    .action(async (ids: readonly string[], options: CancelOptions) => {
      const { cancelWorkflows } = await import('../commands/cancel.ts');
      await act((io) => cancelWorkflows(ids, options, io));
    });
}

const CANCEL_HELP = `
Selectors choose among those that are not over.

Exit codes:
  0  the server was asked to cancel all of them (with --wait: they are over), or there was nothing to cancel
  2  one of them could not be canceled; the others were
  101  with --timeout: one of them is not over yet

Examples:
  tutti cancel 0198 --reason "wrong branch"
  tutti cancel -l team=web --dry-run
  tutti cancel --all --yes --wait --timeout 2m`;
