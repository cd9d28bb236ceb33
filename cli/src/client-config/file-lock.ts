/**
 * A file that keeps other processes from something for as long as it is there, and names the one that made it: whoever finds that one
 * gone takes its place.
 *
 * Two who find the same file must not both remove it: the second would remove the file of the one who came first. So whoever removes what is
 * left first takes a lock of that very file, under its id, and then looks again. While somebody has that lock the file stays: who made it
 * is gone, nobody makes it while it is there, and nobody else may remove it. Later, another id is found. A lock of a lock may be left,
 * too, and is taken over in the same way.
 */
import { closeSync, openSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from '../terminal/file-problem.ts';
import { isAlive } from '../terminal/is-alive.ts';

export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** What numbers of processes mean something in: the start of a machine, and the container. Others may have the same name. */
  readonly place: string;
  /** Of this file alone. */
  readonly id: string;
}

/** Somebody has it, for longer than was to be waited for; null: who does not tell. */
export class LockHeldError extends Error {
  readonly holder: LockHolder | null;
  constructor(file: string, holder: LockHolder | null) {
    super(`The lock ${file} is held.`);
    this.name = 'LockHeldError';
    this.holder = holder;
  }
}

const PRIVATE = 0o600;
const RETRY_MS = 20;

/** Resolves with what gives it back. Throws `LockHeldError`, and as the file system does. */
export async function takeFileLock(file: string, patienceMs: number): Promise<() => void> {
  const giveUpAtMs = performance.now() + patienceMs;
  while (!make(file)) {
    const holder = holderOf(file);
    const isFree = holder !== null && isGone(holder) && removeLeft(file, holder);
    if (isFree) continue;
    if (performance.now() >= giveUpAtMs) throw new LockHeldError(file, holder);
    await pause(RETRY_MS);
  }
  return () => remove(file);
}

/** False where it is there already. */
function make(file: string): boolean {
  const descriptor = openAlone(file);
  if (descriptor === null) return false;
  try {
    writeFileSync(descriptor, JSON.stringify(newHolder()));
    return true;
  } catch (error) {
    remove(file);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

function openAlone(file: string): number | null {
  try {
    return openSync(file, 'wx', PRIVATE);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return null;
    throw error;
  }
}

/** Whether it may be free now. */
function removeLeft(file: string, { id }: LockHolder): boolean {
  const own = `${file}.${id}`;
  if (!make(own)) {
    const other = holderOf(own);
    return other !== null && isGone(other) && removeLeft(own, other);
  }
  try {
    if (holderOf(file)?.id === id) remove(file);
    return true;
  } finally {
    remove(own);
  }
}

const remove = (file: string): void => rmSync(file, { force: true });

function newHolder(): LockHolder {
  return { pid: process.pid, host: hostname(), place: placeHere(), id: crypto.randomUUID() };
}

/** Null where it is gone meanwhile, or not written yet, or something else. */
function holderOf(file: string): LockHolder | null {
  try {
    const told: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isHolder(told) ? told : null;
  } catch {
    return null;
  }
}

function isHolder(told: unknown): told is LockHolder {
  if (typeof told !== 'object' || told === null) return false;
  const { pid, host, place, id }: Partial<Record<keyof LockHolder, unknown>> = told;
  const isNamed = typeof host === 'string' && typeof place === 'string';
  // It becomes part of a path.
  const hasId = typeof id === 'string' && /^[0-9a-f-]{36}$/.test(id);
  return isNamed && hasId && Number.isSafeInteger(pid) && Number(pid) > 0;
}

/** Of other machines, and of other containers, nobody here can tell. */
const isGone = ({ pid, host, place }: LockHolder): boolean =>
  host === hostname() && place === placeHere() && !isAlive(pid);

/** Where the system does not tell, the name of the machine alone counts. */
function placeHere(): string {
  const told = [
    () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    () => readlinkSync('/proc/self/ns/pid'),
  ];
  return told.map(textOrNothing).join(' ');
}

function textOrNothing(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
