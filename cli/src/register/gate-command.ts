/** The command that judges a run. */
import { type Command, Option } from 'commander';
import type { GateOptions } from '../commands/gate.ts';
import { withConnection } from '../options/connection-options.ts';
import { readSeconds } from '../options/option-values.ts';
import { pluginOption } from '../options/plugin-option.ts';
import { resourceOutputOption } from '../resources/output.ts';
import { MISSING_RESULTS_HELP } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';

type End = (action: Promise<number>) => Promise<void>;

const TIMEOUT_MS = 8_000;

export function addGateCommand(program: Command, end: End, io: Io): void {
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
      await end(askGate(id, options, io));
    });
}
