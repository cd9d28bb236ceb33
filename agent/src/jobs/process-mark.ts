/**
 * A mark that every process of a job has, and that none without special rights can take off: the largest number of file locks. Linux has
 * not enforced this limit since 2.4.25; processes hand it on to those that they start, and may lower it but not raise it.
 */
import { randomInt } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { SHELL } from '../commands/platform.ts';

/** Numbers that nobody sets as a limit. */
const MARK_MIN = 2 ** 52;
const MARKS = 2 ** 47;

/** Null where there are no marks: on other systems, and below a process that has one, which then counts for all below it. */
export function chooseMark(): number | null {
  const isPossible = existsSync(SHELL) && lockLimitOf('self') === 'unlimited';
  return isPossible ? MARK_MIN + randomInt(MARKS) : null;
}

export interface MarkedProcesses {
  /** Those that there are now. */
  find(): readonly number[];
  /** Those that there are now do not count, and need not be looked at. */
  restart(): void;
}

/** Nobody can start so many processes in this time that their numbers go round. */
const SHORT_MS = 250;

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
      const mayBeOurs = hasGoneRound() ? () => true : givenBetween(since.last, lastProcess());
      return listProcesses().filter((pid) => mayBeOurs(pid) && lockLimitOf(pid) === text);
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

/** Numbers are given in turn, and begin again behind the largest one. */
const givenBetween = (first: number, last: number): ((pid: number) => boolean) =>
  first <= last ? (pid) => pid > first && pid <= last : (pid) => pid > first || pid <= last;

/** Few systems have so few. */
const FEW_NUMBERS = 32_768;

const processNumbers = (): number =>
  Number(read('/proc/sys/kernel/pid_max')?.trim() ?? FEW_NUMBERS) || FEW_NUMBERS;

/** In the text of the system; null when there is no such process, or none can be looked at. */
function lockLimitOf(pid: number | 'self'): string | null {
  const limits = read(`/proc/${pid}/limits`) ?? '';
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
