/** The process as commands see it: input, output, and interruption. */
import { once } from 'node:events';
import { isatty } from 'node:tty';
import { booleanOf } from '@tutti/manifests/values';
import { commandName } from './command-name.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { fileAdvice, fileReason } from './file-problem.ts';
import { type Problem, renderProblem } from './problem.ts';
import { createPaint, type Paint } from './style.ts';

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** Standard output, which may be a terminal. */
export interface Screen {
  write(text: string): void;
  readonly isTerminal: boolean;
  readonly hasColors: boolean;
  /** Whether the user asked for no colours at all. */
  isColorless?(): boolean;
  readonly paint: Paint;
  /** Current width in cells. */
  columns(): number;
  /** Current height in lines; absent if unknown. */
  rows?(): number;
}

export interface Io {
  /** The name by which the command was called, for hints: see `commandName`. */
  readonly command: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard output. */
  readonly screen: Screen;
  /** Standard input, as it comes. */
  readonly input: AsyncIterable<Uint8Array>;
  /** The process runs only this command; absent, other commands run in it, too. */
  readonly isOwnProcess?: boolean;
  /** True if a user at a terminal can be asked; absent means false. */
  readonly isInteractive?: boolean;
  /** Asks for a line on the terminal; null without an answer. Absent if the user cannot be asked. */
  readonly ask?: (question: string) => Promise<string | null>;
  /** Asks for a secret on the terminal without echo; null without an answer. Absent without a terminal. */
  readonly askSecret?: (question: string) => Promise<string | null>;
  /** From here on the terminal gets no colours, unless the environment asks for them; with `always`, in every case. */
  readonly withoutColors?: (options?: { readonly always: boolean }) => void;
  /** Writes to standard error. */
  complain(text: string): void;
  /** Resolves when standard output accepts more: unread output waits in memory. */
  drained(): Promise<void>;
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Calls the handler at each request to stop, until the returned function is called. With the option, a closed terminal counts
   * as one request.
   */
  onStop(handler: (signal: StopSignal) => void, options?: StopOptions): () => void;
  /** Calls the handler every second and when the terminal changes its size, until the returned function is called. */
  onTick(handler: () => void): () => void;
  /**
   * Calls `hide` before the process is suspended, as by Ctrl-Z, and `show` when it continues. The returned function ends that. Absent if
   * the system has no such signal.
   */
  onPause?(hide: () => void, show: () => void): () => void;
  /** From now on the command continues when the reader of its output leaves. Other commands end then. */
  outliveReaders(): void;
  /** Ends the process at once. */
  exit(code: number): void;
}

export interface StopOptions {
  readonly whenClosed: boolean;
}

const TICK_MS = 1_000;
/**
 * Ctrl-C reaches the whole process group. Wrappers (npx, shells, `timeout`) send it again within milliseconds. Signals in this
 * interval are one; users are slower.
 */
const SAME_SIGNAL_MS = 100;
const COLUMNS = 80;
const STDIN = 0;
const STDERR = 2;
const ROWS = 24;

