/**
 * Gives each job a user of its own, with a number that no account has. At the end of the job, all processes of that user end. No
 * job can read files and processes of other jobs or of the agent. Needs root, and Linux.
 */
import { fork, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { OrchestratorError } from '@tutti/manifests';
import { KILL_GRACE_MS } from '../limits.ts';
import { type Environment, SETPRIV, SHELL, toUser } from '../processes/platform.ts';
import { LENDING_PROCESS } from '../processes/process-lender.ts';
import type { Timing } from '../timing.ts';
import { endLeftovers } from './end-leftovers.ts';
import { clearKeys } from './kernel-keys.ts';
import { listProcesses } from './process-mark.ts';
import { removeTree } from './remove-tree.ts';
import { clearSharedPlaces } from './shared-places.ts';
import { claimUser, type UserClaim, type UserRange } from './user-claims.ts';

/** Numbers that distributions and containers leave free. */
export const DEFAULT_USERS: UserRange = { first: 2_000_000_000, last: 2_000_000_999 };

/** No job has this number, so no job reaches a process with it. */
const KILLER = 2 ** 32 - 2;

const UID_MAX = KILLER - 1;

/** `FIRST-LAST`. Throws `Invalid` for anything else. */
export function parseUserRange(text: string): UserRange {
  const [, first = '', last = ''] = /^(\d{1,10})-(\d{1,10})$/.exec(text) ?? [];
  const range = { first: Number(first), last: Number(last) };
  if (range.first >= 1 && range.first <= range.last && range.last <= UID_MAX) return range;
  throw new OrchestratorError(
    'Invalid',
    `Not a range of user ids: ${JSON.stringify(text)}. Write the first and the last one, as in 200000-200099; 0 is root.`,
  );
}

/** Throws `Invalid` where jobs cannot have users of their own, with the reason. */
export function refuseUsers(workspaceDir: string): void {
  const isRoot = process.getuid?.() === 0;
  if (process.platform !== 'linux' || !isRoot) {
    throw new OrchestratorError(
      'Invalid',
      'A user per job needs an agent that runs as root, on Linux.',
    );
  }
  const asRoot = [...toUser({ uid: 0, gid: 0 }), 'true'];
  if (spawnSync(SETPRIV, asRoot, { stdio: 'ignore' }).status !== 0) {
    throw new OrchestratorError(
      'Invalid',
      'A user per job needs the program setpriv, which keeps jobs from becoming other users. Install it (package util-linux).',
    );
  }
  for (let at = workspaceDir; ; at = path.dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) {
      throw new OrchestratorError(
        'Invalid',
        `The users of jobs cannot enter ${at}, where the workspace directory is. Name another one with --workspace-dir, or allow it with chmod o+x.`,
      );
    }
    if (at === path.dirname(at)) return;
  }
}

export interface JobUser {
  readonly uid: number;
  readonly gid: number;
  /** Also for temporary files. No other user can enter it. */
  readonly home: string;
  /** Ends all processes of the user. False if some remain. */
  endProcesses(timing: Timing): Promise<boolean>;
  /**
   * Removes the user's files in shared directories, and returns the number. Call after the end of its processes. Rejects if files
   * remain; then the number is not used again.
   */
  release(): Promise<void>;
}

/** Rejects when no number is free. `name` is that of the home, below `folder`. */
export async function takeUser(
  range: UserRange,
  {
    folder,
    name,
    timing,
  }: { readonly folder: string; readonly name: string; readonly timing: Timing },
): Promise<JobUser> {
  const { uid, giveBack } = await claimUnused(range, timing);
  const home = path.join(folder, name);
  await clearSharedPlaces(uid);
  await removeTree(folder, name);
  for (const directory of [home, path.join(home, TEMPORARY)]) {
    mkdirSync(directory, { mode: 0o700 });
    chownSync(directory, uid, uid);
  }
  return {
    uid,
    gid: uid,
    home,
    endProcesses: () => endProcessesOf(uid, timing),
    release: async () => {
      await removeTree(folder, name);
      await clearSharedPlaces(uid);
      giveBack();
    },
  };
}

/** Claims a user without processes and keys. A killed agent leaves those of its job. A number that keeps some of them stays claimed. */
async function claimUnused(range: UserRange, timing: Timing): Promise<UserClaim> {
  for (;;) {
    const claim = claimUser(range);
    if ((await endProcessesOf(claim.uid, timing)) && clearKeys(claim.uid)) return claim;
  }
}

async function endProcessesOf(uid: number, timing: Timing): Promise<boolean> {
  const find = () => processesOf(uid);
  const killAll = () => killAllUnreached(uid);
  await endLeftovers(find, killAll, timing);
  // Even if none was seen: processes that are just starting end here.
  if (!killAllOf(uid)) await killAll();
  return await endLeftovers(find, killAll, timing);
}

const TEMPORARY = 'tmp';

/** Variables that lead to the agent's user or session. Jobs do not get them. */
const OF_THE_AGENT = /^(XDG_|SUDO_|DBUS_|SSH_)/;

/** The environment of a job with a user of its own. */
export function environmentOf({ uid, home }: JobUser, own: Environment): Environment {
  const kept = Object.entries(own).filter(([name]) => !OF_THE_AGENT.test(name));
  const name = `tutti-${uid}`;
  const more = { HOME: home, TMPDIR: path.join(home, TEMPORARY), USER: name, LOGNAME: name };
  return { ...Object.fromEntries(kept), ...more };
}

function processesOf(uid: number): readonly number[] {
  return listProcesses().filter((pid) => hasUser(pid, uid));
}

/** Real or effective user: programs that change the user change one of them. */
function hasUser(pid: number, uid: number): boolean {
  try {
    const [, ids = ''] = /^Uid:\s+(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return ids.split(/\s+/).includes(String(uid));
  } catch {
    return false;
  }
}

/**
 * A process with the rights of this user alone kills them all. The system does so in one step, so none is started meanwhile. False
 * if a process of the user may have stopped or killed this one.
 */
function killAllOf(uid: number): boolean {
  const args = [...toUser({ uid, gid: uid }), SHELL, '-c', 'kill -s KILL -- -1'];
  const bounds = { timeout: KILL_GRACE_MS, killSignal: 'SIGKILL' } as const;
  return spawnSync(SETPRIV, args, { cwd: '/', stdio: 'ignore', ...bounds }).signal === null;
}

/**
 * Ends the processes of a user from a process that the user can neither stop nor kill. Only its effective number is that of the user. Its
 * start takes twenty times as long. Resolves when it has ended.
 */
function killAllUnreached(uid: number): Promise<void> {
  const killer = fork(LENDING_PROCESS, [String(uid)], {
    execPath: SETPRIV,
    execArgv: ['--ruid', String(KILLER), process.execPath],
    cwd: '/',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  return new Promise((resolve) => {
    killer.once('error', () => resolve());
    killer.once('exit', () => resolve());
  });
}
