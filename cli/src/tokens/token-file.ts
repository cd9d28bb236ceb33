/** Files with tokens. They may be pipes, as from process substitution, which can be read only once. */
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
/** The writer may first have to ask a user. */
export const PIPE_PATIENCE_MS = 60_000;
const RETRY_MS = 20;
const NAME_FILE = 'name a file that holds a token and nothing else.';

/** Reads the file at each call, as tokens get renewed; a pipe once. */
export function createTokenReader(file: string, patienceMs?: number): () => string {
  let given: string | null = null;
  return () => {
    if (given !== null) return given;
    const { text, isPipe } = readTokenText(file, patienceMs);
    if (isPipe) given = text;
    return text;
  };
}

/** Throws file system errors, and `UsageError` for unusable content. A pipe must end in time. */
function readTokenText(file: string, patienceMs = PIPE_PATIENCE_MS) {
  // Opening a pipe without a writer would block for ever.
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
  /** Whether an end without data is final; for other pipes it means that no writer has opened them yet. */
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

/** Null if no data has arrived. */
function readNow(descriptor: number, buffer: Buffer, at: number): number | null {
  try {
    return readSync(descriptor, buffer, at, buffer.length - at, null);
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return null;
    throw error;
  }
}

/** File descriptors of this process are already open. */
const isInherited = (file: string): boolean => /^\/(?:dev|proc\/self)\/(?:fd\/|std)/.test(file);

/** Blocks: no other work can continue without the token. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, ms);
}

/** The same error as when the system opens a directory in another way. */
const isDirectory = (path: string): Error =>
  Object.assign(new Error('A directory.'), { code: 'EISDIR', syscall: 'read', path });

const tooLarge = (file: string): UsageError =>
  new UsageError(`${file} has more than ${BYTES_MAX} bytes, and a token is wanted.`, NAME_FILE);

const tooLate = (file: string, ms: number): UsageError =>
  new UsageError(
    `${file} is a pipe, and nobody has written a token to it within ${ms / 1_000} s.`,
    `write one to its end, or ${NAME_FILE}`,
  );
