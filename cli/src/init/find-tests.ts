/** Finds the tests of a folder. If there are none, it looks into its subfolders. */
import type { Detector, Finding, Folder } from './finding.ts';
import { findJavaScript } from './javascript.ts';
import { findDotnet, findGo, findJava, findPhp, findRust } from './other-languages.ts';
import { findPytest, findRobot } from './python.ts';

const DETECTORS: readonly Detector[] = [
  findJavaScript,
  findJava,
  findPytest,
  findRobot,
  findGo,
  findRust,
  findDotnet,
  findPhp,
];

export interface PlacedFinding extends Finding {
  /** The folder that the tests run in, with `/` between its parts; empty for the one that was searched. */
  readonly folder: string;
}

/** Folders with foreign or generated files. */
const FOREIGN = new Set(['node_modules/', 'vendor/', 'target/', 'dist/', 'build/']);
/** A folder with more projects needs a workflow written by hand. */
const FOLDERS_MAX = 20;

/** `open` gives a folder in the given one. Names of jobs differ from each other. */
export function findTests(
  folder: Folder,
  open: (name: string) => Folder,
  isWindows: boolean,
): readonly PlacedFinding[] {
  const own = findIn(folder, '', isWindows);
  if (own.length > 0) return withOwnNames(own);
  const below = folder.entries
    .filter((name) => name.endsWith('/') && !name.startsWith('.') && !FOREIGN.has(name))
    .map((name) => name.slice(0, -1))
    .slice(0, FOLDERS_MAX);
  return withOwnNames(below.flatMap((name) => findIn(open(name), name, isWindows)));
}

const findIn = (folder: Folder, path: string, isWindows: boolean): readonly PlacedFinding[] =>
  DETECTORS.flatMap((detect) => detect(folder, isWindows)).map((finding) => ({
    ...finding,
    folder: path,
  }));

/** In subfolders, the name of a job begins with its folder; repeated names get a number. */
function withOwnNames(findings: readonly PlacedFinding[]): readonly PlacedFinding[] {
  const taken = new Set<string>();
  return findings.map((finding) => {
    const prefix = finding.folder === '' ? '' : `${finding.folder.replace(/[^\w-]/g, '-')}-`;
    const job = freeName(`${prefix}${finding.job}`.replace(/^(?![a-z_])/i, '_'), taken);
    taken.add(job);
    return { ...finding, job };
  });
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name}-${count}`;
  return free;
}
