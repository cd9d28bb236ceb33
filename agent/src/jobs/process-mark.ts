/**
 * A mark on every process of a job that no unprivileged process can remove: the limit of file locks. Linux has not enforced this
 * limit since 2.4.25. Processes inherit it, and may lower it but not raise it.
 */
import { randomInt } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { SHELL } from '../processes/platform.ts';

/** Numbers that no real limit has. */
const MARK_MIN = 2 ** 52;
const MARKS = 2 ** 47;

/** Null if marks are impossible. They are on other systems, and below a process with a mark, which covers all its descendants. */
export function chooseMark(): number | null {
  const isPossible = existsSync(SHELL) && lockLimitOf('self') === 'unlimited';
  return isPossible ? MARK_MIN + randomInt(MARKS) : null;
}

export interface MarkedProcesses {
  /** The marked processes that run now. */
  find(): readonly number[];
  /** Forgets the running processes; later calls skip them. */
  restart(): void;
}

/** Too short to start enough processes for process ids to wrap around. */
const SHORT_MS = 250;

/** Other programs start processes, too, but fewer between two checks, which take microseconds. */
const LOOKS_MAX = 1_000;

/** Checks only processes started since `restart`: checking one takes longer than listing all. */
export function createMarkedProcesses(mark: number, nowMs: () => number): MarkedProcesses {
  const text = String(mark);
  let since = { last: lastProcess(), atMs: nowMs() };
  let given = processesGiven();
  const hasGoneRound = () => {
    if (nowMs() - since.atMs < SHORT_MS) return false;
    const before = given;
    given = processesGiven();
    return given - before > processNumbers() / 2;
  };
  return {
    find: () => {
      const isMarked = (pid: number) => lockLimitOf(pid) === text;
      if (hasGoneRound()) return listProcesses().filter(isMarked);
      let found: readonly number[] = [];
      // A process that starts another and ends must not hide it.
      for (let seen = since.last, look = 0; found.length === 0 && look < LOOKS_MAX; look += 1) {
        const last = lastProcess();
        if (last === seen) break;
        found = givenBetween(seen, last).filter(isMarked);
        seen = last;
      }
      return found;
    },
    restart: () => {
      since = { last: lastProcess(), atMs: nowMs() };
    },
  };
}

/** The number that was given last. */
const lastProcess = (): number => Number(read('/proc/loadavg')?.trim().split(' ').at(-1) ?? 0);

/** Number of processes that the system ever started. */
const processesGiven = (): number =>
  Number(/^processes (\d+)$/m.exec(read('/proc/stat') ?? '')?.[1] ?? Number.POSITIVE_INFINITY);

/** Up to this number, ids are checked one by one, which is faster than listing all processes. */
const FEW = 64;

/** Ids are given in order, and begin again behind the largest. Some may be gone. */
function givenBetween(first: number, last: number): readonly number[] {
  if (last >= first && last - first <= FEW) {
    return Array.from({ length: last - first }, (_, index) => first + 1 + index);
  }
  const isBetween =
    first <= last
      ? (pid: number) => pid > first && pid <= last
      : (pid: number) => pid > first || pid <= last;
  return listProcesses().filter(isBetween);
}

/** Few systems have fewer process ids. */
const FEW_NUMBERS = 32_768;

const processNumbers = (): number =>
  Number(read('/proc/sys/kernel/pid_max')?.trim() ?? FEW_NUMBERS) || FEW_NUMBERS;

/** In the text of the system; null when there is no such process, or none can be looked at. */
function lockLimitOf(pid: number | 'self'): string | null {
  const file = `/proc/${pid}/limits`;
  // Most processes are gone, and an error takes longer than this check.
  const limits = existsSync(file) ? (read(file) ?? '') : '';
  return /^Max file locks +\S+ +(\S+)/m.exec(limits)?.[1] ?? null;
}

/** Ids of all processes; none if the system has no list in its file system. */
export function listProcesses(): readonly number[] {
  try {
    return readdirSync('/proc').filter(isNumber).map(Number);
  } catch {
    return [];
  }
}

const isNumber = (name: string): boolean => /^\d+$/.test(name);

function read(file: string): string | null {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return null;
  }
}
