/** Starts the processes of commands, or gives them the one that waits. */
import { spawn, spawnSync } from 'node:child_process';
import type { CommandProcess } from './command-process.ts';
import { asUser, type Invocation, type Platform } from './platform.ts';
import { signalGroup } from './process-group.ts';
import { launchOf, processPlace, ReadyProcess, type ReadyProcessOptions } from './ready-process.ts';
import { placeOptions } from './waiting-options.ts';

export interface ProcessStarter {
  /** Runs in the workspace. If it could not be started it has no id, and an `error` follows. */
  start(invocation: Invocation): CommandProcess;
  /** Resolves when `start` need not be delayed: no process for it is on its way, or one takes long. */
  settled(): Promise<void>;
  /** Makes a process ready for an invocation that differs from the last one in its last argument only. */
  prepare(): void;
  /** Processes that belong to no command: those that were made ready, and the lender. */
  waiting(): readonly number[];
  /** Kills all running processes with their children, when this process is about to end. */
  kill(): void;
  /** Drops the prepared process; no other is prepared. */
  close(): void;
}

export interface ProcessStarterOptions extends ReadyProcessOptions {
  readonly onProcess?: (pid: number, phase: 'began' | 'ended') => void;
}

export function createProcessStarter(options: ProcessStarterOptions): ProcessStarter {
  const ready = new ReadyProcess(options);
  const running = new Set<CommandProcess>();
  const follow = (child: CommandProcess): CommandProcess => {
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
  return {
    start: (invocation) => {
      const child = follow(ready.take(invocation) ?? spawnPiped(invocation, options));
      ready.begun();
      return child;
    },
    settled: () => ready.settled(),
    prepare: () => ready.over(),
    waiting: () => {
      const commands = new Set([...running].map(({ pid }) => pid));
      const lent = options.lender?.pids().filter((pid) => !commands.has(pid)) ?? [];
      return ready.waiting === null ? lent : [ready.waiting, ...lent];
    },
    kill: () => {
      for (const child of running) killAtOnce(child, options.platform);
    },
    close: () => ready.close(),
  };
}

/** Its pipes are open, so it or a child still runs, and its id is still that of its group. */
function killAtOnce(child: CommandProcess, { kill }: Platform): void {
  if (child.pid === undefined) return;
  if (kill.by === 'process-group') signalGroup(child.pid, 'SIGKILL');
  else spawnSync(kill.file, kill.args(child.pid), { stdio: 'ignore', windowsHide: true });
}

function spawnPiped(invocation: Invocation, options: ProcessStarterOptions): CommandProcess {
  const launch = launchOf(options);
  if (launch === null) throw new Error('No job runs that the process would be of.');
  const { mark, user } = launch;
  const marked = mark === null ? invocation : options.platform.marked(invocation, mark);
  const { file, args, ...how } = user === null ? marked : asUser(marked, user);
  return spawn(file, args, {
    ...how,
    ...placeOptions(processPlace(options, launch)),
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
}
