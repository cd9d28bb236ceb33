/** Replaces a data directory by restored data, as late and as atomically as the file system allows. */
import { existsSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from '../blobs/filesystem/durable-files.ts';
import { makeDirectory } from '../runtime/make-directory.ts';

export interface DataPlace {
  readonly dataDir: string;
  /** The folder in which the restored data is made, on the same file system. */
  readonly staging: string;
  /** The folder to which the present data is moved. */
  readonly aside: string;
}

/** Entries that the file system itself keeps at the root of a disk. */
const OF_FILE_SYSTEM = ['lost+found'];

/**
 * The place for restored data: beside the data directory, so that one rename replaces it. The data directory may be a disk of its own, as
 * in containers. Then the place is within it, because no rename crosses disks.
 */
export function placeFor(
  dataDir: string,
  suffix: string,
  isOwnDisk: (dataDir: string) => boolean = isMountPoint,
): DataPlace {
  const at = (name: string) => (isOwnDisk(dataDir) ? join(dataDir, name) : `${dataDir}.${name}`);
  return {
    dataDir,
    staging: at(`restoring-${process.pid}`),
    aside: at(`before-restore-${suffix}`),
  };
}

function isMountPoint(dataDir: string): boolean {
  return existsSync(dataDir) && statSync(dataDir).dev !== statSync(dirname(dataDir)).dev;
}

/** Names in the data directory that are somebody's; none where there is no directory. */
export function contentOf({ dataDir, staging }: DataPlace): readonly string[] {
  if (!existsSync(dataDir)) return [];
  return readdirSync(dataDir).filter(
    (name) => !OF_FILE_SYSTEM.includes(name) && join(dataDir, name) !== staging,
  );
}

/** Answers whether there was something that is aside now. */
export async function placeData(place: DataPlace): Promise<boolean> {
  const { dataDir, staging } = place;
  const isWithin = dirname(staging) === dataDir;
  const moved = isWithin ? await exchangeContent(place) : await exchange(place);
  await syncFolder(isWithin ? dataDir : dirname(dataDir));
  return moved;
}

async function exchange(place: DataPlace): Promise<boolean> {
  const { dataDir, staging, aside } = place;
  if (contentOf(place).length === 0) {
    // Fails if somebody has put something there meanwhile.
    if (existsSync(dataDir)) rmdirSync(dataDir);
    await rename(staging, dataDir);
    return false;
  }
  await rename(dataDir, aside);
  try {
    await rename(staging, dataDir);
  } catch (error) {
    await rename(aside, dataDir);
    throw error;
  }
  return true;
}

/** The store comes last: until then no server finds its runs there, and none of its files can be missing. */
async function exchangeContent(place: DataPlace): Promise<boolean> {
  const { dataDir, staging, aside } = place;
  const old = contentOf(place);
  if (old.length > 0) makeDirectory(aside);
  for (const name of old) await rename(join(dataDir, name), join(aside, name));
  const names = readdirSync(staging).sort((a, b) => Number(a === 'store') - Number(b === 'store'));
  for (const name of names) await rename(join(staging, name), join(dataDir, name));
  rmdirSync(staging);
  return old.length > 0;
}
