/** Chooses the boxes of a graph. Each job has one as long as there is room. Else a bundle has one, and so have many jobs of one kind. */

export interface GraphJob {
  /** The names of the bundles around the job and its own, joined by slashes. */
  readonly key: string;
  /** Keys of the jobs that have to end before. */
  readonly needs: readonly string[];
  /** Shown first when not all jobs can be. */
  readonly isUrgent: boolean;
}

export interface Box {
  readonly key: string;
  /** `similar`: jobs that need the same and are needed by the same. `joint`: where the edges of all jobs of an open bundle meet. */
  readonly kind: 'job' | 'bundle' | 'similar' | 'joint';
  /** Keys of the jobs that it stands for; of a bundle, those that are in it and no bundles. */
  readonly jobs: readonly string[];
}

export interface Graph {
  readonly boxes: readonly Box[];
  /** Indexes of boxes: the first one has to end before the second one. */
  readonly edges: readonly (readonly [from: number, to: number])[];
}

export interface Folding {
  readonly boxesMax: number;
  /** Keys of boxes that the reader opened; they are opened before others. */
  readonly opened: ReadonlySet<string>;
}

/** More jobs of one kind, one below the other, would not fit on a screen. */
const SIMILAR_MAX = 24;

interface Tree {
  readonly jobs: ReadonlyMap<string, GraphJob>;
  /** Keys right inside a bundle; under the empty key those of the run. */
  readonly inside: ReadonlyMap<string, readonly string[]>;
  readonly around: ReadonlyMap<string, string>;
}

/** `jobs` in the order of the run, those of a bundle behind it. */
export function foldJobs(
  jobs: readonly GraphJob[],
  { boxesMax = 400, opened = new Set() }: Partial<Folding> = {},
): Graph {
  const tree = treeOf(jobs);
  const boxes = new Map([['', boxesIn(tree, '', opened)]]);
  let count = boxes.get('')?.length ?? 0;
  const folded = (boxes.get('') ?? []).filter(({ kind }) => kind === 'bundle');
  const rankOf = rankIn(tree, opened);
  // Opening the most wanted bundle first; those in it come up for choice then.
  for (;;) {
    const next = firstBy(folded, rankOf);
    if (next === null) break;
    folded.splice(folded.indexOf(next), 1);
    const inside = boxesIn(tree, next.key, opened);
    const isWanted = opened.has(next.key);
    if (!isWanted && count - 1 + inside.length > boxesMax) continue;
    count += inside.length - 1;
    boxes.set(next.key, inside);
    folded.push(...inside.filter(({ kind }) => kind === 'bundle'));
  }
  return connect(tree, boxes);
}

function treeOf(list: readonly GraphJob[]): Tree {
  const jobs = new Map(list.map((job) => [job.key, job]));
  const inside = new Map<string, string[]>([['', []]]);
  const around = new Map<string, string>();
  for (const key of jobs.keys()) {
    const end = key.lastIndexOf('/');
    const outer = end > 0 && jobs.has(key.slice(0, end)) ? key.slice(0, end) : '';
    around.set(key, outer);
    const siblings = inside.get(outer);
    if (siblings === undefined) inside.set(outer, [key]);
    else siblings.push(key);
  }
  return { jobs, inside, around };
}

/** All jobs in it that are no bundles; of a job, itself. */
function leavesOf({ inside }: Tree, key: string): readonly string[] {
  const leaves: string[] = [];
  const open = [key];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const within = inside.get(next);
    if (within === undefined) leaves.push(next);
    else open.push(...within.toReversed());
  }
  return leaves;
}

const isUrgent = ({ jobs }: Tree, keys: readonly string[]): boolean =>
  keys.some((key) => jobs.get(key)?.isUrgent === true);

/** Smaller is opened earlier. */
function rankIn(tree: Tree, opened: ReadonlySet<string>): (box: Box) => number {
  // To ask each job of each bundle at each choice would take seconds.
  const ranks = new Map<Box, number>();
  return (box) => {
    const known = ranks.get(box);
    if (known !== undefined) return known;
    const urgency = isUrgent(tree, box.jobs) ? 0 : tree.jobs.size;
    const rank = opened.has(box.key) ? -1 : box.jobs.length + urgency;
    ranks.set(box, rank);
    return rank;
  };
}

function firstBy<Item>(items: readonly Item[], rankOf: (item: Item) => number): Item | null {
  let first: { readonly item: Item; readonly rank: number } | null = null;
  for (const item of items) {
    const rank = rankOf(item);
    if (first === null || rank < first.rank) first = { item, rank };
  }
  return first?.item ?? null;
}

