/**
 * The disk of the server, and what can be done to it here. A full disk is a bounded file system of its own, in memory. It takes the right
 * to mount. A disk that is slow, or fails, is a library that is loaded before the server. It takes a C compiler.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { openSync, readSync, writeSync } from 'node:fs';
import { cp, mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const MIB = 1024 * 1024;
/** Room for all that a run of ten minutes leaves, and for the 64 MiB that are kept from files. */
const DISK_MIB = 256;
const KIB = 1024;
/** As `slow-disk.c` has them: what it is told, and what it tells. */
const CONTROL_BYTES = 16;

/** A tool for faults of a disk, or the reason why this machine has none. */
export type Ability<Tool> = { readonly tool: Tool } | { readonly missing: string };

export interface Disk {
  readonly folder: string;
  /** Environment variables for the server. */
  readonly environment: Readonly<Record<string, string>>;
  /** Null where the disk cannot be filled. */
  readonly fill: ((leftKib: number) => Promise<void>) | null;
  readonly clear: () => Promise<void>;
  /** Null where the disk cannot be made slow. */
  readonly slow: ((syncMs: number) => void) | null;
  readonly fail: ((syncs: number) => void) | null;
  /** Number of slow writes to the disk, and of failed ones. */
  readonly met: () => { readonly delayed: number; readonly failed: number };
  /** Why something cannot be done here, one sentence each. */
  readonly missing: readonly string[];
  /** Keeps what is on it in a folder, unless that is null, and ends it. */
  close(keptIn: string | null): Promise<void>;
}

export async function openDisk(folder: string): Promise<Disk> {
  const place = join(folder, 'disk');
  await mkdir(place);
  const mounted = mount(place);
  const shim = await loadShim(folder);
  const ballast = join(place, 'ballast');
  const isMounted = 'tool' in mounted;
  return {
    folder: place,
    environment: 'tool' in shim ? shim.tool.environment : {},
    fill: isMounted ? (leftKib) => fill(place, ballast, leftKib) : null,
    clear: () => rm(ballast, { force: true }),
    slow: 'tool' in shim ? (syncMs) => shim.tool.set(0, syncMs) : null,
    fail: 'tool' in shim ? (syncs) => shim.tool.set(4, syncs) : null,
    met: () => ('tool' in shim ? shim.tool.met() : { delayed: 0, failed: 0 }),
    missing: [mounted, shim].flatMap((ability) => ('missing' in ability ? [ability.missing] : [])),
    close: async (keptIn) => {
      await rm(ballast, { force: true });
      if (keptIn !== null && isMounted) await cp(place, keptIn, { recursive: true });
      if (isMounted) spawnSync('umount', ['-l', place]);
    },
  };
}

function mount(place: string): Ability<true> {
  const options = ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tutti-chaos', place];
  const { status, stderr, error } = spawnSync('mount', options, { encoding: 'utf8' });
  if (status === 0) return { tool: true };
  const why = error?.message ?? stderr.trim();
  return { missing: `The disk is never full: no file system can be mounted here (${why}).` };
}

interface Shim {
  readonly environment: Readonly<Record<string, string>>;
  set(offset: number, value: number): void;
  met: Disk['met'];
}

async function loadShim(folder: string): Promise<Ability<Shim>> {
  const library = join(folder, 'slow-disk.so');
  const control = join(folder, 'slow-disk');
  const source = join(import.meta.dirname, 'slow-disk.c');
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'], {
      stdio: 'pipe',
    });
  } catch (error) {
    const [why] = String(error instanceof Error ? error.message : error).split('\n');
    return { missing: `The disk is never slow and never fails: nothing can be compiled (${why}).` };
  }
  await writeFile(control, Buffer.alloc(CONTROL_BYTES));
  const file = openSync(control, 'r+');
  return {
    tool: {
      environment: { LD_PRELOAD: library, TUTTI_CHAOS_DISK: control },
      set(offset, value) {
        const bytes = Buffer.alloc(4);
        bytes.writeInt32LE(value);
        writeSync(file, bytes, 0, 4, offset);
      },
      met() {
        const bytes = Buffer.alloc(CONTROL_BYTES);
        readSync(file, bytes, 0, CONTROL_BYTES, 0);
        return { delayed: bytes.readUInt32LE(8), failed: bytes.readUInt32LE(12) };
      },
    },
  };
}

/** A file that takes all room but so much, as far as the server does not take it first. */
async function fill(place: string, ballast: string, leftKib: number): Promise<void> {
  const { bavail, bsize } = await statfs(place);
  const bytes = bavail * bsize - leftKib * KIB;
  const block = Buffer.alloc(MIB, 1);
  for (let left = bytes; left > 0; left -= MIB) {
    try {
      await writeFile(ballast, left < MIB ? block.subarray(0, left) : block, { flag: 'a' });
    } catch {
      return;
    }
  }
}
