/** Free space where data and files of runs are, and whether runs on this machine can be kept. */

import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, resolve, sep } from 'node:path';
import { sizeText } from '@tutti/manifests';
import { fileReason } from '../terminal/file-problem.ts';
import { attention, ok, type Point, type Section, wrong } from './section.ts';

const MIB = 1024 * 1024;
/** A server refuses work when nothing can be written; these leave time to act. */
const ATTENTION_BELOW = 1024 * MIB;
const WRONG_BELOW = 100 * MIB;

export function diskSection(dataDir: string): Section {
  const folders = [existsSync(dataDir) ? dataDir : '.', tmpdir()].map((path) => resolve(path));
  const spaces = [...new Set(folders)].map(spacePoint);
  return { name: 'Disk', points: [...spaces, ...keepingPoints(resolve(dataDir))] };
}

/** Empty if all is well. No error if workflows run elsewhere. */
function keepingPoints(dataDir: string): readonly Point[] {
  try {
    // With the separator, a file is none.
    accessSync(`${nearest(dataDir)}${sep}`, constants.W_OK | constants.X_OK);
    return [];
  } catch (error) {
    return [
      attention(
        `Runs on this machine cannot be kept in ${dataDir}: ${fileReason(error)}.`,
        'for these, name another directory with --data-dir.',
      ),
    ];
  }
}

/** The nearest existing directory of a path. */
function nearest(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearest(dirname(path));
}

function spacePoint(folder: string): Point {
  const { bavail, blocks, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const what = `${folder}: ${sizeText(free)} of ${sizeText(blocks * bsize)} free`;
  if (free < WRONG_BELOW) return wrong(what, 'make room there.');
  return free < ATTENTION_BELOW
    ? attention(what, 'make room there, or keep fewer runs (retention.runs).')
    : ok(what);
}
