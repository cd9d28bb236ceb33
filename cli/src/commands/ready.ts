/** `tutti ready`: waits until a server can be used, for pipelines (client facts 5.1). */
import type { Client, JsonRecord } from '@tutti/client';
import { isOrchestratorError } from '@tutti/manifests';
import { type ConnectionOptions, connectTo, findConnection } from '../connection/connection.ts';
import { failingChecksOf } from '../doctor/failing-checks.ts';
import { valuesAt } from '../resources/value-path.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import { waitUntil } from './wait-until.ts';

export interface ReadyOptions extends ConnectionOptions {
  readonly services?: readonly string[];
  /** The container whose image names the services. */
  readonly container?: string;
  /** Number of environments that have to be idle. */
  readonly agents?: number;
  readonly tags?: readonly string[];
  /** Milliseconds. */
  readonly timeout: number;
}

/** Waits until a server can work. Resolves with the exit code. */
export async function waitForServer(options: ReadyOptions, io: Io): Promise<number> {
  if (options.container !== undefined) await checkContainerOf(options);
  const sought = { services: options.services ?? null };
  const waiting = { timeoutMs: options.timeout, failure: 'Not ready', isPatient: () => true };
  const code = await waitUntil((signal) => look(options, { sought, signal }, io), waiting, io);
  // The address of a server on this machine is known only now.
  const { url } = await findConnection(options, io);
  if (code === EXIT_CODES.done) io.screen.write(`The server ${url} is ready.\n`);
  return code;
}

async function checkContainerOf({ container = '', services }: ReadyOptions): Promise<void> {
  if (services !== undefined) {
    throw new UsageError(
      '--services names services, and so does the container of --container.',
      'leave one of them out.',
    );
  }
  const { checkContainer } = await import('./container-services.ts');
  checkContainer(container);
}

interface Sought {
  /** Null while they are unknown. */
  services: readonly string[] | null;
}

interface Look {
  readonly sought: Sought;
  readonly signal: AbortSignal;
}

/** Null when the container's services are known, or no container is asked. */
async function missingContainer(
  { container }: ReadyOptions,
  { sought, signal }: Look,
  { env }: Io,
): Promise<string | null> {
  if (container === undefined || sought.services !== null) return null;
  const { containerServices } = await import('./container-services.ts');
  const answer = await containerServices(container, env, signal);
  if ('missing' in answer) return answer.missing;
  sought.services = answer.services;
  return null;
}

/** Null when all is ready, else the missing part. A starting server writes its address and token meanwhile. */
async function look(
  options: ReadyOptions,
  { sought, signal }: Look,
  io: Io,
): Promise<string | null> {
  const withoutContainer = await missingContainer(options, { sought, signal }, io);
  if (withoutContainer !== null) return withoutContainer;
  const connection = await findConnection(options, io);
  const token = connection.token();
  const client = await connectTo(connection, io);
  try {
    return (
      (await missingServer(client, signal)) ??
      (await missingServices(client, sought.services ?? [], signal)) ??
      (await missingEnvironments(client, options, signal))
    );
  } catch (error) {
    const isLate = isOrchestratorError(error) && error.reason === 'Unauthorized';
    if (!isLate || connection.token() === token) throw error;
    return 'The server has a new token.';
  }
}

/** `GET /health` may need no token, so a second request checks the token. */
async function missingServer(client: Client, signal: AbortSignal): Promise<string | null> {
  try {
    await client.ready({ signal });
  } catch (error) {
    const failing = failingChecksOf(error);
    if (failing === null) throw error;
    return failing.map(({ what, advice }) => `${what} ${advice}`).join(' ');
  }
  await client.version({ signal });
  return null;
}

async function missingServices(
  client: Client,
  services: readonly string[],
  signal: AbortSignal,
): Promise<string | null> {
  const expected = [...new Set(services.flatMap(listedName))];
  if (expected.length === 0) return null;
  const subscriptions = await client.list('subscriptions', { signal });
  const names = new Set(subscriptions.map(({ metadata }) => nameIn(metadata)));
  const missing = expected.filter((name) => !names.has(name));
  if (missing.length === 0) return null;
  return `${missing.length === 1 ? 'A service is' : 'Services are'} missing: ${missing.join(', ')}.`;
}

const nameIn = (metadata: unknown): string =>
  String(valuesAt(metadata, ['name'])[0] ?? '').toLowerCase();

/** Services without subscriptions, so lists omit them; a server that answers runs them. */
const UNLISTED = ['receptionist', 'killswitch', 'qualitygate'];

/** The listed name of a service; none for services that are not listed (client facts 5.1). */
function listedName(service: string): readonly string[] {
  const name = service.toLowerCase();
  if (UNLISTED.includes(name)) return [];
  if (/^tm\.generator\.(premium|community)$/.test(name)) return ['tm.generator'];
  return [name.startsWith('result.aggregator.') ? 'result.aggregator' : name];
}

async function missingEnvironments(
  client: Client,
  { agents, tags = [] }: ReadyOptions,
  signal: AbortSignal,
): Promise<string | null> {
  if (agents === undefined && tags.length === 0) return null;
  const wanted = agents ?? 1;
  const channels = await client.list('channels', { signal });
  const idle = channels.filter((channel) => isIdle(channel) && fits(channel, tags)).length;
  if (idle >= wanted) return null;
  const kind = tags.length === 0 ? '' : ` with ${nounOf(tags)} ${tags.join(', ')}`;
  return `Idle environments${kind}: ${idle} of ${wanted}.`;
}

const nounOf = (tags: readonly string[]): string => (tags.length === 1 ? 'tag' : 'tags');

function isIdle({ status }: JsonRecord): boolean {
  const isDraining = valuesAt(status, ['draining'])[0] === true;
  return valuesAt(status, ['phase'])[0] === 'IDLE' && !isDraining;
}

/** The environment for rehearsals always exists and runs nothing: it counts only if its tag is requested. */
function fits({ spec }: JsonRecord, tags: readonly string[]): boolean {
  const own = valuesAt(spec, ['tags', '*']);
  return (
    tags.every((tag) => own.includes(tag)) && (tags.includes(INCEPTION) || !own.includes(INCEPTION))
  );
}

const INCEPTION = 'inception';
