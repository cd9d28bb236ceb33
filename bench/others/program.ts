/** Programs of other tools: their output goes to a file, whose end is shown on failure. */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  /** The working directory. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Timeout for the start of a server. */
const START_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 50;
/** A program that is asked to stop and does not is killed. */
const STOP_WITHIN_MS = 10_000;
/** Lines of the log in messages. */
const TAIL_LINES = 8;

/** Kills the remaining processes of a tool that failed. */
export function killAll(): void {
  for (const each of running) each.kill();
}

const running = new Set<Program>();
const logs = mkdtempSync(join(tmpdir(), 'tutti-bench-logs-'));
let logCount = 0;
process.once('exit', () => {
  killAll();
  rmSync(logs, { recursive: true, force: true });
});
// Programs have process groups of their own, so the end of the benchmark does not reach them.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

export class Program {
  readonly child: ChildProcess;
  readonly #log: string;
  readonly #name: string;

  private constructor({ command, args, folder, env }: Command, log: string, extra: StdioOptions) {
    this.#name = [command.split('/').at(-1), args[0]].join(' ').trim();
    this.#log = log;
    const output = openSync(log, 'a');
    // A group of its own, so that its children are stopped with it.
    this.child = spawn(command, args, {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: [extra.length > 0 ? 'pipe' : 'ignore', output, output, ...extra] as StdioOptions,
      detached: true,
    });
    closeSync(output);
    this.child.once('error', () => running.delete(this));
    this.child.once('exit', () => running.delete(this));
    running.add(this);
  }

  /** With `channel`, standard input is a pipe, and so is descriptor 3, which the program answers on. */
  static start(command: Command, { channel = false } = {}): Program {
    logCount += 1;
    const log = join(logs, `${logCount}.txt`);
    return new Program(command, log, channel ? ['pipe'] : []);
  }

  get hasEnded(): boolean {
    const { exitCode, signalCode, pid } = this.child;
    return pid === undefined || exitCode !== null || signalCode !== null;
  }

  /** Waits until `isThere`, and fails when the program ends before. */
  async until(isThere: () => Promise<boolean>): Promise<void> {
    const signal = AbortSignal.timeout(START_WITHIN_MS);
    while (!(await isThere())) {
      if (this.hasEnded) throw await this.failure('has ended');
      if (signal.aborted) throw await this.failure('does not answer');
      await sleep(LOOK_EVERY_MS);
    }
  }

  async failure(what: string): Promise<Error> {
    const text = await readFile(this.#log, 'utf8');
    const tail = text.trim().split('\n').slice(-TAIL_LINES).join('\n');
    return new Error(`${this.#name} ${what}:\n${tail}`);
  }

  async stop(): Promise<void> {
    if (this.hasEnded) return;
    const exited = once(this.child, 'exit');
    this.#signal('SIGTERM');
    const late = setTimeout(() => this.kill(), STOP_WITHIN_MS);
    await exited;
    clearTimeout(late);
    this.kill();
  }

  /** At once, with all that it started. */
  kill(): void {
    this.#signal('SIGKILL');
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      process.kill(-(this.child.pid ?? Number.NaN), signal);
    } catch {
      // The group has no more processes.
    }
  }
}

/** Resolves when the program has ended with 0, rejects with the end of its output otherwise. */
export async function runToItsEnd(command: Command, withinMs = 600_000): Promise<void> {
  const program = Program.start(command);
  if (program.child.pid === undefined) throw new Error(`${command.command} cannot be started`);
  const late = setTimeout(() => void program.stop(), withinMs);
  const [code] = program.hasEnded ? [program.child.exitCode] : await once(program.child, 'exit');
  clearTimeout(late);
  if (code !== 0) throw await program.failure(`ended with ${code ?? 'a signal'}`);
}

export function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
