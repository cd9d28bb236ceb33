/** What `tutti config` changes: one part of the file at a time, and nothing else of it. */

import { serverAddress } from '@tutti/client/service-addresses';
import { entriesOf, numberOf, textOf } from '@tutti/manifests/values';
import type { Document } from 'yaml';
import {
  type ConfigParts,
  configParts,
  PARTS,
  type PartList,
  partNamed,
} from '../client-config/client-context.ts';
import {
  type ConfigPlace,
  type ConfigPlaceOptions,
  configPlace,
  writablePlace,
} from '../client-config/config-place.ts';
import {
  changeConfig,
  deletePart,
  FOREIGN_ADVICE,
  openConfig,
  type PartValues,
  partOf,
  setCurrentContext,
  setPart,
} from '../client-config/edit-config.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import { readInput } from '../terminal/read-input.ts';
import { isPlainAddress, shownAddress } from '../terminal/shown-address.ts';
import { cleanOutput } from '../terminal/style.ts';
import { orchestratorValues, userValues } from './config-values.ts';

type ConfigOptions = ConfigPlaceOptions;

export interface ContextChange extends ConfigOptions {
  readonly current?: boolean;
  readonly orchestrator?: string;
  readonly user?: string;
  readonly namespace?: string;
}

/** As commander gives them: with the ports and prefixes of services, too. */
export type OrchestratorChange = ConfigOptions & Readonly<Record<string, unknown>>;
export type CredentialsChange = ConfigOptions & Readonly<Record<string, unknown>>;

export async function useContext(name: string, options: ConfigOptions, io: Io): Promise<number> {
  return change(options, io, (document, parts) => {
    partNamed(parts, 'contexts', name);
    setCurrentContext(document, name);
    return `Commands are called in context "${name}" from now on.`;
  });
}

/** The first context of a file becomes the current one. */
export async function setContext(
  named: string | undefined,
  options: ContextChange,
  io: Io,
): Promise<number> {
  return change(options, io, (document, parts) => {
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
    setPart(document, 'contexts', name, { orchestrator, user, namespace });
    const isFirst = parts.current === null;
    if (isFirst) setCurrentContext(document, name);
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
  return change(options, io, (document, parts) => {
    const server = textOf(options.server) ?? undefined;
    const isKnown = parts.orchestrators.some((each) => each.name === name);
    if (!isKnown && server === undefined) {
      throw new UsageError(
        `A new orchestrator needs an address.`,
        `name it: "tutti config set-orchestrator ${name} --server URL".`,
      );
    }
    if (server !== undefined && serverAddress({ server }) === null) {
      throw new UsageError(
        `Not the address of a server: ${shownAddress(server)}.`,
        'write it with http:// or https://.',
      );
    }
    if (server !== undefined && !isPlainAddress(server)) {
      throw new UsageError(
        `The address ${shownAddress(server)} has a name, a password or a query, which no server takes.`,
        'leave them out, and name a token: "tutti config set-credentials NAME --token-file FILE".',
      );
    }
    const values = { server, ...orchestratorValues(options) };
    const isNew = setPart(document, 'orchestrators', name, values);
    setServices(document, name, options);
    return told('Orchestrator', name, isNew);
  });
}

/** Ports of old files move to where the others are: both together mean nothing. */
function setServices(document: Document, name: string, options: OrchestratorChange): void {
  const given = Object.entries(options).flatMap(([option, value]) => {
    const [, service = '', key = ''] = /^([a-z]+)(Port|Prefix)$/.exec(option) ?? [];
    return service === '' ? [] : [{ service, key: key.toLowerCase(), value }];
  });
  const orchestrator = partOf(document, 'orchestrators', name);
  if (given.length === 0 || orchestrator === null) return;
  const ports = Object.entries(entriesOf(orchestrator.toJS(document)?.ports));
  orchestrator.delete('ports');
  for (const [service, port] of ports) {
    orchestrator.setIn(['services', service, 'port'], numberOf(port));
  }
  for (const { service, key, value } of given) {
    orchestrator.setIn(['services', service, key], value);
  }
}

export async function setCredentials(
  name: string,
  options: CredentialsChange,
  io: Io,
): Promise<number> {
  if (options.token !== undefined && options.tokenFile !== undefined) {
    throw new UsageError('--token and --token-file both name a token.', 'leave one of them out.');
  }
  const token = options.token === '-' ? await readInput(io) : textOf(options.token);
  if (token === '') {
    throw new UsageError('There is no token on standard input.', 'send one, and nothing else.');
  }
  const values: PartValues = { token: token ?? undefined, ...userValues(options) };
  return change(options, io, (document) => {
    const isNew = setPart(document, 'users', name, values);
    // The other one would be stronger, or stale.
    const replaced = token !== null ? 'token-file' : 'token';
    const hasToken = token !== null || values['token-file'] !== undefined;
    if (hasToken) partOf(document, 'users', name)?.delete(replaced);
    return told('User', name, isNew);
  });
}

export async function deleteConfigPart(
  list: PartList,
  name: string,
  options: ConfigOptions,
  io: Io,
): Promise<number> {
  return change(options, io, (document, parts) => {
    partNamed(parts, list, name);
    deletePart(document, list, name);
    const key = PARTS[list];
    const noun = `${key.charAt(0).toUpperCase()}${key.slice(1)}`;
    const isCurrent = list === 'contexts' && parts.current === name;
    if (isCurrent) setCurrentContext(document, null);
    const users = parts.contexts.filter(({ entries }) => textOf(entries[key]) === name);
    const named = users.map((each) => `"${each.name}"`).join(', ');
    const left = list === 'contexts' || named === '' ? '' : ` It is still named by: ${named}.`;
    return `${noun} "${name}" removed.${isCurrent ? ' No context is the current one now.' : ''}${left}`;
  });
}

/** Reads, changes and writes the file, which nobody else changes meanwhile, and says what was done. */
async function change(
  options: ConfigOptions,
  io: Io,
  edit: (document: Document, parts: ConfigParts) => string,
): Promise<number> {
  refuseForeign(configPlace(options, io.env));
  const place = writablePlace(options, io.env);
  let said = '';
  await changeConfig(place, (now) => {
    const document = openConfig(now);
    said = edit(document, configParts(document.toJS(), now.file));
    return String(document);
  });
  io.screen.write(`${cleanOutput(said, false)}\n`);
  return EXIT_CODES.done;
}

function refuseForeign({ file, isForeign, isThere }: ConfigPlace): void {
  if (!isForeign || !isThere) return;
  throw new UsageError(
    `The configuration is that of another client (${file}), which is never written.`,
    FOREIGN_ADVICE,
  );
}
