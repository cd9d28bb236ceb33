/** Finds and removes files of one user in world-writable directories. Needs Linux. */
import { spawnSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { removeTree } from './remove-tree.ts';

const FOLDERS = ['/tmp', '/var/tmp', '/dev/shm', '/dev/mqueue', '/run/lock'];

/** Memory, semaphores and queues of System V, which stay when all processes are gone; and the options that remove one. */
const IPC = [
  { list: '/proc/sysvipc/shm', option: '-m' },
  { list: '/proc/sysvipc/sem', option: '-s' },
  { list: '/proc/sysvipc/msg', option: '-q' },
] as const;

/** After the end of the processes of the user. */
export async function clearSharedPlaces(uid: number): Promise<void> {
  for (const folder of FOLDERS) await removeFilesOf(uid, folder);
  const options = IPC.flatMap(({ list, option }) =>
    createdBy(uid, list).flatMap((id) => [option, id]),
  );
  if (options.length > 0) spawnSync('ipcrm', options, { stdio: 'ignore' });
}

async function removeFilesOf(uid: number, folder: string): Promise<void> {
  for (const name of namesIn(folder)) {
    const file = Buffer.concat([Buffer.from(`${folder}/`), name]);
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found?.uid === uid) await removeTree(folder, name);
  }
}

/** As bytes: a name need not be text. */
function namesIn(folder: string): readonly Buffer[] {
  try {
    return readdirSync(folder, { encoding: 'buffer' });
  } catch {
    return [];
  }
}

/** Ids of objects that the user created, even if it gave them to another user. */
function createdBy(uid: number, list: string): readonly string[] {
  try {
    const [head = [], ...rows] = readFileSync(list, 'latin1')
      .split('\n')
      .map((line) => line.trim().split(/ +/));
    const [creator, id] = [head.indexOf('cuid'), 1];
    return rows.flatMap((row) => (row[creator] === String(uid) ? (row[id] ?? []) : []));
  } catch {
    return [];
  }
}
