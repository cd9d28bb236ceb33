/** Free space where data and files of runs are. */
import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { sizeText } from '../size-text.ts';
import { attention, ok, type Point, type Section, wrong } from './section.ts';

const MIB = 1024 * 1024;
/** A server refuses work when nothing can be written; these leave time to act. */
const ATTENTION_BELOW = 1024 * MIB;
const WRONG_BELOW = 100 * MIB;

export function diskSection(dataDir: string): Section {
  const folders = [existsSync(dataDir) ? dataDir : '.', tmpdir()].map((path) => resolve(path));
  return { name: 'Disk', points: [...new Set(folders)].map(spacePoint) };
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
