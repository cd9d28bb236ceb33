/** Files that belong together appear together or not at all: they are written beside their place, checked, then moved there. */
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeDirectory } from '@tutti/agent/make-directory';
import type { PlannedFile } from '@tutti/import-config';
import { UsageError } from '../terminal/problem.ts';

export interface WriteOptions {
  readonly directory: string;
  /** Existing files may be replaced. */
  readonly force: boolean;
  /** Only checks the files, and writes none. */
  readonly isDryRun: boolean;
}

/** `check` gets the directory of the files before they are moved. Rejects with its error or that of the file system, and leaves nothing. */
export async function writePlan(
  filesIn: (directory: string) => readonly PlannedFile[],
  options: WriteOptions,
  check: (directory: string) => Promise<void>,
): Promise<void> {
  const { directory, isDryRun } = options;
  const files = filesIn(directory);
  if (!options.force) refuseReplacing(files, directory);
  const isNew = !existsSync(directory);
  // Beside the target, so that files can be moved there; no other user may read it.
  const staging = mkdtempSync(
    join(isDryRun ? tmpdir() : placeFor(directory, isNew), '.tutti-import-'),
  );
  try {
    const checked = join(staging, 'checked');
    writeAll(filesIn(checked), checked);
    await check(checked);
    if (isDryRun) return;
    const written = join(staging, 'written');
    writeAll(files, written);
    if (isNew) renameSync(written, directory);
    else moveAll(files, written, directory);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function placeFor(directory: string, isNew: boolean): string {
  if (!isNew) return directory;
  makeDirectory(dirname(directory));
  return dirname(directory);
}

function refuseReplacing(files: readonly PlannedFile[], directory: string): void {
  const inTheWay = files
    .map(({ path }) => join(directory, path))
    .filter((path) => existsSync(path));
  const [first] = inTheWay;
  if (first === undefined) return;
  const more = inTheWay.length === 1 ? '' : ` and ${inTheWay.length - 1} more of the files`;
  throw new UsageError(
    `There is a file ${first} already${more}.`,
    'choose another directory with --save-to, or replace what is there with --force.',
  );
}

const SECRET = 0o600;
const READABLE = 0o644;

function writeAll(files: readonly PlannedFile[], directory: string): void {
  mkdirSync(directory);
  for (const { path, content, isSecret } of files) {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content, { mode: isSecret ? SECRET : READABLE, flag: 'wx', flush: true });
    if (isSecret) chmodSync(file, SECRET);
  }
}

/** Moves replaced files beside the directory of the new ones, so that a failure can restore them. */
function moveAll(files: readonly PlannedFile[], from: string, directory: string): void {
  const undo: (() => void)[] = [];
  try {
    for (const { path } of files) {
      const target = join(directory, path);
      const made = mkdirSync(dirname(target), { recursive: true });
      if (made !== undefined) undo.push(() => rmSync(made, { recursive: true }));
      const kept = join(dirname(from), randomUUID());
      if (existsSync(target)) {
        renameSync(target, kept);
        undo.push(() => renameSync(kept, target));
      }
      renameSync(join(from, path), target);
      undo.push(() => rmSync(target));
    }
  } catch (error) {
    for (const step of undo.toReversed()) step();
    throw error;
  }
}
