/**
 * A mark that every process of a job has, and that none without special rights can take off: the largest number of file locks. Linux has
 * not enforced this limit since 2.4.25; processes hand it on to those that they start, and may lower it but not raise it.
 */
import { randomInt } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { SHELL } from '../processes/platform.ts';

/** Numbers that nobody sets as a limit. */
const MARK_MIN = 2 ** 52;
const MARKS = 2 ** 47;

/** Null where there are no marks: on other systems, and below a process that has one, which then counts for all below it. */
export function chooseMark(): number | null {
  const isPossible = existsSync(SHELL) && lockLimitOf('self') === 'unlimited';
  return isPossible ? MARK_MIN + randomInt(MARKS) : null;
}

export interface MarkedProcesses {
  /** The marked processes that run now. */
  find(): readonly number[];
  /** Ignores the processes that run now; later looks skip them. */
  restart(): void;
}

/** Nobody can start so many processes in this time that their numbers go round. */
const SHORT_MS = 250;

/** Others start processes, too, but not so many between two looks, which take microseconds. */
const LOOKS_MAX = 1_000;

/** Looks at processes that were started since `restart` alone: looking at one takes longer than listing all. */
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
      // One that starts another one and ends meanwhile must not hide it.
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

/** How many numbers were ever given. */
const processesGiven = (): number =>
  Number(/^processes (\d+)$/m.exec(read('/proc/stat') ?? '')?.[1] ?? Number.POSITIVE_INFINITY);

/** So few are looked for by their numbers, which takes less than to list all processes. */
const FEW = 64;

/** Numbers are given in turn, and begin again behind the largest one. Some of them may be gone. */
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

/** Few systems have so few. */
const FEW_NUMBERS = 32_768;

const processNumbers = (): number =>
  Number(read('/proc/sys/kernel/pid_max')?.trim() ?? FEW_NUMBERS) || FEW_NUMBERS;

/** In the text of the system; null when there is no such process, or none can be looked at. */
function lockLimitOf(pid: number | 'self'): string | null {
  const file = `/proc/${pid}/limits`;
  // Most are gone, of which an error takes longer to tell.
  const limits = existsSync(file) ? (read(file) ?? '') : '';
  return /^Max file locks +\S+ +(\S+)/m.exec(limits)?.[1] ?? null;
}

/** The numbers of all processes; none where the system has no list of them in its file system. */
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