export function createProcessIo(): Io {
  const { stdout, stderr, env } = process;
  let mayColor = true;
  let isColorless = false;
  const hasColors = () => !isColorless && wantsColors(env, stdout.isTTY === true && mayColor);
  let outlivesReaders = false;
  const complain = (text: string) => void stderr.write(text);
  // A failed write to standard error cannot be reported anywhere.
  stderr.on('error', () => {});
  let isReported = false;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader may have read enough, as `head` does.
    const isUnread = error.code === 'EPIPE';
    if (!isUnread && !isReported) complain(renderProblem(unwrittenOutput(error)));
    isReported = true;
    if (!outlivesReaders) process.exit(isUnread ? EXIT_CODES.done : EXIT_CODES.problem);
  });
  return {
    isOwnProcess: true,
    command: commandName({ env, script: process.argv[1] ?? '', cwd: process.cwd() }),
    env,
    screen: {
      write: (text) => void stdout.write(text),
      isTerminal: stdout.isTTY === true && env.TERM !== 'dumb',
      get hasColors() {
        return hasColors();
      },
      isColorless: () => isColorless,
      get paint() {
        return createPaint(hasColors());
      },
      // Terminals of build servers may say 0.
      columns: () => stdout.columns || COLUMNS,
      rows: () => stdout.rows || ROWS,
    },
    // Opened only on use.
    get input() {
      return process.stdin;
    },
    get isInteractive() {
      return process.stdin.isTTY === true && process.stderr.isTTY === true;
    },
    withoutColors: ({ always } = { always: false }) => {
      mayColor = false;
      isColorless ||= always;
    },
    complain,
    ...(isatty(STDIN) && { askSecret: askOnTerminal }),
    ...(isatty(STDIN) && isatty(STDERR) && { ask: askLineOnTerminal }),
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
    onPause: onProcessPause,
    outliveReaders: () => {
      outlivesReaders = true;
    },
    exit: (code) => process.exit(code),
  };
}

async function askOnTerminal(question: string): Promise<string | null> {
  const { askSecret } = await import('./ask-secret.ts');
  return await askSecret({
    question,
    input: process.stdin,
    say: (text) => void process.stderr.write(text),
    interrupt: () => process.exit(SIGNAL_EXIT_CODES.SIGINT),
  });
}

async function askLineOnTerminal(question: string): Promise<string | null> {
  const { askLine } = await import('./ask-line.ts');
  const say = (text: string) => void process.stderr.write(text);
  return await askLine({ question, input: process.stdin, say });
}

const unwrittenOutput = (error: Error): Problem => ({
  what: `Cannot write the output: ${fileReason(error)}.`,
  why: [],
  next: fileAdvice(error),
});

/**
 * OPENTF_COLORS of existing clients precedes NO_COLOR, which precedes FORCE_COLOR; all precede the terminal. Empty values do not
 * count.
 */
export function wantsColors(env: Io['env'], isTerminal: boolean): boolean {
  const own = booleanOf(env.OPENTF_COLORS ?? '');
  if (own !== null) return own;
  const { NO_COLOR: never, FORCE_COLOR: always, TERM: term } = env;
  if (never !== undefined && never !== '') return false;
  if (always !== undefined && always !== '') return always !== '0' && always !== 'false';
  return isTerminal && term !== 'dumb';
}

function onProcessPause(hide: () => void, show: () => void): () => void {
  const pause = () => {
    hide();
    // Suspends the process, as the signal does by default.
    process.kill(process.pid, 'SIGSTOP');
  };
  process.on('SIGTSTP', pause);
  process.on('SIGCONT', show);
  return () => {
    process.off('SIGTSTP', pause);
    process.off('SIGCONT', show);
  };
}

function onProcessStop(
  handler: (signal: StopSignal) => void,
  { whenClosed }: StopOptions = { whenClosed: false },
): () => void {
  const isNew = createSignalFilter(() => performance.now());
  let isAsked = false;
  const ask = (signal: StopSignal) => {
    isAsked = true;
    handler(signal);
  };
  const listeners: Readonly<Partial<Record<StopSignal, () => void>>> = {
    SIGINT: () => isNew() && ask('SIGINT'),
    SIGTERM: () => isNew() && ask('SIGTERM'),
    // The system and the shell may both send it; the closed terminal allows no second question.
    ...(whenClosed && { SIGHUP: () => isAsked || ask('SIGHUP') }),
  };
  for (const [signal, listener] of Object.entries(listeners)) process.on(signal, listener);
  return () => {
    for (const [signal, listener] of Object.entries(listeners)) process.off(signal, listener);
  };
}

/** Call it at each signal: false for a copy of the one before. Copies do not extend the interval. */
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
  SIGHUP: 129,
};
