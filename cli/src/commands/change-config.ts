/** The changes of `tutti config`: each replaces one part of the file and keeps the rest. */
import { textOf } from '@tutti/manifests/values';
import { changeFile } from '../client-config/change-file.ts';
import {
  type ConfigParts,
  PARTS,
  type PartList,
  partNamed,
} from '../client-config/client-context.ts';
import {
  type ConfigPlaceOptions,
  configPlace,
  writablePlace,
} from '../client-config/config-place.ts';
import { EditedConfig, type PartValues } from '../client-config/edit-config.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import { cleanOutput } from '../terminal/style.ts';
import { checkedServer, givenSecret, orchestratorValues, userValues } from './config-values.ts';

type ConfigOptions = ConfigPlaceOptions;

export interface ContextChange extends ConfigOptions {
  readonly current?: boolean;
  readonly orchestrator?: string;
  readonly user?: string;
  readonly namespace?: string;
}

/** Options of commander, including ports and prefixes of services. */
export type OrchestratorChange = ConfigOptions & Readonly<Record<string, unknown>>;
export type CredentialsChange = ConfigOptions & Readonly<Record<string, unknown>>;

export async function useContext(name: string, options: ConfigOptions, io: Io): Promise<number> {
  return change(options, io, (config) => {
    partNamed(config.parts, 'contexts', name);
    config.setCurrentContext(name);
    return `Commands are called in context "${name}" from now on.`;
  });
}

/** The first context of a file becomes the current one. */
export async function setContext(
  named: string | undefined,
  options: ContextChange,
  io: Io,
): Promise<number> {
  return change(options, io, (config) => {
    const { parts } = config;
    const name = contextName(named, options.current === true, parts);
    const { orchestrator, user, namespace } = options;
    if (orchestrator !== undefined) partNamed(parts, 'orchestrators', orchestrator);
    if (user !== undefined) partNamed(parts, 'users', user);
    const isNew = !parts.contexts.some((each) => each.name === name);
    if (isNew && orchestrator === undefined) {
      throw new UsageError(
        `A new context needs an orchestrator.`,
        `name one: "tutti config set-context ${name} --orchestrator NAME".`,
      );
    }
    config.set('contexts', name, { orchestrator, user, namespace });
    const isFirst = parts.current === null;
    if (isFirst) config.setCurrentContext(name);
    return `${told('Context', name, isNew)}${isFirst ? ' It is the current one.' : ''}`;
  });
}

function contextName(named: string | undefined, isCurrent: boolean, parts: ConfigParts): string {
  if ((named === undefined) !== isCurrent) {
    throw new UsageError('Which context is meant?', 'give its name, or --current, and not both.');
  }
  const name = named ?? parts.current;
  if (name !== null) return name;
  throw new UsageError('There is no current context.', 'make one with "tutti config use-context".');
}

const told = (what: string, name: string, isNew: boolean): string =>
  `${what} "${name}" ${isNew ? 'made' : 'changed'}.`;

export async function setOrchestrator(
  name: string,
  options: OrchestratorChange,
  io: Io,
): Promise<number> {
  return change(options, io, (config) => {
    const server = textOf(options.server) ?? undefined;
    const isKnown = config.parts.orchestrators.some((each) => each.name === name);
    if (!isKnown && server === undefined) {
      throw new UsageError(
        `A new orchestrator needs an address.`,
        `name it: "tutti config set-orchestrator ${name} --server URL".`,
      );
    }
    const values = { server: server && checkedServer(server), ...orchestratorValues(options) };
    const isNew = config.set('orchestrators', name, values);
    const services = Object.entries(options).flatMap(([option, value]) => {
      const [, service = '', key = ''] = /^([a-z]+)(Port|Prefix)$/.exec(option) ?? [];
      return service === '' ? [] : [[service, key.toLowerCase(), value] as const];
    });
    config.setServices(name, services);
    return told('Orchestrator', name, isNew);
  });
}

export async function setCredentials(
  name: string,
  options: CredentialsChange,
  io: Io,
): Promise<number> {
  const token = await givenSecret(options, io);
  const values: PartValues = { token: token ?? undefined, ...userValues(options) };
  return change(options, io, (config) => {
    const isNew = config.set('users', name, values);
    // The other setting would take precedence, or be outdated.
    const replaced = token !== null ? 'token-file' : 'token';
    const hasToken = token !== null || values['token-file'] !== undefined;
    if (hasToken) config.part('users', name)?.delete(replaced);
    return told('User', name, isNew);
  });
}

export async function deleteConfigPart(
  list: PartList,
  name: string,
  options: ConfigOptions,
  io: Io,
): Promise<number> {
  return change(options, io, (config) => {
    const { parts } = config;
    partNamed(parts, list, name);
    config.delete(list, name);
    const key = PARTS[list];
    const noun = `${key.charAt(0).toUpperCase()}${key.slice(1)}`;
    const isCurrent = list === 'contexts' && parts.current === name;
    if (isCurrent) config.setCurrentContext(null);
    const users = parts.contexts.filter(({ entries }) => textOf(entries[key]) === name);
    const named = users.map((each) => `"${each.name}"`).join(', ');
    const left = list === 'contexts' || named === '' ? '' : ` It is still named by: ${named}.`;
    return `${noun} "${name}" removed.${isCurrent ? ' No context is the current one now.' : ''}${left}`;
  });
}

/** Reads, changes and writes the file under its lock, and reports the change. */
async function change(
  options: ConfigOptions,
  io: Io,
  edit: (config: EditedConfig) => string,
): Promise<number> {
  const read = configPlace(options, io.env);
  if (read.isForeign && read.isThere) {
    throw new UsageError(
      `The configuration is that of another client (${read.file}), which is never written.`,
      'copy it with "tutti config import", then change the copy; that client keeps its own file.',
    );
  }
  const { file } = writablePlace(options, io.env);
  let said = '';
  changeFile(file, () => {
    const config = new EditedConfig(file);
    said = edit(config);
    return String(config.document);
  });
  io.screen.write(`${cleanOutput(said, false)}\n`);
  return EXIT_CODES.done;
}
