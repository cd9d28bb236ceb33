/** Finds the tests of a project: of its folder, and of the projects in folders below. */
import type { Detector, Finding, Folder } from './finding.ts';
import { findJavaScript } from './javascript.ts';
import { findNewman } from './newman.ts';
import { findDotnet, findGo, findJava, findPhp, findRust } from './other-languages.ts';
import { findPytest, findRobot } from './python.ts';
import { unknownTests } from './unknown-tests.ts';
import { unreadableFiles } from './unreadable.ts';

const DETECTORS: readonly Detector[] = [
  findJavaScript,
  findNewman,
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

export interface FoundTests {
  readonly findings: readonly PlacedFinding[];
  /** Sentences about what was not done. */
  readonly undone: readonly string[];
}

/** Folders with foreign, generated or sample files. */
const FOREIGN = new Set([
  ...['node_modules/', 'vendor/', 'target/', 'dist/', 'build/', 'out/', 'bin/', 'obj/'],
  ...['coverage/', 'site-packages/', 'testdata/', 'fixtures/', '__fixtures__/', '__pycache__/'],
]);
/** Levels of folders below the project. */
const DEPTH_MAX = 4;
/** So that a folder with all projects of a person takes no minutes. */
const FOLDERS_MAX = 2000;
/** A workflow with more jobs needs a person who arranges them. */
const JOBS_MAX = 50;

interface Place {
  readonly path: string;
  readonly depth: number;
  /** Jobs of the folders around whose tools run the tests here, too. */
  readonly covered: ReadonlySet<string>;
}

/** `open` gives a folder by its path from the given one. Names of jobs differ from each other. */
export function findTests(
  folder: Folder,
  open: (path: string) => Folder,
  isWindows: boolean,
): FoundTests {
  const places: Place[] = [{ path: '', depth: 0, covered: new Set() }];
  const findings: PlacedFinding[] = [];
  const unknown: string[] = [];
  for (let index = 0; index < Math.min(places.length, FOLDERS_MAX); index += 1) {
    const place = places[index];
    if (place === undefined) break;
    const here = place.path === '' ? folder : open(place.path);
    const found = DETECTORS.flatMap((detect) =>
      detect(here, { root: folder, path: place.path, isWindows }),
    );
    unknown.push(...unreadableFiles(here, place.path), ...unknownTests(here, place.path));
    const own = found.filter(({ job }) => !place.covered.has(job));
    findings.push(...own.map((finding) => ({ ...finding, folder: place.path })));
    places.push(...placesBelow(here, place, own));
  }
  const single = withoutDoubles(findings);
  const kept = single.filter((each) => !hasExpression(each));
  const dropped = single.filter(hasExpression);
  return {
    findings: withOwnNames(kept.slice(0, JOBS_MAX)),
    undone: [
      ...kept.flatMap(({ undone = [], folder: at }) =>
        undone.map((each) => (at === '' ? each : `${at}: ${each}`)),
      ),
      ...unknown,
      ...dropped.map(({ title }) => `No job for ${title}: a name looks like an expression.`),
      ...kept
        .slice(JOBS_MAX)
        .map(
          ({ title, folder: at }) => `No job for ${title} in ${at}: ${JOBS_MAX} jobs are the most.`,
        ),
      ...(places.length > FOLDERS_MAX
        ? [`Looked into ${FOLDERS_MAX} of at least ${places.length} folders.`]
        : []),
    ],
  };
}

function placesBelow(
  { entries, list }: Folder,
  { path, depth, covered }: Place,
  own: readonly Finding[],
): readonly Place[] {
  if (depth === DEPTH_MAX) return [];
  const below = new Set([
    ...covered,
    ...own.flatMap(({ job, isForBelow }) => (isForBelow ? [job] : [])),
  ]);
  return entries
    .filter((name) => name.endsWith('/') && !name.startsWith('.') && !FOREIGN.has(name))
    .filter((name) => !list(name).includes('pyvenv.cfg'))
    .map((name) => ({
      path: `${path === '' ? '' : `${path}/`}${name.slice(0, -1)}`,
      depth: depth + 1,
      covered: below,
    }));
}

/** The names of files are data: no expression may read them. */
const hasExpression = ({ step }: PlacedFinding): boolean => JSON.stringify(step).includes('${{');

/** A command that runs the tests of all packages gives way to the jobs of these packages. */
const withoutDoubles = (findings: readonly PlacedFinding[]): readonly PlacedFinding[] =>
  findings.filter(
    ({ givesWayTo, folder }) =>
      givesWayTo === undefined ||
      !findings.some((other) => isBelow(other.folder, folder) && givesWayTo.includes(other.job)),
  );

const isBelow = (path: string, folder: string): boolean =>
  path !== folder && (folder === '' || path.startsWith(`${folder}/`));

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
