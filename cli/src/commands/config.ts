/** The commands of `tutti config` that show or copy. None of them asks a server. */
import { existsSync, readFileSync } from 'node:fs';
import { serverAddress } from '@tutti/client/service-addresses';
import { textOf } from '@tutti/manifests/values';
import { changeFile } from '../client-config/change-file.ts';
import { type ConfigParts, configParts } from '../client-config/client-context.ts';
import {
  type ConfigPlaceOptions,
  configPlace,
  foreignPlace,
  readablePlace,
  writablePlace,
} from '../client-config/config-place.ts';
import { EditedConfig } from '../client-config/edit-config.ts';
import { readConfigDocument, readConfigParts } from '../client-config/read-config.ts';
import { readOutput } from '../resources/output.ts';
import { type Listing, printItems } from '../resources/print-items.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import { isPlainAddress, shownAddress } from '../terminal/shown-address.ts';
import { cleanOutput } from '../terminal/style.ts';

export type ConfigOptions = ConfigPlaceOptions;

const NOTHING = 'There is no configuration. "tutti config --help" says how to make one.';

const noContexts = (file: string): string =>
  `There are no contexts in ${file}. "tutti config --help" says how to make one.`;

/** Prints the file without its secrets. */
export async function viewConfig(
  options: ConfigOptions & { readonly output: 'yaml' | 'json' },
  io: Io,
): Promise<number> {
  const place = readablePlace(options, io.env);
  if (place === null) {
    io.complain(`${NOTHING}\n`);
    return EXIT_CODES.done;
  }
  const config = new EditedConfig(place.file);
  const { document, parts } = config;
  const { users, orchestrators } = parts;
  for (const { name, entries } of orchestrators) {
    const server = textOf(entries.server);
    if (server === null || isPlainAddress(server)) continue;
    config.part('orchestrators', name)?.set('server', shownAddress(server));
  }
  for (const { name, entries } of users) {
    if (entries.token !== undefined) config.part('users', name)?.set('token', 'REDACTED');
  }
  const text =
    options.output === 'json' ? `${JSON.stringify(document.toJS(), null, 2)}\n` : String(document);
  io.screen.write(cleanOutput(text, false));
  return EXIT_CODES.done;
}

/** The path alone, for scripts. */
export async function showPath(options: ConfigOptions, io: Io): Promise<number> {
  const place = configPlace(options, io.env);
  io.screen.write(`${place.file}\n`);
  if (!place.isThere) io.complain('tutti: This file is not there yet.\n');
  else if (place.isForeign) io.complain(`tutti: It belongs to another client, and is only read.\n`);
  return EXIT_CODES.done;
}

const listingOf = (emptyText: string): Listing => ({
  columns: [
    { title: 'CURRENT', cell: ({ current }) => (current === true ? '*' : '') },
    { title: 'NAME', cell: 'name' },
    { title: 'SERVER', cell: 'server' },
    { title: 'USER', cell: 'user' },
    { title: 'NAMESPACE', cell: 'namespace' },
    { title: 'ORCHESTRATOR', cell: 'orchestrator', isWide: true },
  ],
  idPath: 'name',
  emptyText,
});

export async function listContexts(
  options: ConfigOptions & { readonly output: string },
  io: Io,
): Promise<number> {
  const place = readablePlace(options, io.env);
  const items = place === null ? [] : contextItems(readConfigParts(place));
  const none = place === null ? NOTHING : noContexts(place.file);
  await printItems(items, listingOf(none), readOutput(options.output), io);
  return EXIT_CODES.done;
}

function contextItems({ contexts, orchestrators, current }: ConfigParts) {
  return contexts.map(({ name, entries }) => {
    const orchestrator = textOf(entries.orchestrator);
    const found = orchestrators.find((each) => each.name === orchestrator);
    return {
      name,
      current: name === current,
      orchestrator,
      server: serverAddress(found?.entries ?? {}),
      user: textOf(entries.user),
      namespace: textOf(entries.namespace),
    };
  });
}

/** Copies the file byte by byte, comments and all. */
export async function importClientConfig(
  named: string | undefined,
  options: ConfigOptions & { readonly force?: boolean },
  io: Io,
): Promise<number> {
  const from = named ?? foreignPlace(io.env)?.file ?? null;
  if (from === null || !existsSync(from)) {
    throw new UsageError(
      from === null ? 'There is no configuration to copy.' : `There is no file ${from}.`,
      'name the configuration of the client: "tutti config import FILE".',
    );
  }
  const { file } = writablePlace(options, io.env);
  changeFile(file, () => {
    if (existsSync(file) && options.force !== true) throw isThereAlready(file);
    configParts(readConfigDocument(from).toJS(), from);
    return readFileSync(from, 'utf8');
  });
  io.screen.write(`Copied ${from} to ${file}.\n`);
  return EXIT_CODES.done;
}

const isThereAlready = (file: string): UsageError =>
  new UsageError(
    `There is a configuration ${file} already.`,
    'replace it with --force, or name another file with --client-config.',
  );
