/** Processes of the product that a test starts, and that never outlive it. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

/** Long enough for a loaded machine; a process that is not ready by then never will be. */
const READY_WITHIN_MS = 120_000;
/** Kept end of a process's standard error, in characters: enough for a stack trace. */
const STDERR_KEPT = 16_000;

const CACHE = new URL('./compile-cache.js', import.meta.url).href;

/** The end of a process: an exit code, or a signal. */
export interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface LaunchOptions {
  /** Options of Node.js, for example a smaller heap. */
  readonly nodeOptions?: readonly string[];
  /** Variables besides the common ones. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Limit of open files; a shell sets it. */
  readonly openFilesMax?: number;
}

export interface Child {
  readonly pid: number;
  /** The line of a process that is ready; rejects if it ends first. */
  readonly whenReady: Promise<string>;
  readonly isRunning: boolean;
  readonly whenGone: Promise<End>;
  /** The end of its standard error. */
  readonly stderr: string;
  /** Sends a signal and resolves when the process is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** The process replaces its shell. */
const LIMITED = 'ulimit -n "$1"; shift; exec "$@"';

/** Runs an entry file of this folder with one argument, a JSON document. */
export function launchChild(
  entry: string,
  argument: unknown,
  { nodeOptions = [], environment = {}, openFilesMax }: LaunchOptions = {},
): Child {
  const file = join(import.meta.dirname, entry);
  const words = ['--import', CACHE, ...nodeOptions, file, JSON.stringify(argument)];
  const [program, ...args] = [
    ...(openFilesMax === undefined ? [] : ['/bin/sh', '-c', LIMITED, 'sh', `${openFilesMax}`]),
    process.execPath,
    ...words,
  ];
  const child = spawn(
    program ?? '',
    args,
    // The process ends when its standard input does, so it cannot outlive this one.
    { stdio: ['pipe', 'pipe', 'pipe'], env: { ...childEnvironment(), ...environment } },
  );
  return new LaunchedChild(child, entry);
}

/** The environment of a command, without the variables of the test runner. */
function childEnvironment(): NodeJS.ProcessEnv {
  // Java reads names of files by the language.
  const { HOME, LANG = 'C.UTF-8', PATH, TMPDIR } = process.env;
  return {
    ...(HOME === undefined ? {} : { HOME }),
    LANG,
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
    GIT_CONFIG_GLOBAL: '/dev/null',
    // Steps find the same Node.js as the product.
    PATH: `${dirname(process.execPath)}:${PATH ?? ''}`,
  };
}

class LaunchedChild implements Child {
  readonly whenReady: Promise<string>;
  readonly whenGone: Promise<End>;
  #stderr = '';
  readonly #child: ChildProcessWithoutNullStreams;

  constructor(child: ChildProcessWithoutNullStreams, entry: string) {
    this.#child = child;
    this.whenGone = once(child, 'exit').then(
      ([code, signal]) => ({ code, signal }),
      // The process could not be started.
      () => ({ code: null, signal: null }),
    );
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_KEPT);
    });
    // A pipe of a process that was killed.
    child.stdin.on('error', () => undefined);
    this.whenReady = this.#readyLine(entry);
    // For callers that await it; a process that is killed early is no error by itself.
    this.whenReady.catch(() => undefined);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get stderr(): string {
    return this.#stderr;
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    if (this.isRunning) this.#child.kill(signal);
    await this.whenGone;
  }

  #readyLine(entry: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`${entry} ${why}.\n${this.#stderr}`));
      const timer = setTimeout(() => fail('was not ready in time'), READY_WITHIN_MS);
      this.#child.once('error', (error) => fail(`did not start: ${error.message}`));
      this.#child.once('exit', (code, signal) => {
        clearTimeout(timer);
        fail(`ended (${signal ?? code}) before it was ready`);
      });
      createInterface({ input: this.#child.stdout }).on('line', (line) => {
        if (!line.startsWith('ready ')) return;
        clearTimeout(timer);
        resolve(line.slice('ready '.length));
      });
    });
  }
}
