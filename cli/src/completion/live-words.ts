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

/** Begins when the server is asked; the signal is that of its end. */
export type BeginLimit = () => AbortSignal;

/**
 * Nothing where the server does not answer within a second. `line`: what was typed so far, of which options of the connection count. The time
 * begins with the request: on a busy machine, loading what sends it takes as long.
 */
export async function liveWords(
  kind: LiveKind,
  line: readonly string[],
  io: Io,
  begin: BeginLimit = beginLimit,
): Promise<readonly string[]> {
  const options = connectionOptionsOf(line);
  const late = Promise.withResolvers<readonly string[]>();
  const limited = () => {
    const signal = begin();
    const give = () => late.resolve([]);
    signal.addEventListener('abort', give, { once: true });
    if (signal.aborted) give();
    return signal;
  };
  const found = wordsOf(kind, { options, limited }, io).catch(() => []);
  return (await Promise.race([found, late.promise])).slice(0, WORDS_MAX);
}

function beginLimit(): AbortSignal {
  const limit = new AbortController();
  // What came while this process did not have its turn is looked at before.
  const end = () => setImmediate(() => limit.abort());
  setTimeout(end, TIME_LIMIT_MS).unref();
  return limit.signal;
}

interface Asking {
  readonly options: ConnectionOptions;
  readonly limited: BeginLimit;
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

async function wordsOf(kind: LiveKind, asking: Asking, io: Io): Promise<readonly string[]> {
  switch (kind) {
    case 'contexts':
    case 'orchestrators':
    case 'users':
      return await configuredNames(kind, asking.options, io);
    case 'namespaces':
      return await namespaces(asking, io);
    case 'providers':
      return await ids({ items: await providers(asking, io), path: 'metadata.name' });
    case 'workflows':
      return await listed(kind, 'metadata.workflow_id', asking, io);
    case 'agents':
      return await listed(kind, 'metadata.agent_id', asking, io);
    case 'subscriptions':
      return await listed(kind, 'metadata.subscription_id', asking, io);
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
  { options, limited }: Asking,
  io: Io,
): Promise<readonly string[]> {
  const client = await connect(options, io);
  // The newest first: of many, these are meant.
  return ids({ items: (await client.list(kind, { signal: limited() })).toReversed(), path });
}

const ids = ({ items, path }: { readonly items: readonly object[]; readonly path: string }) =>
  items.flatMap((item) => valuesAt(item, valuePath(path) ?? [])).map(String);

async function namespaces({ options, limited }: Asking, io: Io) {
  const client = await connect(options, io);
  const body = await client.ask({ path: '/namespaces', signal: limited() });
  return ids({ items: [body], path: 'details.items.*' }).filter((name) => name !== '*');
}

async function providers({ options, limited }: Asking, io: Io) {
  const client = await connect(options, io);
  const { items } = await client.document('providers', { signal: limited() });
  return Array.isArray(items) ? items.filter((item) => typeof item === 'object') : [];
}
