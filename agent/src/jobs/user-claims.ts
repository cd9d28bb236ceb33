/** Which agent on this machine has which user for its job. */
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

/** Only root can write here. Claims are empty files with the number, and the process that has it, in their names. */
const CLAIMS = '/run/tutti-job-users';

/** Jobs take turns, so that what one could leave somewhere is not soon the next one's. */
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
    `None of the ${count} users ${first}-${last} is free for the job: agents on this machine have them all.`,
  );
}

/** Two that try at one time see each other, and both try another number. */
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

/** When a process was started, so that another one of its number is not taken for it; null when there is none. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
