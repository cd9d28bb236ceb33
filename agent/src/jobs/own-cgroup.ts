/**
 * A cgroup (version 2) for the agent and all its processes. Processes of a job cannot leave it. So at the end of the job, all
 * processes in it except the agent's own belong to the job. The agent moves into it once: moving each command would cost ten
 * milliseconds.
 */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface OwnCgroup {
  /** Returns the part for one slot. */
  slot(): SlotCgroup;
  /** Moves the agent back to its original cgroup. */
  leave(): void;
}

/**
 * While other slots have jobs, nobody knows whose job a process belongs to, so that their marks decide. All other processes end with the last
 * job.
 */
export interface SlotCgroup {
  /** Call it first, and again for each registration. */
  usedBy(user: CgroupUser): void;
  /** All processes in it that may belong to the job of this slot. */
  pids(): readonly number[];
  /** Kills all of them, also those that are just starting, except these. */
  killOthers(kept: () => readonly number[]): void;
}

interface CgroupUser {
  readonly hasJob: boolean;
  /** Process ids of prepared processes, which belong to no job yet, and of what prepares them. */
  waiting(): readonly number[];
}

const PREFIX = 'tutti-agent-';

/** Null if the system has no cgroups, or the agent may not create one. */
export function enterOwnCgroup(): OwnCgroup | null {
  const base = currentCgroup();
  if (base === null) return null;
  const name = `${PREFIX}${process.pid}-${startOf(process.pid) ?? 0}`;
  let moves = 0;
  const move = (kept: () => readonly number[]): string => {
    const next = path.join(base, `${name}-${moves}`);
    moves += 1;
    mkdirSync(next);
    enter(next, process.pid);
    // One of them may have started another one before it entered, so they are looked for twice.
    for (const look of [kept, kept]) for (const pid of look()) tryToEnter(next, pid);
    return next;
  };
  try {
    removeOld(base, null);
    let own = move(() => []);
    const killOthers = (kept: () => readonly number[]) => {
      const old = own;
      try {
        own = move(kept);
        kill(old);
        removeOld(base, own);
      } catch {
        // A job may change its cgroup so that this is refused. Signals to each of its processes follow.
      }
    };
    const users = new Map<SlotCgroup, CgroupUser>();
    return {
      slot: () => slotOf(users, () => pidsIn(own), killOthers),
      leave: () => {
        enter(base, process.pid);
        remove(own);
      },
    };
  } catch {
    return null;
  }
}

function slotOf(
  users: Map<SlotCgroup, CgroupUser>,
  pids: () => readonly number[],
  killOthers: (kept: () => readonly number[]) => void,
): SlotCgroup {
  const others = () => [...users].flatMap(([other, user]) => (other === slot ? [] : [user]));
  const isAlone = () => !others().some(({ hasJob }) => hasJob);
  const waiting = () => others().flatMap((user) => user.waiting());
  const slot: SlotCgroup = {
    usedBy: (user) => void users.set(slot, user),
    pids: () => {
      if (!isAlone()) return [];
      const kept = new Set(waiting());
      return pids().filter((pid) => !kept.has(pid));
    },
    killOthers: (kept) => {
      if (isAlone()) killOthers(() => [...kept(), ...waiting()]);
    },
  };
  return slot;
}

/** The directory of the cgroup that this process is in. */
export function currentCgroup(): string | null {
  try {
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
    const mount = mounts.find((line) => line.includes(' - cgroup2 '))?.split(' ');
    const own = /^0::(\/.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
    const [root, at] = [mount?.[3], mount?.[4]];
    if (own === undefined || root === undefined || at === undefined) return null;
    const way = path.relative(root, own);
    return way.startsWith('..') ? null : path.join(at, way);
  } catch {
    return null;
  }
}

const enter = (cgroup: string, pid: number): void =>
  writeFileSync(path.join(cgroup, 'cgroup.procs'), String(pid));

function tryToEnter(cgroup: string, pid: number): void {
  try {
    enter(cgroup, pid);
  } catch {
    // The process ended meanwhile.
  }
}

/** Includes inner cgroups: an agent that a job started has one of its own. */
function pidsIn(cgroup: string): readonly number[] {
  const own = read(path.join(cgroup, 'cgroup.procs')).split('\n');
  const pids = own.filter((line) => line !== '').map(Number);
  return [...pids, ...cgroupsIn(cgroup).flatMap(pidsIn)];
}

/** Empty for a removed cgroup, and for a threaded one, whose processes are listed above it. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function cgroupsIn(cgroup: string): readonly string[] {
  try {
    return readdirSync(cgroup, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => path.join(cgroup, name));
  } catch {
    return [];
  }
}

/** Linux has this file since 5.14. */
const kill = (cgroup: string): void => writeFileSync(path.join(cgroup, 'cgroup.kill'), '1');

const NAME = new RegExp(`^${PREFIX}(\\d+)-(?:(\\d+)-)?\\d+$`);

/** Directories and processes that earlier agents left, or this one, except those in `own`. */
function removeOld(base: string, own: string | null): void {
  for (const cgroup of cgroupsIn(base)) {
    const [, pid, start] = NAME.exec(path.basename(cgroup)) ?? [];
    if (pid === undefined || cgroup === own || isUsed(Number(pid), start, cgroup)) continue;
    try {
      kill(cgroup);
      remove(cgroup);
    } catch {
      // The cgroup belongs to another user, or its processes are still ending: the next agent removes it.
    }
  }
}

/** Another agent may have made the directory, and enter it next. It must not be killed with the leftovers. */
function isUsed(pid: number, start: string | undefined, cgroup: string): boolean {
  if (pid === process.pid) return pidsIn(cgroup).includes(pid);
  const now = startOf(pid);
  return (now !== null && (start ?? now) === now) || pidsIn(cgroup).includes(pid);
}

/** The time at which a process started, which tells it from later ones with its number. Null if there is none. */
function startOf(pid: number): string | null {
  const text = read(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[START] ?? null;
}

/** Place in the list behind the name of the process. */
const START = 19;

function remove(cgroup: string): void {
  try {
    for (const inner of cgroupsIn(cgroup)) remove(inner);
    rmdirSync(cgroup);
  } catch {
    // The cgroup is not empty yet.
  }
}
