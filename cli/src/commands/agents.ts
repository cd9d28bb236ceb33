/** `tutti agents`: the agents of a server and what they do. */
import type { JsonRecord } from '@tutti/client';
import { countOf } from '@tutti/manifests';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import type { SelectorOptions } from '../options/selector-options.ts';
import { type ChoiceOptions, type ChoiceSource, chosenIds } from '../resources/chosen-ids.ts';
import { forEachItem } from '../resources/each-item.ts';
import type { Listing } from '../resources/print-items.ts';
import { type ListOptions, showList } from '../resources/show-list.ts';
import { valuePath, valuesAt } from '../resources/value-path.ts';
import { asCalled } from '../terminal/command-name.ts';
import { confirm } from '../terminal/confirm.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';

export interface AgentsOptions extends ConnectionOptions, ListOptions {}

export interface DeleteAgentsOptions extends ConnectionOptions, ChoiceOptions {
  readonly force?: boolean;
  /** Skips the confirmation. */
  readonly yes?: boolean;
}

export const AGENTS: ChoiceSource = {
  noun: 'agent',
  resource: 'agents',
  listCommand: 'tutti agents',
  idPath: 'metadata.agent_id',
};

/** Resolves with the exit code. */
export async function listAgents(options: AgentsOptions, io: Io): Promise<number> {
  const listing = agentListing(options, io);
  return await showList(await connect(options, io), { resource: 'agents', listing }, options, io);
}

/** Resolves with the exit code. */
export async function deleteAgents(
  ids: readonly string[],
  options: DeleteAgentsOptions,
  io: Io,
): Promise<number> {
  const client = await connect(options, io);
  const chosen = await chosenIds(ids, options, AGENTS, client);
  if (chosen.length === 0) io.complain('No agent fits, so none was de-registered.\n');
  const isMeant = ids.length > 0 || chosen.length <= 1 || options.yes === true;
  if (!isMeant && !(await confirm(`De-register ${countOf(chosen.length, 'agent')}?`, io))) {
    io.complain('No agent was de-registered.\n');
    return EXIT_CODES.problem;
  }
  const query = { force: options.force === true ? 'true' : undefined };
  const remove = async (id: string) => {
    const { message } = await client.ask({ method: 'DELETE', path: `/agents/${id}`, query });
    return String(message);
  };
  return await forEachItem(chosen, remove, io);
}

function agentListing({ selector, fieldSelector }: SelectorOptions, io: Io): Listing {
  const isChosen = selector !== undefined || fieldSelector !== undefined;
  return {
    columns: [
      { title: 'NAME', cell: 'metadata.name' },
      { title: 'STATUS', cell: phaseOf },
      { title: 'TAGS', cell: 'spec.tags' },
      { title: 'NAMESPACES', cell: 'metadata.namespaces' },
      { title: 'AGENT_ID', cell: AGENTS.idPath },
      { title: 'RUNNING_JOB', cell: 'status.currentJobID' },
      { title: 'LAST_SEEN', cell: 'status.lastCommunicationTimestamp', isWide: true },
      { title: 'REGISTERED', cell: 'metadata.creationTimestamp', isWide: true },
      { title: 'VERSION', cell: 'metadata.version', isWide: true },
    ],
    idPath: AGENTS.idPath,
    emptyText: isChosen
      ? 'No agent fits.'
      : `There are no agents. ${asCalled('Start one with: tutti agent --tags linux', io.command)}`,
  };
}

function phaseOf(agent: JsonRecord): string {
  const phase = textIn(agent, 'status.phase');
  return textIn(agent, 'status.draining') === 'true' ? `${phase},draining` : phase;
}

/** Empty without a value. */
function textIn(item: JsonRecord, path: string): string {
  const [value] = valuesAt(item, valuePath(path) ?? []);
  return value === undefined || value === null ? '' : String(value);
}
