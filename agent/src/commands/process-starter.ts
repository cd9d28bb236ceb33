/**
 * Starts the processes of commands. Starting one takes milliseconds, more than most of what a short step does, since the system
 * copies the agent's tables of memory for it. So once a command is over, a process is made ready that waits for the next one,
 * while the server decides what that is.
 *
 * none -> waiting -> handed over, or let go after some seconds without a command. It ends by itself when the agent is gone.
 */
import { type ChildProcess, type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { PREPARED_KEEP_MS } from '../limits.ts';
import type { Environment, Invocation, Platform } from './platform.ts';
import { signalGroup } from './process-group.ts';

export type PipedProcess = ChildProcessByStdio<null, Readable, Readable>;

export interface ProcessStarter {
  /** In the workspace. When it could not be started it has no id, and an `error` follows. */
  start(invocation: Invocation): PipedProcess;
  /** Makes a process ready for an invocation that differs from the last one in its last argument only. */
  prepare(): void;
  /** Ends all that runs, with what it started, without asking it: for the last moment of this process. */
  kill(): void;
  /** Lets go of what was made ready; from then on nothing is made ready any more. */
  close(): void;
}

export interface ProcessStarterOptions {
  readonly platform: Platform;
  readonly environment: Environment;
  readonly workingDir: string;
  readonly onProcess?: (pid: number, phase: 'began' | 'ended') => void;
}

interface Waiting {
  readonly child: PipedProcess;
  readonly invocation: Invocation;
  readonly place: string | null;
  readonly timer: NodeJS.Timeout;
}

export function createProcessStarter(options: ProcessStarterOptions): ProcessStarter {
  const { platform, workingDir } = options;
  let last: Invocation | null = null;
  let waiting: Waiting | null = null;
  let isClosed = false;
  const running = new Set<PipedProcess>();

  const follow = (child: PipedProcess): PipedProcess => {
    const { pid } = child;
    if (pid === undefined) return child;
    running.add(child);
    options.onProcess?.(pid, 'began');
    child.once('close', () => {
      running.delete(child);
      options.onProcess?.(pid, 'ended');
    });
    return child;
  };
  const take = (): Waiting | null => {
    const taken = waiting;
    if (taken !== null) clearTimeout(taken.timer);
    waiting = null;
    return taken;
  };
  const drop = () => {
    const unused = take();
    if (unused !== null) letGo(unused.child);
  };
  const handOver = (invocation: Invocation): PipedProcess | null => {
    const taken = take();
    if (taken === null) return null;
    const argument = argumentFor(taken, invocation);
    if (argument === null || hasExited(taken.child) || taken.place !== placeOf(workingDir)) {
      letGo(taken.child);
      return null;
    }
    gateOf(taken.child).end(`${argument}\n`);
    return taken.child;
  };

  return {
    start: (invocation) => {
      last = invocation;
      return follow(handOver(invocation) ?? spawnPiped(invocation, options));
    },
    prepare: () => {
      if (isClosed || waiting !== null || last === null) return;
      const invocation = platform.prepared(last);
      if (invocation === null) return;
      const place = placeOf(workingDir);
      const child = place === null ? null : trySpawnWaiting(invocation, options);
      if (child === null) return;
      const timer = setTimeout(drop, PREPARED_KEEP_MS);
      waiting = { child, invocation: last, place, timer };
    },
    kill: () => {
      for (const child of running) killAtOnce(child, platform);
    },
    close: () => {
      isClosed = true;
      drop();
    },
  };
}

/** Its pipes are open, so that it or what it started is there, and its number is still that of its group. */
function killAtOnce(child: PipedProcess, { kill }: Platform): void {
  if (child.pid === undefined) return;
  if (kill.by === 'process-group') signalGroup(child.pid, 'SIGKILL');
  else spawnSync(kill.file, kill.args(child.pid), { stdio: 'ignore', windowsHide: true });
}

/** The directory itself, not its name: another one may have taken its place. Null when it cannot be looked at. */
function placeOf(directory: string): string | null {
  try {
    const { dev, ino } = statSync(directory);
    return `${dev}/${ino}`;
  } catch {
    return null;
  }
}

/** What the process that waits lacks to be the one that is asked for; null when it cannot become that. */
function argumentFor({ invocation: known }: Waiting, asked: Invocation): string | null {
  const argument = asked.args.at(-1) ?? null;
  const isAlike =
    asked.file === known.file &&
    asked.args.length === known.args.length &&
    asked.args.slice(0, -1).every((arg, index) => arg === known.args[index]);
  return argument !== null && isAlike && isOneLine(argument) ? argument : null;
}

const isOneLine = (text: string): boolean => text !== '' && !/[\n\0]/.test(text);

function spawnPiped(
  { file, args, ...how }: Invocation,
  { workingDir, environment }: ProcessStarterOptions,
): PipedProcess {
  return spawn(file, args, {
    ...how,
    cwd: workingDir,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
}

/** Null when the system has no process to give, which Node throws or tells later; the next command will tell why. */
function trySpawnWaiting(
  invocation: Invocation,
  options: ProcessStarterOptions,
): PipedProcess | null {
  try {
    return spawnWaiting(invocation, options);
  } catch {
    return null;
  }
}

function spawnWaiting(
  { file, args, ...how }: Invocation,
  { workingDir, environment }: ProcessStarterOptions,
): PipedProcess | null {
  const child = spawn(file, args, {
    ...how,
    cwd: workingDir,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  child.on('error', () => undefined);
  if (child.pid === undefined) return null;
  // It may be gone when it is told what to do, of which its exit tells.
  gateOf(child).on('error', () => undefined);
  return child as PipedProcess;
}

/** Where it is told what to do. */
const gateOf = (child: ChildProcess): Writable => child.stdio[3] as Writable;

/** Nothing to read where it waits ends it. */
function letGo(child: PipedProcess): void {
  gateOf(child).destroy();
  child.stdout.destroy();
  child.stderr.destroy();
}

export const hasExited = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null;
