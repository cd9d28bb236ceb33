/**
 * The process that waits for the next command. Starting one takes milliseconds, longer than most short steps, since the system
 * copies the agent's memory tables. So after a command, a process is prepared while the server decides on the next one. A
 * borrowed process costs nearly nothing, so it is requested while a command runs.
 *
 * none -> waiting -> taken, or dropped after some seconds without a command. The process ends by itself when the agent is gone.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { LOAN_WAIT_MS, PREPARED_KEEP_MS } from '../limits.ts';
import { type CommandProcess, hasExited, letGo, type WaitingProcess } from './command-process.ts';
import { asUser, type Environment, type Invocation, type Platform } from './platform.ts';
import type { ProcessLender } from './process-lender.ts';
import { type ProcessPlace, waitingOptions } from './waiting-options.ts';

/** The place of processes for the running job. */
export interface Launch {
  readonly environment: Environment;
  /** Null for the user of the agent. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
  /** See `process-mark.ts`; null if it is not needed. */
  readonly mark: number | null;
}

export interface ReadyProcessOptions {
  readonly platform: Platform;
  readonly environment: Environment;
  readonly workingDir: string;
  /** Place of the next process; null if unknown. Absent, the options decide. */
  readonly launch?: (() => Launch | null) | undefined;
  /** Prepares processes instead of this one, from the second command on, so that it is not started for one alone. */
  readonly lender?: ProcessLender | undefined;
}

interface Waiting {
  readonly process: WaitingProcess;
  readonly invocation: Invocation;
  readonly place: string;
  readonly timer: NodeJS.Timeout;
}

export class ReadyProcess {
  readonly #options: ReadyProcessOptions;
  #waiting: Waiting | null = null;
  #last: Invocation | null = null;
  #commands = 0;
  /** A process that is on its way here. */
  #loan: Promise<void> | null = null;
  #isClosed = false;

  constructor(options: ReadyProcessOptions) {
    this.#options = options;
  }

  /** The waiting process with its last argument. Null, with the process dropped, if it cannot become this invocation. */
  take(invocation: Invocation): CommandProcess | null {
    this.#last = invocation;
    this.#commands += 1;
    const taken = this.#release();
    if (taken === null) return null;
    const argument = argumentFor(taken, invocation);
    const isHere = taken.place === placeOf(this.#options);
    const { process } = taken;
    if (argument === null || hasExited(process) || !isHere) {
      letGo(process);
      return null;
    }
    // Its other end stays open: a program that reads its standard output waits, as it does without this line.
    process.stdout.write(`${argument}\n`);
    return process;
  }

  /** Resolves when no process is on its way here, or when one takes long. Starting another one meanwhile costs more. */
  async settled(): Promise<void> {
    if (this.#loan === null) return;
    await Promise.race([this.#loan, wait(LOAN_WAIT_MS, undefined, { ref: false })]);
  }

  /** A command was begun. */
  begun(): void {
    const { lender } = this.#options;
    if (lender !== undefined && this.#commands > 1)
      this.#prepare((next) => this.#borrow(lender, next));
  }

  /** A command is over. */
  over(): void {
    const { lender } = this.#options;
    if (lender === undefined) this.#prepare((next) => this.#keep(next, trySpawn(next)));
    else this.begun();
  }

  /** The process id of the waiting process. */
  get waiting(): number | null {
    return this.#waiting?.process.pid ?? null;
  }

  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  #prepare(make: (next: Next) => void): void {
    const known = this.#last;
    if (this.#isClosed || this.#loan !== null || this.#waiting !== null || known === null) return;
    const launch = launchOf(this.#options);
    const place = placeOf(this.#options);
    if (launch === null || place === null) return;
    const prepared = this.#options.platform.prepared(known, launch.mark);
    if (prepared === null) return;
    const waits = launch.user === null ? prepared : asUser(prepared, launch.user);
    make({ known, waits, place, at: processPlace(this.#options, launch) });
  }

  #borrow(lender: ProcessLender, next: Next): void {
    this.#loan = lender.lend(next.waits, next.at).then((lent) => {
      this.#loan = null;
      this.#keep(next, lent);
    });
  }

  #keep({ known, place }: Next, process: WaitingProcess | null): void {
    if (process === null) return;
    if (this.#isClosed) {
      letGo(process);
      return;
    }
    const timer = setTimeout(() => this.#drop(), PREPARED_KEEP_MS);
    this.#waiting = { process, invocation: known, place, timer };
  }

  #release(): Waiting | null {
    const released = this.#waiting;
    if (released !== null) clearTimeout(released.timer);
    this.#waiting = null;
    return released;
  }

  #drop(): void {
    const unused = this.#release();
    if (unused !== null) letGo(unused.process);
  }
}

/** A process to prepare, and the command that it is meant for. */
interface Next {
  readonly known: Invocation;
  readonly waits: Invocation;
  readonly place: string;
  readonly at: ProcessPlace;
}

export const launchOf = ({ launch, environment }: ReadyProcessOptions): Launch | null =>
  launch === undefined ? { environment, user: null, mark: null } : launch();

export const processPlace = (
  { workingDir }: ReadyProcessOptions,
  { environment }: Launch,
): ProcessPlace => ({ workingDir, environment });

/**
 * The directory itself, not its name, because another may replace it; and the user. Null if it cannot be read, or does not exist
 * yet.
 */
function placeOf(options: ReadyProcessOptions): string | null {
  try {
    const launch = launchOf(options);
    const { dev, ino } = statSync(options.workingDir);
    return launch === null ? null : `${dev}/${ino}/${launch.user?.uid ?? ''}`;
  } catch {
    return null;
  }
}

/** The argument that turns the waiting process into the requested one; null if it cannot become that. */
function argumentFor({ invocation: known }: Waiting, asked: Invocation): string | null {
  const argument = asked.args.at(-1) ?? null;
  const isAlike =
    asked.file === known.file &&
    asked.args.length === known.args.length &&
    asked.args.slice(0, -1).every((arg, index) => arg === known.args[index]);
  return argument !== null && isAlike && isOneLine(argument) ? argument : null;
}

const isOneLine = (text: string): boolean => text !== '' && !/[\n\0]/.test(text);

/** Null if the system has no process, which Node throws or reports later; the next command reports why. */
function trySpawn({ waits, at }: Next): WaitingProcess | null {
  try {
    const { file, args } = waits;
    const child = spawn(file, args, waitingOptions(waits, at));
    child.on('error', () => undefined);
    if (child.pid === undefined) return null;
    // The pipes that were asked for are sockets.
    const waiting = child as ChildProcess & WaitingProcess;
    // The process may have ended before its instructions; its exit is reported elsewhere.
    waiting.stdout.on('error', () => undefined);
    return waiting;
  } catch {
    return null;
  }
}
