/** Assigns the users of this machine to agents and their jobs. */
import { randomInt } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The first and the last number of a range. */
export interface UserRange {
  readonly first: number;
  readonly last: number;
}

export interface UserClaim {
  readonly uid: number;
  readonly giveBack: () => void;
}

/** Writable only for root. A claim is an empty file named by the user's number and the process that has it. */
const CLAIMS = '/run/tutti-job-users';

/** The last number that was tried. Numbers rotate, so that files left by one job do not soon belong to another. */
let turn = randomInt(2 ** 30);

/** Throws when no number is free. */
export function claimUser({ first, last }: UserRange): UserClaim {
  mkdirSync(CLAIMS, { recursive: true, mode: 0o700 });
  const count = last - first + 1;
  for (let tries = 0; tries < count; tries += 1) {
    turn += 1;
    const claim = tryToClaim(first + (turn % count));
    if (claim !== null) return claim;
  }
  throw new Error(
    `None of the ${count} users ${first}-${last} is free for the job: agents on this machine have them, or they left keys in the kernel. The program keyctl (package keyutils) clears keys.`,
  );
}

/** Two concurrent claims see each other, and both try another number. */
function tryToClaim(uid: number): UserClaim | null {
  const own = `${uid}.${process.pid}.${startOf(process.pid)}`;
  const file = path.join(CLAIMS, own);
  if (!isNew(file)) return null;
  const giveBack = () => rmSync(file, { force: true });
  const others = readdirSync(CLAIMS).filter((name) => name.startsWith(`${uid}.`) && name !== own);
  if (!others.some(isHeld)) return { uid, giveBack };
  giveBack();
  return null;
}

function isNew(file: string): boolean {
  try {
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

/** The claim of a process that is gone means nothing, and is removed. */
function isHeld(name: string): boolean {
  const [, pid, start] = name.split('.');
  if (startOf(Number(pid)) === start) return true;
  rmSync(path.join(CLAIMS, name), { force: true });
  return false;
}

/** Start time of a process, to distinguish it from a later one with its id; null if it is gone. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
