/** Commands about the parts of a server besides workflows: agents, channels, namespaces and versions. */
import { type Command, Option } from 'commander';
import type { AgentsOptions, DeleteAgentsOptions } from '../commands/agents.ts';
import type { ChannelsOptions } from '../commands/channels.ts';
import type { DescribeAgentOptions } from '../commands/describe-agent.ts';
import type { DrainOptions, UndrainOptions } from '../commands/drain-agents.ts';
import type { NamespacesOptions } from '../commands/namespaces.ts';
import type { VersionOptions } from '../commands/version.ts';
import { withConnection } from '../options/connection-options.ts';
import { readSeconds } from '../options/option-values.ts';
import { withSelectors } from '../options/selector-options.ts';
import { withWatch } from '../options/watch-option.ts';
import { resourceOutputOption } from '../resources/output.ts';
import { RESOURCES, VERBS } from '../tokens/access-words.ts';
import type { Act } from './act.ts';
import { addEventCommands } from './event-commands.ts';
import { addPipelineCommands } from './pipeline-commands.ts';

export function addInventoryCommands(program: Command, act: Act): void {
  addAgentsCommand(program, act);
  addChannelsCommand(program, act);
  addNamespacesCommand(program, act);
  addEventCommands(program, act);
  addPipelineCommands(program, act);
  addVersionCommand(program, act);
}

function addAgentsCommand(program: Command, act: Act): void {
  const agents = program
    .command('agents')
    .description('Show agents, and take them out of service.');
  const list = agents
    .command('list', { isDefault: true })
    .description('Show the agents of a server.');
  withWatch(withSelectors(withConnection(list)))
    .addOption(resourceOutputOption())
    .addHelpText('after', LIST_EXAMPLES)
    .action(async (options: AgentsOptions) => {
      const { listAgents } = await import('../commands/agents.ts');
      await act((io) => listAgents(options, io));
    });
  addDescribe(agents, act);
  addDrains(agents, act);
  addDelete(agents, act);
}

const LIST_EXAMPLES = `
Examples:
  tutti agents --field-selector "(linux) in spec.tags,status.phase==IDLE"
  tutti agents --watch --timeout 1h
  tutti agents -o custom-columns=NAME:metadata.name,SEEN:status.lastCommunicationTimestamp`;

const ID_ARGUMENT = ['[ids...]', 'ids of agents, or how they begin'] as const;

function addDescribe(agents: Command, act: Act): void {
  const describe = agents
    .command('describe')
    .description('Show an agent, the job that it works on, and the jobs that wait for it.')
    .argument('<id>', 'id of the agent, or how it begins');
  withConnection(describe)
    .addOption(
      new Option('-o, --output <format>', 'json, yaml: for programs')
        .choices(['table', 'json', 'yaml'])
        .default('table'),
    )
    .addHelpText('after', '\nExample:\n  tutti agents describe 0199e2')
    .action(async (id: string, options: DescribeAgentOptions) => {
      const { describeAgent } = await import('../commands/describe-agent.ts');
      await act((io) => describeAgent(id, options, io));
    });
}

const DRAIN_TIMEOUT_MS = 3_600_000;

function addDrains(agents: Command, act: Act): void {
  const drain = agents
    .command('drain')
    .description('Give agents no further job. They end what they have.')
    .argument(...ID_ARGUMENT);
  withSelectors(withConnection(drain))
    .option('--all', 'all agents')
    .option('--wait', 'until they work on nothing')
    .addOption(
      new Option('--timeout <time>', 'with --wait: for how long, as in 30 (seconds) or 5m')
        .argParser(readSeconds)
        .default(DRAIN_TIMEOUT_MS, '1 hour'),
    )
    .addHelpText('after', DRAIN_HELP)
    .action(async (ids: readonly string[], options: DrainOptions) => {
      const { drainAgents } = await import('../commands/drain-agents.ts');
      await act((io) => drainAgents(ids, options, io));
    });
  const undrain = agents
    .command('undrain')
    .description('Give agents jobs again.')
    .argument(...ID_ARGUMENT);
  withSelectors(withConnection(undrain))
    .option('--all', 'all agents')
    .addHelpText('after', '\nExample:\n  tutti agents undrain --all')
    .action(async (ids: readonly string[], options: UndrainOptions) => {
      const { undrainAgents } = await import('../commands/drain-agents.ts');
      await act((io) => undrainAgents(ids, options, io));
    });
}

const DRAIN_HELP = `
Example:
  tutti agents drain --field-selector metadata.name==build-1 --wait --timeout 30m

An agent that registers anew, as ours does when it is started again, is another one: it takes jobs.

Exit codes:
  0  done; with --wait: they work on nothing
  1  with --wait: the time is over; they still take no further job
  2  wrong use, a refusal of the server, or a server that cannot be reached`;

function addDelete(agents: Command, act: Act): void {
  const remove = agents
    .command('delete')
    .description('De-register agents. The workflow that an agent works for is canceled.')
    .argument(...ID_ARGUMENT);
  withSelectors(withConnection(remove))
    .option('--all', 'all agents')
    .option('-y, --yes', 'do not ask whether several that were chosen by selectors are meant')
    .option('--force', 'whatever the agent does; servers of others may refuse without it')
    .addHelpText('after', DELETE_EXAMPLES)
    .action(async (ids: readonly string[], options: DeleteAgentsOptions) => {
      const { deleteAgents } = await import('../commands/agents.ts');
      await act((io) => deleteAgents(ids, options, io));
    });
}

const DELETE_EXAMPLES = `
Examples:
  tutti agents delete 0199e2
  tutti agents delete --field-selector status.phase==UNREACHABLE`;

function addChannelsCommand(program: Command, act: Act): void {
  const channels = program
    .command('channels')
    .description(
      'Show the environments of a server: those of its agents and of other channel handlers.',
    );
  withWatch(withSelectors(withConnection(channels)))
    .addOption(resourceOutputOption())
    .addHelpText('after', '\nExample:\n  tutti channels --field-selector "(linux) in spec.tags"')
    .action(async (options: ChannelsOptions) => {
      const { listChannels } = await import('../commands/channels.ts');
      await act((io) => listChannels(options, io));
    });
}

function addNamespacesCommand(program: Command, act: Act): void {
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
      const { listNamespaces } = await import('../commands/namespaces.ts');
      await act((io) => listNamespaces(options, io));
    });
}

function addVersionCommand(program: Command, act: Act): void {
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
      const { showVersion } = await import('../commands/version.ts');
      await act((io) => showVersion(options, io));
    });
}
