/** The services that the image of a container names, once it runs (client facts 5.1); asked of the program `docker`. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cleanLine } from '@tutti/run-view/text';
import { codeOf } from '../terminal/file-problem.ts';
import { UsageError } from '../terminal/problem.ts';

/** Names of services, or a sentence about why they are unknown. */
export type ContainerServices =
  | { readonly services: readonly string[] }
  | { readonly missing: string };

const FILE = '/app/init_services.json';
/** A list of services has some hundred bytes. */
const OUTPUT_BYTES_MAX = 1024 * 1024;
/** Final states of a container. */
const OVER = ['exited', 'dead', 'removing'];

export type Env = Readonly<Record<string, string | undefined>>;

/** Throws `UsageError` for failures that waiting does not change. */
export async function containerServices(
  container: string,
  env: Env,
  signal: AbortSignal,
): Promise<ContainerServices> {
  const inspect = ['inspect', '--type', 'container', '--format', '{{.State.Status}}', container];
  const state = await docker(inspect, env, signal);
  if (state === null) return { missing: 'Docker does not answer.' };
  if (state.code !== 0) {
    if (!/no such/i.test(state.error)) throw refused(state.error);
    return { missing: `There is no container ${container} yet.` };
  }
  const status = cleanLine(state.output);
  if (OVER.includes(status)) throw ended(container, status);
  if (status !== 'running') return { missing: `The container ${container} is ${status}.` };
  const file = await docker(['exec', container, 'cat', FILE], env, signal);
  if (file === null) return { missing: 'Docker does not answer.' };
  const services = file.code === 0 ? readServices(file.output) : null;
  if (services !== null) return { services };
  const why = file.code === 0 ? 'is not whole yet' : 'is not there yet';
  return { missing: `${FILE} of the container ${container}, which names its services, ${why}.` };
}

/** Checks the name or id of a container, so that it cannot be an option of `docker`. */
export function checkContainer(text: string): void {
  if (/^[\dA-Za-z][\w.-]*$/.test(text)) return;
  throw new UsageError(
    `Not the name or the id of a container: "${text}".`,
    'see which there are with "docker ps".',
  );
}

/** Null for incomplete text: the file may be read while it is written. */
function readServices(text: string): readonly string[] | null {
  const document = parsed(text);
  if (typeof document !== 'object' || document === null) return null;
  if (!('services' in document && 'checksum' in document)) return null;
  const { services, checksum } = document;
  if (!Array.isArray(services)) return null;
  const names = services.filter((name) => typeof name === 'string');
  const isWhole = names.length === services.length && checksumOf(names) === checksum;
  return isWhole ? names : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function checksumOf(names: readonly string[]): string {
  const encoded = Buffer.from(names.join('')).toString('base64');
  return createHash('sha256').update(encoded).digest('hex');
}

interface Answer {
  readonly code: number | null;
  readonly output: string;
  readonly error: string;
}

/** Null when it was aborted. */
async function docker(
  args: readonly string[],
  env: Env,
  signal: AbortSignal,
): Promise<Answer | null> {
  try {
    return await run(args, env, signal);
  } catch (error) {
    if (signal.aborted) return null;
    if (codeOf(error) === 'ENOENT') throw notInstalled();
    throw refused(error instanceof Error ? error.message : String(error));
  }
}

function run(args: readonly string[], env: Env, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const child = spawn('docker', args, { env, signal, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = collect(child.stdout);
    const error = collect(child.stderr);
    child.once('error', (problem) => {
      // Children of the child may keep these streams open, and this process with them.
      child.stdout.destroy();
      child.stderr.destroy();
      reject(problem);
    });
    child.once('close', (code) => resolve({ code, output: output(), error: error() }));
  });
}

/** Drops output beyond the limit. */
function collect(stream: NodeJS.ReadableStream): () => string {
  const pieces: Buffer[] = [];
  let size = 0;
  stream.on('data', (piece: Buffer) => {
    size += piece.length;
    if (size <= OUTPUT_BYTES_MAX) pieces.push(piece);
  });
  return () => Buffer.concat(pieces).toString('utf8');
}

const notInstalled = (): UsageError =>
  new UsageError(
    'There is no program "docker", which --container asks about the container.',
    'install the command line of Docker, or name the services with --services.',
  );

const refused = (why: string): UsageError =>
  new UsageError(
    `Docker cannot inspect the container: ${cleanLine(why) || 'it says nothing'}`,
    'see whether "docker ps" works for this account, or name the services with --services.',
  );

const ended = (container: string, status: string): UsageError =>
  new UsageError(
    `The container ${container} does not run any more: it is ${status}.`,
    `see why with "docker logs ${container}", and start it again.`,
  );
