/** The process as commands see it: what they read, where they write, and who interrupts them. */
import { once } from 'node:events';
import { commandName } from './command-name.ts';
import { EXIT_CODES } from './exit-codes.ts';
import type { Screen } from './run-view/presenter.ts';
import { createPaint } from './run-view/style.ts';

export type StopSignal = 'SIGINT' | 'SIGTERM';

export interface Io {
  /** How the command was called, for hints: see `commandName`. */
  readonly command: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard output. */
  readonly screen: Screen;
  /** Standard input, as it comes. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Writes to standard error. */
  complain(text: string): void;
  /** Resolves when standard output takes more: what nobody reads yet waits in memory. */
  drained(): Promise<void>;
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls the handler at each request to stop, until the returned function is called. */
  onStop(handler: (signal: StopSignal) => void): () => void;
  /** Calls the handler every second and when the terminal changes its size, until the returned function is called. */
  onTick(handler: () => void): () => void;
  /** From here on the command goes on when nobody reads its output any more. Others end then: they have nothing else to do. */
  outliveReaders(): void;
  /** Ends the process at once. */
  exit(code: number): void;
}

const TICK_MS = 1_000;
/**
 * Ctrl-C reaches the whole group of processes, and wrappers (npx, shells, `timeout`) pass it on as well, within milliseconds. So long
 * after the first one it is one and the same; nobody means two so soon.
 */
const SAME_SIGNAL_MS = 100;
const COLUMNS = 80;

export function createProcessIo(): Io {
  const { stdout, stderr, env } = process;
  const hasColors = wantsColors(env, stdout.isTTY === true);
  let outlivesReaders = false;
  whenUnread(stdout, () => {
    if (!outlivesReaders) process.exit(EXIT_CODES.done);
  });
  whenUnread(stderr, () => {});
  return {
    command: commandName({ env, script: process.argv[1] ?? '', cwd: process.cwd() }),
    env,
    screen: {
      write: (text) => void stdout.write(text),
      isTerminal: stdout.isTTY === true && env.TERM !== 'dumb',
      hasColors,
      paint: createPaint(hasColors),
      // Terminals of build servers may say 0.
      columns: () => stdout.columns || COLUMNS,
    },
    // Opened only by those who read it.
    get input() {
      return process.stdin;
    },
    complain: (text) => void stderr.write(text),
    drained: async () => {
      if (stdout.writableNeedDrain) await once(stdout, 'drain');
    },
    now: () => Date.now(),
    onStop: onProcessStop,
    onTick(handler) {
      const timer = setInterval(handler, TICK_MS);
      stdout.on('resize', handler);
      return () => {
        clearInterval(timer);
        stdout.off('resize', handler);
      };
    },
    outliveReaders: () => {
      outlivesReaders = true;
    },
    exit: (code) => process.exit(code),
  };
}

/** Whoever reads our output may have seen enough, as `head` does. */
function whenUnread(stream: NodeJS.WriteStream, react: () => void): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    react();
  });
}

/** NO_COLOR and FORCE_COLOR decide before the terminal does; empty ones say nothing. */
export function wantsColors(env: Io['env'], isTerminal: boolean): boolean {
  const { NO_COLOR: never, FORCE_COLOR: always, TERM: term } = env;
  if (never !== undefined && never !== '') return false;
  if (always !== undefined && always !== '') return always !== '0' && always !== 'false';
  return isTerminal && term !== 'dumb';
}

function onProcessStop(handler: (signal: StopSignal) => void): () => void {
  const isNew = createSignalFilter(() => performance.now());
  const onSignal = (signal: NodeJS.Signals) => {
    if (isNew()) handler(signal === 'SIGTERM' ? 'SIGTERM' : 'SIGINT');
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return () => {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
}

/** To be asked at each signal: false for a copy of the one before. Copies do not prolong the time in which others are. */
export function createSignalFilter(nowMs: () => number): () => boolean {
  let firstMs = Number.NEGATIVE_INFINITY;
  return () => {
    const now = nowMs();
    if (now - firstMs < SAME_SIGNAL_MS) return false;
    firstMs = now;
    return true;
  };
}

/** The exit code of a process that a signal ended, as shells count it. */
export const SIGNAL_EXIT_CODES: Readonly<Record<StopSignal, number>> = {
  SIGINT: 130,
  SIGTERM: 143,
};
