/** Programs of others as processes: started with arguments, told by their output and exit code, and never left behind. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { eventually } from '../support/eventually.ts';
import type { Installed } from './installation.ts';

export interface Ended {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  /** Its home, made if need be, so that nothing of the one who runs the test is read. */
  readonly home: string;
  /** Where it runs; its home if nothing is said. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Text for standard input; nothing if absent. */
  readonly input?: string;
}

/** Running programs, with their child processes. All of them end at the latest with this process. */
const running = new Set<Program>();
process.once('exit', () => {
  for (const program of running) program.endAll();
});

export class Program {
  readonly whenEnded: Promise<Ended>;
  #stdout = '';
  #stderr = '';
  readonly #child: ChildProcessWithoutNullStreams;

  /** `command` is a program of the environment, as `opentf-agent`, or the path of a script. */
  constructor(
    { folder }: Installed,
    command: string,
    args: readonly string[],
    options: ProgramOptions,
  ) {
    const { home, cwd = home, env = {}, input = '' } = options;
    mkdirSync(home, { recursive: true });
    // Called by the interpreter, because the first lines of scripts name the folder of their installation. It may have moved.
    const words = [resolve(folder, 'bin', command), ...args];
    this.#child = spawn(join(folder, 'bin/python'), words, {
      cwd,
      env: { ...environment(folder, home), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      // A group of its own, so that what it started can be ended with it.
      detached: true,
    });
    running.add(this);
    // It may end without reading.
    this.#child.stdin.on('error', () => undefined).end(input);
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text;
    });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
    });
    this.whenEnded = this.#ended();
    // Told to those who ask.
    this.whenEnded.catch(() => undefined);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** To the program alone, not to what it started. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** As Ctrl-C. Python drops an interrupt that comes while it closes a connection, and says so. Then the user presses again. */
  async interrupt(): Promise<Ended> {
    const drops = () => this.#stderr.split('Exception ignored').length;
    while (this.isRunning) {
      const before = drops();
      this.signal('SIGINT');
      await eventually('its end', () => !this.isRunning || drops() > before);
    }
    return await this.whenEnded;
  }

  /** Ends it with all that it started. */
  endAll(): void {
    try {
      process.kill(-(this.#child.pid ?? Number.NaN), 'SIGKILL');
    } catch {
      // Nothing of it is there any more.
    }
  }

  async #ended(): Promise<Ended> {
    // Its output stays open as long as what it started has it.
    this.#child.once('exit', () => this.endAll());
    try {
      const [code] = await once(this.#child, 'close');
      return { code, stdout: this.#stdout, stderr: this.#stderr };
    } finally {
      running.delete(this);
    }
  }
}

/** Runs a program to its end. */
export function runProgram(...words: ConstructorParameters<typeof Program>): Promise<Ended> {
  return new Program(...words).whenEnded;
}

function environment(folder: string, home: string): Readonly<Record<string, string>> {
  return {
    HOME: home,
    LANG: 'C.UTF-8',
    PATH: `${join(folder, 'bin')}:${process.env.PATH ?? ''}`,
    PYTHONUNBUFFERED: '1',
    // Servers of tests are on this machine.
    NO_PROXY: '*',
  };
}
