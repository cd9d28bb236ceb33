/** What is there at this moment, for completion: ids of a server, names of the configuration. Quick, and silent about all that goes wrong. */
import { Command } from 'commander';
import { type ConfigPlaceOptions, configPlace } from '../client-config/config-place.ts';
import { type ConnectionOptions, connect } from '../connection.ts';
import { withConnection } from '../connection-options.ts';
import type { Io } from '../io.ts';
import { valuePath, valuesAt } from '../resources/value-path.ts';
import type { LiveKind } from './completion-table.ts';

/** Whoever types waits for it. */
const TIME_LIMIT_MS = 1_000;
/** More is not read, and takes long to show. */
const WORDS_MAX = 200;

/** Resolves within a second, with nothing where that is not enough. `line`: what was typed so far, of which options of the connection count. */
export async function liveWords(
  kind: LiveKind,
  line: readonly string[],
  io: Io,
): Promise<readonly string[]> {
  const options = connectionOptionsOf(line);
  const signal = AbortSignal.timeout(TIME_LIMIT_MS);
  const late = new Promise<readonly string[]>((resolve) => {
    signal.addEventListener('abort', () => resolve([]));
  });
  const found = wordsOf(kind, options, signal, io).catch(() => []);
  return (await Promise.race([found, late])).slice(0, WORDS_MAX);
}

/** Of any command: all of them have the same ones. */
function connectionOptionsOf(line: readonly string[]): ConnectionOptions {
  const reader = withConnection(new Command()).allowUnknownOption().exitOverride();
  reader.argument('[words...]').configureOutput({ writeErr: () => {}, writeOut: () => {} });
  try {
    reader.helpOption(false).parse([...line], { from: 'user' });
  } catch {
    // Half of what is typed may be missing.
  }
  return reader.opts();
}

async function wordsOf(
  kind: LiveKind,
  options: ConnectionOptions,
  signal: AbortSignal,
  io: Io,
): Promise<readonly string[]> {
  switch (kind) {
    case 'contexts':
    case 'orchestrators':
    case 'users':
      return await configuredNames(kind, options, io);
    case 'namespaces':
      return await namespaces(options, signal, io);
    case 'providers':
      return await ids({ items: await providers(options, signal, io), path: 'metadata.name' });
    case 'workflows':
      return await listed(kind, 'metadata.workflow_id', options, signal, io);
    case 'agents':
      return await listed(kind, 'metadata.agent_id', options, signal, io);
    case 'subscriptions':
      return await listed(kind, 'metadata.subscription_id', options, signal, io);
  }
}

async function configuredNames(
  kind: 'contexts' | 'orchestrators' | 'users',
  options: ConfigPlaceOptions,
  io: Io,
): Promise<readonly string[]> {
  const place = configPlace(options, io.env);
  if (!place.isThere) return [];
  const { readConfigParts } = await import('../client-config/read-config.ts');
  return readConfigParts(place)[kind].map(({ name }) => name);
}

async function listed(
  kind: 'workflows' | 'agents' | 'subscriptions',
  path: string,
  options: ConnectionOptions,
  signal: AbortSignal,
  io: Io,
): Promise<readonly string[]> {
  const client = await connect(options, io);
  // The newest first: of many, these are meant.
  return ids({ items: (await client.list(kind, { signal })).toReversed(), path });
}

const ids = ({ items, path }: { readonly items: readonly object[]; readonly path: string }) =>
  items.flatMap((item) => valuesAt(item, valuePath(path) ?? [])).map(String);

async function namespaces(options: ConnectionOptions, signal: AbortSignal, io: Io) {
  const client = await connect(options, io);
  const body = await client.ask({ path: '/namespaces', signal });
  return ids({ items: [body], path: 'details.items.*' }).filter((name) => name !== '*');
}

async function providers(options: ConnectionOptions, signal: AbortSignal, io: Io) {
  const client = await connect(options, io);
  const { items } = await client.document('providers', { signal });
  return Array.isArray(items) ? items.filter((item) => typeof item === 'object') : [];
}
