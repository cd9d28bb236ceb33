/** The commands of `tutti config`. Changes replace one part of the file and keep the rest. None of them asks a server. */
import { existsSync, readFileSync } from 'node:fs';
import { serverAddress } from '@tutti/client/service-addresses';
import { textOf } from '@tutti/manifests/values';
import { cleanOutput } from '@tutti/run-view/text';
import { changeFile } from '../client-config/change-file.ts';
import {
  type ConfigParts,
  configParts,
  PARTS,
  type PartList,
  partNamed,
} from '../client-config/client-context.ts';
import { ORCHESTRATOR_KEYS, USER_KEYS } from '../client-config/config-keys.ts';
import {
  configPlace,
  foreignPlace,
  readablePlace,
  writablePlace,
} from '../client-config/config-place.ts';
import { EditedConfig, type PartValues } from '../client-config/edit-config.ts';
import { readConfigDocument, readConfigParts } from '../client-config/read-config.ts';
import { readOutput } from '../resources/output.ts';
import { printItems, type ResourceColumn } from '../resources/print-items.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import { isPlainAddress, shownAddress } from '../terminal/shown-address.ts';
import { checkedServer, givenSecret, valuesOf } from './config-values.ts';

/** Options of a command, and its argument, under the names that commander gives them. */
interface Call {
  readonly clientConfig?: string;
  readonly argument?: string;
}

type ShowCall = Call & { readonly output: string };

const NOTHING = 'There is no configuration. "tutti config --help" says how to make one.';

/** Prints the file without its secrets. */
export async function viewConfig(options: ShowCall, io: Io): Promise<number> {
  const place = readablePlace(options, io.env);
  if (place === null) {
    io.complain(`${NOTHING}\n`);
    return EXIT_CODES.done;
  }
  const config = new EditedConfig(place.file);
  const { document, parts } = config;
  for (const { name, entries } of parts.orchestrators) {
    const server = textOf(entries.server);
    if (server === null || isPlainAddress(server)) continue;
    config.part('orchestrators', name)?.set('server', shownAddress(server));
  }
  for (const { name, entries } of parts.users) {
    if (entries.token !== undefined) config.part('users', name)?.set('token', 'REDACTED');
  }
  const json = () => `${JSON.stringify(document.toJS(), null, 2)}\n`;
  io.screen.write(cleanOutput(options.output === 'json' ? json() : String(document), false));
  return EXIT_CODES.done;
}

/** Prints the path alone, for scripts. */
export async function showPath(options: Call, io: Io): Promise<number> {
  const place = configPlace(options, io.env);
  io.screen.write(`${place.file}\n`);
  if (!place.isThere) io.complain('tutti: This file is not there yet.\n');
  else if (place.isForeign) io.complain('tutti: It belongs to another client, and is only read.\n');
  return EXIT_CODES.done;
}

const COLUMNS: readonly ResourceColumn[] = [
  { title: 'CURRENT', cell: ({ current }) => (current === true ? '*' : '') },
  { title: 'NAME', cell: 'name' },
  { title: 'SERVER', cell: 'server' },
  { title: 'USER', cell: 'user' },
  { title: 'NAMESPACE', cell: 'namespace' },
  { title: 'ORCHESTRATOR', cell: 'orchestrator', isWide: true },
];

export async function listContexts(options: ShowCall, io: Io): Promise<number> {
  const place = readablePlace(options, io.env);
  const items = place === null ? [] : contextItems(readConfigParts(place));
  const none = `There are no contexts in ${place?.file}. "tutti config --help" says how to make one.`;
  const listing = { columns: COLUMNS, idPath: 'name', emptyText: place === null ? NOTHING : none };
  await printItems(items, listing, readOutput(options.output), io);
  return EXIT_CODES.done;
}

function contextItems({ contexts, orchestrators, current }: ConfigParts) {
  return contexts.map(({ name, entries }) => {
    const orchestrator = textOf(entries.orchestrator);
    const found = orchestrators.find((each) => each.name === orchestrator);
    return {
      ...{ name, current: name === current, orchestrator },
      server: serverAddress(found?.entries ?? {}),
      user: textOf(entries.user),
      namespace: textOf(entries.namespace),
    };
  });
}

type ImportCall = Call & { readonly force?: boolean };

/** Copies the file byte by byte, comments and all. */
export async function importClientConfig(options: ImportCall, io: Io): Promise<number> {
  const from = options.argument ?? foreignPlace(io.env)?.file ?? null;
  if (from === null || !existsSync(from)) {
    throw new UsageError(
      from === null ? 'There is no configuration to copy.' : `There is no file ${from}.`,
      'name the configuration of the client: "tutti config import FILE".',
    );
  }
  const { file } = writablePlace(options, io.env);
  changeFile(file, () => {
    if (existsSync(file) && options.force !== true) {
      throw new UsageError(
        `There is a configuration ${file} already.`,
        'replace it with --force, or name another file with --client-config.',
      );
    }
    configParts(readConfigDocument(from).toJS(), from);
    return readFileSync(from, 'utf8');
  });
  io.screen.write(`Copied ${from} to ${file}.\n`);
  return EXIT_CODES.done;
}

