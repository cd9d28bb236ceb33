/** The commands that ask about runs, gates and functions. */
import { type Command, Option } from 'commander';
import type { GateOptions } from '../commands/gate.ts';
import type { ProvidersOptions } from '../commands/providers.ts';
import type { StatusListOptions } from '../commands/status.ts';
import type { UiOptions } from '../commands/ui.ts';
import { withConnection } from '../options/connection-options.ts';
import { readSeconds } from '../options/option-values.ts';
import { pluginOption } from '../options/plugin-option.ts';
import { runLimitOption } from '../options/time-limit.ts';
import { resourceOutputOption } from '../resources/output.ts';
import { MISSING_RESULTS_HELP } from '../terminal/exit-codes.ts';
import type { Act } from './act.ts';

export function addQueryCommands(program: Command, act: Act): void {
  withConnection(
    program.command('status').description('List workflows, newest first, or show one.'),
  )
    .argument('[id]', 'id of a workflow, or the beginning of one')
    .addOption(new Option('--log', 'print its execution log').conflicts('output'))
    .option('--follow', 'with --log: print what comes, until the workflow is over')
    .addOption(runLimitOption('--follow'))
    .addOption(resourceOutputOption())
    .action(async (id: string | undefined, options: StatusListOptions) => {
      const { showStatus } = await import('../commands/status.ts');
      await act((io) => showStatus(id, options, io));
    });
  addGateCommand(program, act);
  withConnection(
    program
      .command('ui')
      .description('Open the page of a server in a browser, signed in; or that of local runs.'),
  )
    .argument('[id]', 'id of a workflow to show, or the beginning of one')
    .option('--no-browser', 'print the address, and open nothing')
    .addHelpText('after', UI_HELP)
    .action(async (id: string | undefined, options: UiOptions) => {
      const { openUi } = await import('../commands/ui.ts');
      await act((io) => openUi(id, options, io));
    });
  withConnection(program.command('providers').description('Show the functions of a server.'))
    .argument('[name]', 'a function, to show its inputs')
    .addOption(resourceOutputOption())
    .action(async (name: string | undefined, options: ProvidersOptions) => {
      const { listProviders } = await import('../commands/providers.ts');
      await act((io) => listProviders(name, options, io));
    });
}

const UI_HELP = `
The address signs in once, within 60 seconds. Whoever has it meanwhile may do what your token allows.
Where there is no server, it shows the runs in the data directory until Ctrl-C, and changes nothing.

Examples:
  tutti ui
  tutti ui 0198`;

const TIMEOUT_MS = 8_000;

function addGateCommand(program: Command, act: Act): void {
  withConnection(program.command('gate').description('Judge a workflow by a quality gate.'))
    .argument(
      '[id]',
      'id of a workflow, or the beginning of one; the one that was started last if absent',
    )
    .option('--gate <name>', 'name of the gate; strict if absent')
    .option('--definition <file>', 'file that defines the gate; the server knows it if absent')
    .option('--alone', 'without the test cases of jobs that were taken over from an earlier run')
    .addOption(
      new Option('--timeout <time>', 'how long to wait for a verdict, as in 30 (seconds) or 5m')
        .argParser(readSeconds)
        .default(TIMEOUT_MS, '8 seconds'),
    )
    .addOption(pluginOption())
    .addOption(resourceOutputOption())
    .addHelpText('after', MISSING_RESULTS_HELP)
    .action(async (id: string | undefined, options: GateOptions) => {
      const { askGate } = await import('../commands/gate.ts');
      await act((io) => askGate(id, options, io));
    });
}
