/** Words that a server or the configuration knows now. It is fast, and ignores all errors. */
import { Command } from 'commander';
import { configPlace } from '../client-config/config-place.ts';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { withConnection } from '../options/connection-options.ts';
import { listPages, pageName } from '../resources/own-pages.ts';
import { valuePath, valuesAt } from '../resources/value-path.ts';
import { readJobs } from '../runs/run-jobs.ts';
import { isLikeId } from '../runs/workflow-id.ts';
import type { Io } from '../terminal/io.ts';
import type { LiveKind } from './completed-words.ts';

/** The user waits for it while typing. */
const TIME_LIMIT_MS = 1_000;
/** Limit of offered words: more take long to show. */
const WORDS_MAX = 200;
/** Shells insert words unquoted: with other characters, a part of the word would run as a command. */
const PLAIN_WORD = /^[\p{L}\p{N}_@%+:,./-]+$/u;

/** Starts the time limit, and returns its signal. */
export type BeginLimit = () => AbortSignal;

/**
 * Words from the server; none if it does not answer within a second. `line` is the text so far, with connection options. The time
 * starts with the request, because loading the client takes as long on a busy machine.
 */
export async function liveWords(
  kind: LiveKind,
  line: readonly string[],
  io: Io,
  begin: BeginLimit = beginLimit,
): Promise<readonly string[]> {
  const words = await wordsOf(kind, line, io, begin).catch(() => []);
  return words.filter((word) => PLAIN_WORD.test(word)).slice(0, WORDS_MAX);
}

function beginLimit(): AbortSignal {
  const limit = new AbortController();
  // Answers that have already arrived are handled first.
  const end = () => setImmediate(() => limit.abort());
  setTimeout(end, TIME_LIMIT_MS).unref();
  return limit.signal;
}

/** Reads the connection options of any command: all commands have the same ones. */
function connectionOptionsOf(line: readonly string[]): ConnectionOptions {
  const reader = withConnection(new Command()).allowUnknownOption().exitOverride();
  reader.argument('[words...]').configureOutput({ writeErr: () => {}, writeOut: () => {} });
  try {
    reader.helpOption(false).parse([...line], { from: 'user' });
  } catch {
    // The line may be incomplete.
  }
  return reader.opts();
}

/** Places of the words of a kind: the path of the list, and the path in its answer. */
const PLACES = {
  workflows: 'metadata.workflow_id',
  agents: 'metadata.agent_id',
  subscriptions: 'metadata.subscription_id',
  namespaces: 'details.items.*',
  providers: 'items.*.metadata.name',
} as const;

async function wordsOf(
  kind: LiveKind,
  line: readonly string[],
  io: Io,
  begin: BeginLimit,
): Promise<readonly string[]> {
  if (kind === 'pages') return listPages().map(pageName);
  const options = connectionOptionsOf(line);
  if (kind === 'contexts' || kind === 'orchestrators' || kind === 'users') {
    const place = configPlace(options, io.env);
    if (!place.isThere) return [];
    const { readConfigParts } = await import('../client-config/read-config.ts');
    return readConfigParts(place)[kind].map(({ name }) => name);
  }
  if (kind === 'gates') return await gatesOf(line, options, io, begin);
  if (kind === 'jobs') return await jobsOf(line, options, io, begin);
  const client = await connect(options, io);
  const path = valuePath(PLACES[kind]) ?? [];
  const wordsIn = (answer: object) => valuesAt(answer, path).map(String);
  if (kind === 'namespaces' || kind === 'providers') {
    return wordsIn(await client.ask({ path: `/${kind}`, signal: begin() }));
  }
  // Newest first: among many, users mean these.
  return (await client.list(kind, { signal: begin() })).toReversed().flatMap(wordsIn);
}

/** Gates of every server, also of one that does not list its gates. */
const GATES = ['strict', 'passing'];
/** A longer file would be read too slowly while the user types. */
const FILE_BYTES_MAX = 1024 * 1024;

/** The gates of the definition that the line names, else of the server. */
async function gatesOf(
  line: readonly string[],
  options: ConnectionOptions,
  io: Io,
  begin: BeginLimit,
): Promise<readonly string[]> {
  const at = line.indexOf('--definition');
  const own =
    at === -1
      ? await gatesOfServer(options, io, begin).catch(() => [])
      : valuesAt(await documentOf(line[at + 1] ?? ''), ['qualitygates', '*', 'name']);
  return [...new Set([...GATES, ...own.map(String)])];
}

async function gatesOfServer(options: ConnectionOptions, io: Io, begin: BeginLimit) {
  const client = await connect(options, io);
  const answer = await client.ask({ path: '/qualitygates', signal: begin() });
  return valuesAt(answer, ['details', 'items', '*', 'name']);
}

/** The jobs of the workflow file that the line names, else of its run, or the newest one. */
async function jobsOf(
  line: readonly string[],
  options: ConnectionOptions,
  io: Io,
  begin: BeginLimit,
): Promise<readonly string[]> {
  if (line[0] === 'run') {
    const file = line.slice(1).find((word) => /\.(?:ya?ml|json)$/.test(word)) ?? '';
    return valuesAt(await documentOf(file), ['jobs', '*~']).map(String);
  }
  const client = await connect(options, io);
  const signal = begin();
  const ids = (await client.list('workflows', { signal })).map((run) =>
    String(valuesAt(run, ['metadata', 'workflow_id'])[0]),
  );
  const named = line.map((word) =>
    ids.find((id) => word.length > 1 && isLikeId(word) && id.startsWith(word)),
  );
  const id = named.find((each) => each !== undefined) ?? ids.at(-1);
  if (id === undefined) return [];
  const { items } = await readJobs(client, id, { signal });
  return items.flatMap((job) => valuesAt(job, ['metadata', 'name'])).map(String);
}

async function documentOf(file: string): Promise<unknown> {
  const { readFile, stat } = await import('node:fs/promises');
  if ((await stat(file)).size > FILE_BYTES_MAX) return null;
  return (await import('yaml')).parse(await readFile(file, 'utf8'));
}
