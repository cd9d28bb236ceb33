/** Go of the machine, as Debian's is too old. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { type Found, findProgram } from '../support/found-tool.ts';

/** Where its own installer puts it, which not every shell knows. */
const USUAL_FOLDER = '/usr/local/go/bin';
/** Older ones do not tell in their reports why a package cannot be built. */
const MINOR_MIN = 24;

/** The first one that is new enough; steps of agents that are started from now on find it, too. */
export function findGo(): Found<string> {
  const folders = [...(process.env.PATH ?? '').split(delimiter), USUAL_FOLDER];
  const files = folders.map((folder) => join(folder, 'go')).filter((file) => existsSync(file));
  const tool = files.find(isNew);
  if (tool === undefined) return { missing: `there is no Go 1.${MINOR_MIN} or newer` };
  if (tool !== findProgram('go')) {
    process.env.PATH = [dirname(tool), process.env.PATH].join(delimiter);
  }
  return { tool };
}

function isNew(file: string): boolean {
  const { stdout } = spawnSync(file, ['version'], { encoding: 'utf8' });
  const [, minor] = /\bgo1\.(\d+)/.exec(stdout ?? '') ?? [];
  return Number(minor) >= MINOR_MIN;
}