export async function useContext(options: Call, io: Io): Promise<number> {
  return change(options, io, (config, name) => {
    partNamed(config.parts, 'contexts', name);
    config.document.set('current-context', name);
    return `Commands are called in context "${name}" from now on.`;
  });
}

interface ContextChange extends Call {
  readonly current?: boolean;
  readonly orchestrator?: string;
  readonly user?: string;
  readonly namespace?: string;
}

/** The first context of a file becomes the current one. */
export async function setContext(options: ContextChange, io: Io): Promise<number> {
  return change(options, io, (config) => {
    const { parts } = config;
    const name = contextName(options, parts);
    const { orchestrator, user, namespace } = options;
    if (orchestrator !== undefined) partNamed(parts, 'orchestrators', orchestrator);
    if (user !== undefined) partNamed(parts, 'users', user);
    if (orchestrator === undefined && !parts.contexts.some((each) => each.name === name)) {
      throw new UsageError(
        'A new context needs an orchestrator.',
        `name one: "tutti config set-context ${name} --orchestrator NAME".`,
      );
    }
    const isNew = config.set('contexts', name, { orchestrator, user, namespace });
    const isFirst = parts.current === null;
    if (isFirst) config.document.set('current-context', name);
    return `${savedMessage('Context', name, isNew)}${isFirst ? ' It is the current one.' : ''}`;
  });
}

function contextName({ argument, current }: ContextChange, parts: ConfigParts): string {
  if ((argument === undefined) !== (current === true)) {
    throw new UsageError('Which context is meant?', 'give its name, or --current, and not both.');
  }
  const name = argument ?? parts.current;
  if (name !== null) return name;
  throw new UsageError('There is no current context.', 'make one with "tutti config use-context".');
}

const savedMessage = (what: string, name: string, isNew: boolean): string =>
  `${what} "${name}" ${isNew ? 'made' : 'changed'}.`;

/** Options of commander, including ports and prefixes of services. */
export async function setOrchestrator(options: Call & PartValues, io: Io): Promise<number> {
  return change(options, io, (config, name) => {
    const server = textOf(options.server) ?? undefined;
    const isKnown = config.parts.orchestrators.some((each) => each.name === name);
    if (!isKnown && server === undefined) {
      throw new UsageError(
        'A new orchestrator needs an address.',
        `name it: "tutti config set-orchestrator ${name} --server URL".`,
      );
    }
    const values = valuesOf(ORCHESTRATOR_KEYS, options);
    const isNew = config.set('orchestrators', name, {
      server: server && checkedServer(server),
      ...values,
    });
    const services = Object.entries(options).flatMap(([option, value]) => {
      const [, service = '', key = ''] = /^([a-z]+)(Port|Prefix)$/.exec(option) ?? [];
      return service === '' ? [] : [[service, key.toLowerCase(), value] as const];
    });
    config.setServices(name, services);
    return savedMessage('Orchestrator', name, isNew);
  });
}

export async function setCredentials(options: Call & PartValues, io: Io): Promise<number> {
  const token = await givenSecret(options, io);
  const values = { ...valuesOf(USER_KEYS, options), token: token ?? undefined };
  return change(options, io, (config, name) => {
    const isNew = config.set('users', name, values);
    // The other setting would take precedence, or be outdated.
    const replaced = token !== null ? 'token-file' : 'token';
    if (token !== null || options.tokenFile !== undefined)
      config.part('users', name)?.delete(replaced);
    return savedMessage('User', name, isNew);
  });
}

export const deletePart =
  (list: PartList) =>
  (options: Call, io: Io): Promise<number> =>
    change(options, io, (config, name) => {
      const { parts } = config;
      partNamed(parts, list, name);
      config.delete(list, name);
      const key = PARTS[list];
      const isCurrent = list === 'contexts' && parts.current === name;
      if (isCurrent) config.document.set('current-context', null);
      const users = parts.contexts.filter(({ entries }) => textOf(entries[key]) === name);
      const named = users.map((each) => `"${each.name}"`).join(', ');
      const left = list === 'contexts' || named === '' ? '' : ` It is still named by: ${named}.`;
      const noun = `${key.charAt(0).toUpperCase()}${key.slice(1)}`;
      return `${noun} "${name}" removed.${isCurrent ? ' No context is the current one now.' : ''}${left}`;
    });

/** Reads, changes and writes the file under its lock, and reports the change. */
async function change(
  options: Call,
  io: Io,
  edit: (config: EditedConfig, name: string) => string,
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
    said = edit(config, options.argument ?? '');
    return String(config.document);
  });
  io.screen.write(`${cleanOutput(said, false)}\n`);
  return EXIT_CODES.done;
}
