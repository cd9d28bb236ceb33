/** Words that a server or the configuration knows at this moment. Quick, and silent about all that goes wrong. */
import { Command } from 'commander';
import { configPlace } from '../client-config/config-place.ts';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { withConnection } from '../options/connection-options.ts';
import { valuePath, valuesAt } from '../resources/value-path.ts';
import type { Io } from '../terminal/io.ts';
import type { LiveKind } from './completed-words.ts';

/** Whoever types waits for it. */
const TIME_LIMIT_MS = 1_000;
/** More is not read, and takes long to show. */
const WORDS_MAX = 200;
/** Shells put words on the command line as they are: others would run there when the line is sent. */
const PLAIN_WORD = /^[\p{L}\p{N}_@%+:,./-]+$/u;

/** The signal of the end of the time, which begins now. */
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
  const words = await wordsOf(kind, connectionOptionsOf(line), io, begin).catch(() => []);
  return words.filter((word) => PLAIN_WORD.test(word)).slice(0, WORDS_MAX);
}

function beginLimit(): AbortSignal {
  const limit = new AbortController();
  // What came while this process did not have its turn is looked at before.
  const end = () => setImmediate(() => limit.abort());
  setTimeout(end, TIME_LIMIT_MS).unref();
  return limit.signal;
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

/** Where the words of a kind are: the path of the list, and their path in its answer. */
const PLACES = {
  workflows: 'metadata.workflow_id',
  agents: 'metadata.agent_id',
  subscriptions: 'metadata.subscription_id',
  namespaces: 'details.items.*',
  providers: 'items.*.metadata.name',
} as const;

async function wordsOf(
  kind: LiveKind,
  options: ConnectionOptions,
  io: Io,
  begin: BeginLimit,
): Promise<readonly string[]> {
  if (kind === 'contexts' || kind === 'orchestrators' || kind === 'users') {
    const place = configPlace(options, io.env);
    if (!place.isThere) return [];
    const { readConfigParts } = await import('../client-config/read-config.ts');
    return readConfigParts(place)[kind].map(({ name }) => name);
  }
  const client = await connect(options, io);
  const path = valuePath(PLACES[kind]) ?? [];
  const wordsIn = (answer: object) => valuesAt(answer, path).map(String);
  if (kind === 'namespaces' || kind === 'providers') {
    return wordsIn(await client.ask({ path: `/${kind}`, signal: begin() }));
  }
  // The newest first: of many, these are meant.
  return (await client.list(kind, { signal: begin() })).toReversed().flatMap(wordsIn);
}
