/** The commands about what a server has beside its workflows: agents, channels, namespaces and versions. */
import { type Command, Option } from 'commander';
import type { AgentsOptions, DeleteAgentsOptions } from './commands/agents.ts';
import type { ChannelsOptions } from './commands/channels.ts';
import type { NamespacesOptions } from './commands/namespaces.ts';
import type { VersionOptions } from './commands/version.ts';
import { withConnection } from './connection-options.ts';
import { addEventCommands } from './event-commands.ts';
import type { Io } from './io.ts';
import { addPipelineCommands } from './pipeline-commands.ts';
import { resourceOutputOption } from './resources/output.ts';
import { withSelectors } from './resources/selector-options.ts';
import { watchOption } from './resources/watch-option.ts';

type End = (action: Promise<number>) => Promise<void>;

export function addInventoryCommands(program: Command, end: End, io: Io): void {
  addAgentsCommand(program, end, io);
  addChannelsCommand(program, end, io);
  addNamespacesCommand(program, end, io);
  addEventCommands(program, end, io);
  addPipelineCommands(program, end, io);
  addVersionCommand(program, end, io);
}

function addAgentsCommand(program: Command, end: End, io: Io): void {
  const agents = program
    .command('agents')
    .description('Show agents, and take them out of service.');
  const list = agents
    .command('list', { isDefault: true })
    .description('Show the agents of a server.');
  withSelectors(withConnection(list))
    .addOption(resourceOutputOption())
    .addOption(watchOption())
    .addHelpText('after', LIST_EXAMPLES)
    .action(async (options: AgentsOptions) => {
      const { listAgents } = await import('./commands/agents.ts');
      await end(listAgents(options, io));
    });
  const remove = agents
    .command('delete')
    .description('De-register agents. The workflow that an agent works for is canceled.')
    .argument('[ids...]', 'ids of agents, or how they begin');
  withSelectors(withConnection(remove))
    .option('--all', 'all agents')
    .option('--force', 'whatever the agent does; servers of others may refuse without it')
    .addHelpText('after', DELETE_EXAMPLES)
    .action(async (ids: readonly string[], options: DeleteAgentsOptions) => {
      const { deleteAgents } = await import('./commands/agents.ts');
      await end(deleteAgents(ids, options, io));
    });
}

const LIST_EXAMPLES = `
Examples:
  tutti agents --field-selector "(linux) in spec.tags,status.phase==IDLE"
  tutti agents -o custom-columns=NAME:metadata.name,SEEN:status.lastCommunicationTimestamp`;

const DELETE_EXAMPLES = `
Examples:
  tutti agents delete 0199e2
  tutti agents delete --field-selector status.phase==UNREACHABLE`;

function addChannelsCommand(program: Command, end: End, io: Io): void {
  const channels = program
    .command('channels')
    .description(
      'Show the environments of a server: those of its agents and of other channel handlers.',
    );
  withSelectors(withConnection(channels))
    .addOption(resourceOutputOption())
    .addOption(watchOption())
    .addHelpText('after', '\nExample:\n  tutti channels --field-selector "(linux) in spec.tags"')
    .action(async (options: ChannelsOptions) => {
      const { listChannels } = await import('./commands/channels.ts');
      await end(listChannels(options, io));
    });
}

const RESOURCES = [
  'agents',
  'channelhandlers',
  'channels',
  'qualitygates',
  'status',
  'subscriptions',
  'workflows',
];
const VERBS = ['list', 'get', 'create', 'delete'];

function addNamespacesCommand(program: Command, end: End, io: Io): void {
  const namespaces = program
    .command('namespaces')
    .description('Show the namespaces in which the token may do something; * stands for all.');
  withConnection(namespaces)
    .addOption(
      new Option('--resource <resource>', 'with --verb: in which it may do that').choices(
        RESOURCES,
      ),
    )
    .addOption(new Option('--verb <verb>', 'with --resource: what it may do there').choices(VERBS))
    .addOption(resourceOutputOption())
    .addHelpText('after', '\nExample:\n  tutti namespaces --resource workflows --verb create')
    .action(async (options: NamespacesOptions) => {
      const { listNamespaces } = await import('./commands/namespaces.ts');
      await end(listNamespaces(options, io));
    });
}

function addVersionCommand(program: Command, end: End, io: Io): void {
  const version = program
    .command('version')
    .description(
      'Show versions: that of this command line and, if a server is named, what that is made of.',
    );
  withConnection(version)
    .addOption(
      new Option('-o, --output <format>', 'json, yaml: for programs')
        .choices(['table', 'json', 'yaml'])
        .default('table'),
    )
    .addHelpText('after', '\nExample:\n  tutti version --server https://tutti.example -o json')
    .action(async (options: VersionOptions) => {
      const { showVersion } = await import('./commands/version.ts');
      await end(showVersion(options, io));
    });
}
