/** Files with tokens. They may be pipes, as shells make them of the output of a command: these give what they have once. */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  type Stats,
} from 'node:fs';
import { codeOf } from '../terminal/file-problem.ts';
import { UsageError } from '../terminal/problem.ts';

const BYTES_MAX = 64 * 1024;
/** Whoever writes may have to ask somebody first. */
export const PIPE_PATIENCE_MS = 60_000;
const RETRY_MS = 20;
const NAME_FILE = 'name a file that holds a token and nothing else.';

/** Reads the file anew each time, as tokens get renewed; a pipe once. */
export function createTokenReader(file: string, patienceMs?: number): () => string {
  let given: string | null = null;
  return () => {
    if (given !== null) return given;
    const { text, isPipe } = readTokenText(file, patienceMs);
    if (isPipe) given = text;
    return text;
  };
}

/** Throws as the file system does, and `UsageError` for what cannot be meant. A pipe is read to its end, which has to come in time. */
function readTokenText(file: string, patienceMs = PIPE_PATIENCE_MS) {
  // To open a pipe that nobody writes to would wait for ever.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const info = fstatSync(descriptor);
    if (info.isDirectory()) throw isDirectory(file);
    const isPipe = !info.isFile();
    const text = isPipe
      ? readPipe({ descriptor, file, isOpen: !info.isFIFO() || isInherited(file) }, patienceMs)
      : readWhole(descriptor, file, info);
    return { text, isPipe };
  } finally {
    closeSync(descriptor);
  }
}

function readWhole(descriptor: number, file: string, { size }: Stats): string {
  if (size > BYTES_MAX) throw tooLarge(file);
  return readFileSync(descriptor, 'utf8');
}

interface Pipe {
  readonly descriptor: number;
  readonly file: string;
  /** Whether its end is one before anything was written, too: of others, nobody has opened them yet. */
  readonly isOpen: boolean;
}

function readPipe({ descriptor, file, isOpen }: Pipe, patienceMs: number): string {
  const giveUpAtMs = performance.now() + patienceMs;
  const buffer = Buffer.alloc(BYTES_MAX + 1);
  for (let size = 0; ; ) {
    const count = readNow(descriptor, buffer, size);
    if (count === 0 && (size > 0 || isOpen)) return buffer.toString('utf8', 0, size);
    size += count ?? 0;
    if (size > BYTES_MAX) throw tooLarge(file);
    if (performance.now() >= giveUpAtMs) throw tooLate(file, patienceMs);
    if (!count) sleep(RETRY_MS);
  }
}

/** Null where there is nothing yet. */
function readNow(descriptor: number, buffer: Buffer, at: number): number | null {
  try {
    return readSync(descriptor, buffer, at, buffer.length - at, null);
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return null;
    throw error;
  }
}

/** What the process was started with is open. */
const isInherited = (file: string): boolean => /^\/(?:dev|proc\/self)\/(?:fd\/|std)/.test(file);

/** Tokens are read where nothing else can go on without them. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, ms);
}

/** As the system says it of what is opened in another way. */
const isDirectory = (path: string): Error =>
  Object.assign(new Error('A directory.'), { code: 'EISDIR', syscall: 'read', path });

const tooLarge = (file: string): UsageError =>
  new UsageError(`${file} has more than ${BYTES_MAX} bytes, and a token is wanted.`, NAME_FILE);

const tooLate = (file: string, ms: number): UsageError =>
  new UsageError(
    `${file} is a pipe, and nobody has written a token to it within ${ms / 1_000} s.`,
    `write one to its end, or ${NAME_FILE}`,
  );
