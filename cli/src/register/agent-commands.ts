/** The commands that run a server, and offer a machine to one. */
import type { Command } from 'commander';
import type { AgentCommandOptions } from '../commands/agent.ts';
import { withConnection } from '../options/connection-options.ts';
import { defaultTags } from '../options/local-options.ts';
import { addList, addNames, addPath, readSlots } from '../options/option-values.ts';
import type { Act } from './act.ts';

export async function addServerCommand(
  program: Command,
  argv: readonly string[],
  act: Act,
): Promise<void> {
  const command = program
    .command('server')
    .description('Run a server.')
    .option('--config <file>', 'YAML file with the configuration (or TUTTI_CONFIG)');
  if (argv[argv[0] === 'help' ? 1 : 0] !== 'server') return;
  const { configSchema } = await import('@tutti/server');
  const { addServerOptions, readServerOptions } = await import('./server-options.ts');
  addServerOptions(command, configSchema);
  command.action(async (options: { readonly config?: string }) => {
    const { runServer } = await import('../commands/server.ts');
    await act((io) => runServer(options.config, readServerOptions(command, configSchema), io));
  });
}

export function addAgentCommand(program: Command, act: Act): void {
  withConnection(program.command('agent').description('Offer this machine to a server.'))
    .option(
      '--tags <list>',
      'what jobs ask for, as in linux,node; the operating system if absent',
      addList,
    )
    .option('--name <name>', 'name in listings; that of the host if absent')
    .option(
      '--namespaces <list>',
      'namespaces whose jobs may run here, or *; default if absent',
      addNames('--namespaces'),
    )
    .option('--workspace-dir <dir>', 'directory that commands run in; temporary if absent')
    .option(
      '--allow-path <dir>',
      'one more directory whose files ::attach, ::put and others may move; may be repeated',
      addPath,
    )
    .option(
      '--user-per-job [first-last]',
      'run each job as a user of its own, out of these user ids, 2000000000-2000000999 if absent; needs root, and Linux',
    )
    .option(
      '--slots <n>',
      'jobs at one time, or auto for one per processor; 1 if absent',
      readSlots,
    )
    .option('--encoding <name>', 'of what commands print; utf-8 if absent')
    .action(async (options: Partial<AgentCommandOptions>) => {
      const { runAgentCommand } = await import('../commands/agent.ts');
      const tags = options.tags ?? defaultTags(process.platform);
      await act((io) => runAgentCommand({ ...options, tags }, io));
    });
}
