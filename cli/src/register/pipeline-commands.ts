/** The commands with which pipelines wait for a server. */
import { type Command, Option } from 'commander';
import type { DoneOptions } from '../commands/done.ts';
import type { ReadyOptions } from '../commands/ready.ts';
import { withConnection } from '../options/connection-options.ts';
import { addList, addNames, readCount, readSeconds } from '../options/option-values.ts';
import type { Act } from './act.ts';

const TIMEOUT_MS = 3_600_000;

const timeoutOption = (): Option =>
  new Option('--timeout <time>', 'how long to wait, as in 30 (seconds) or 5m')
    .argParser(readSeconds)
    .default(TIMEOUT_MS, '1 hour');

export function addPipelineCommands(program: Command, act: Act): void {
  const ready = program
    .command('ready')
    .description('Wait until a server can be used: it is well and accepts the token.');
  withConnection(ready)
    .option('--services <list>', 'and these services and plugins are there', addNames('--services'))
    .option(
      '--container <id>',
      'and this container runs, with the services that its image names in /app/init_services.json; asks the program docker',
    )
    .option('--agents <count>', 'and so many environments are idle; 1 with --tags', readCount)
    .option('--tags <list>', 'and one with all of these tags is idle, as in linux,jdk', addList)
    .addOption(timeoutOption())
    .addHelpText('after', READY_HELP)
    .action(async (options: ReadyOptions) => {
      const { waitForServer } = await import('../commands/ready.ts');
      await act((io) => waitForServer(options, io));
    });
  const done = program
    .command('done')
    .description(
      'Wait until a server has nothing to do: no workflow runs, and no worker is active.',
    );
  withConnection(done)
    .addOption(timeoutOption())
    .addHelpText('after', DONE_HELP)
    .action(async (options: DoneOptions) => {
      const { waitForIdleness } = await import('../commands/done.ts');
      await act((io) => waitForIdleness(options, io));
    });
}

const EXIT_CODES_HELP = `
Exit codes:
  0  it is so
  1  the time is over; standard error says what was missing
  2  wrong use, or a refusal, as of the token: waiting would not help`;

const READY_HELP = `
Examples:
  tutti ready --timeout 2m
  tutti ready --services arranger,my-plugin --tags linux,jdk --agents 2
  tutti ready --container orchestrator --server http://127.0.0.1:7774
${EXIT_CODES_HELP}`;

const DONE_HELP = `
Example:
  tutti done --timeout 30m && tutti backup copy
${EXIT_CODES_HELP}
A server that does not answer at first is a problem, too (2); one that stops answering is waited for.`;
