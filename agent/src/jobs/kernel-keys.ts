/** Keys that the system keeps for a user without processes: in its own keyrings, and in its persistent one. Needs Linux. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { SETPRIV, SHELL, toUser } from '../processes/platform.ts';

const CLEAR = 'keyctl clear @us && keyctl clear @u && keyctl clear "$(keyctl get_persistent @p)"';

/** After the end of the processes of the user. False if keys remain, also because there is no program `keyctl`. */
export function clearKeys(uid: number): boolean {
  if (!hasKeys(uid)) return true;
  const args = [...toUser({ uid, gid: uid }), SHELL, '-c', CLEAR];
  return spawnSync(SETPRIV, args, { cwd: '/', stdio: 'ignore' }).status === 0;
}

function hasKeys(uid: number): boolean {
  try {
    return new RegExp(`^ *${uid}:`, 'm').test(readFileSync('/proc/key-users', 'latin1'));
  } catch {
    return false;
  }
}