/** The boxes right inside a bundle. */
function boxesIn(tree: Tree, bundle: string, opened: ReadonlySet<string>): readonly Box[] {
  const keys = tree.inside.get(bundle) ?? [];
  const kinds = kindsOf(tree, keys);
  const boxes: Box[] = [];
  for (const key of keys) {
    const similar = kinds.get(key);
    if (similar === undefined || opened.has(similarKey(similar))) {
      const kind = tree.inside.has(key) ? 'bundle' : 'job';
      boxes.push({ key, kind, jobs: leavesOf(tree, key) });
    } else if (similar[0] === key) {
      boxes.push({ key: similarKey(similar), kind: 'similar', jobs: similar });
    }
  }
  return boxes;
}

/** No job has such a key: names have no spaces. */
const similarKey = ([first]: readonly string[]): string => `${first} …`;

/** Jobs of the same kind, by each of them, if they are too many to be shown alone. */
function kindsOf(tree: Tree, keys: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const neededBy = new Map<string, string[]>();
  for (const key of keys) {
    for (const need of new Set(tree.jobs.get(key)?.needs)) {
      const list = neededBy.get(need);
      if (list === undefined) neededBy.set(need, [key]);
      else list.push(key);
    }
  }
  const kinds = new Map<string, string[]>();
  for (const key of keys) {
    const job = tree.jobs.get(key);
    if (job === undefined || job.isUrgent || tree.inside.has(key)) continue;
    const kind = JSON.stringify([job.needs.toSorted(), neededBy.get(key) ?? []]);
    const list = kinds.get(kind);
    if (list === undefined) kinds.set(kind, [key]);
    else list.push(key);
  }
  const many = [...kinds.values()].filter((list) => list.length > SIMILAR_MAX);
  return new Map(many.flatMap((list) => list.map((key) => [key, list] as const)));
}

/** Adds joints and edges. `boxes` are those of the open bundles, by bundle. */
function connect(tree: Tree, open: ReadonlyMap<string, readonly Box[]>): Graph {
  const boxes: Box[] = [];
  const indexOf = new Map<string, number>();
  const addBox = (box: Box): number => {
    const index = boxes.push(box) - 1;
    indexOf.set(box.key, index);
    return index;
  };
  const shownIn = new Map<string, Box>();
  for (const box of [...open.values()].flat()) {
    if (open.has(box.key)) continue;
    addBox(box);
    for (const key of box.kind === 'similar' ? box.jobs : [box.key]) shownIn.set(key, box);
  }
  const edges = new Map<string, readonly [number, number]>();
  const addEdge = (from: number, to: number): void => {
    if (from !== to) edges.set(`${from} ${to}`, [from, to]);
  };
  const jointOf = (key: string, connectJoint: (joint: number) => void): number => {
    const known = indexOf.get(key);
    if (known !== undefined) return known;
    const joint = addBox({ key, kind: 'joint', jobs: [] });
    connectJoint(joint);
    return joint;
  };
  /** The box behind which a job is over. Null for a job that is unknown. */
  const exitOf = (key: string): number | null => {
    const box = shownIn.get(key);
    if (box !== undefined) return indexOf.get(box.key) ?? null;
    if (!open.has(key)) return null;
    return jointOf(`${key}/ out`, (joint) => {
      for (const last of lastIn(tree, key)) {
        const exit = exitOf(last);
        if (exit !== null) addEdge(exit, joint);
      }
    });
  };
  /** The boxes that a job right in an open bundle waits for. */
  const sourcesOf = (key: string): readonly number[] => {
    const needs = tree.jobs.get(key)?.needs ?? [];
    const exits = needs.map(exitOf).filter((exit) => exit !== null);
    if (exits.length > 0) return exits;
    const around = tree.around.get(key) ?? '';
    return around === '' ? [] : entryOf(around);
  };
  const entryOf = (bundle: string): readonly number[] => {
    const sources = sourcesOf(bundle);
    if (sources.length === 0) return [];
    const connectJoint = (joint: number) => {
      for (const source of sources) addEdge(source, joint);
    };
    return [jointOf(`${bundle}/ in`, connectJoint)];
  };
  for (const [key, box] of shownIn) {
    const target = indexOf.get(box.key) ?? 0;
    for (const source of sourcesOf(key)) addEdge(source, target);
  }
  return { boxes, edges: [...edges.values()] };
}

/** The jobs right inside a bundle that no other one there needs. */
function lastIn({ jobs, inside }: Tree, bundle: string): readonly string[] {
  const keys = inside.get(bundle) ?? [];
  const needed = new Set(keys.flatMap((key) => jobs.get(key)?.needs ?? []));
  return keys.filter((key) => !needed.has(key));
}
