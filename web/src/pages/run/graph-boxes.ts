/** Boxes and lines of a graph, for both ways to draw them. */
import { type Box, type Layout, type PlacedBox, type Reach, SIZES } from '@tutti/run-graph';
import { shortName } from './job-list.tsx';
import type { JobPart } from './run-context.ts';

export type Jobs = ReadonlyMap<string, JobPart>;

/** Around the boxes, in pixels of the graph. */
export const MARGIN = 16;

/** A graph as it is drawn. */
export interface Drawn {
  readonly layout: Layout;
  readonly jobs: Jobs;
  /** Index of the chosen box; -1 without one. */
  readonly chosen: number;
  /** Null without a chosen box. */
  readonly reach: Reach | null;
  /** Keys of the jobs that decided the duration. */
  readonly path: ReadonlySet<string>;
  /** Edges between those. */
  readonly critical: readonly Edge[];
  /** Edges to all that the chosen box waits for, and from it to all that waits for it. */
  readonly strong: readonly Edge[];
}

export interface DrawnProps {
  readonly drawn: Drawn;
  readonly scale: number;
  readonly onChoose: (box: PlacedBox) => void;
}

export type Edge = readonly [from: number, to: number];

/** The line from box to box: its ends, and how far it goes straight on at both. Null for boxes that are not there. */
export function lineOf({ boxes }: Layout, [from, to]: Edge) {
  const start = boxes[from];
  const end = boxes[to];
  if (start === undefined || end === undefined) return null;
  const x1 = start.x + start.width;
  const [y1, y2] = [start.y + SIZES.height / 2, end.y + SIZES.height / 2];
  return { x1, y1, x2: end.x, y2, bend: Math.max(16, (end.x - x1) / 2) };
}

/** Adds what stands out. To look for it in each frame would take too long. */
export function drawnOf(graph: Omit<Drawn, 'critical' | 'strong'>): Drawn {
  const { boxes, edges } = graph.layout;
  const { chosen, reach, path } = graph;
  const isOn = (index: number) => path.has(boxes[index]?.key ?? '');
  const isStrong = ([from, to]: Edge): boolean => {
    if (reach === null) return false;
    const isBefore = (to === chosen || reach.before.has(to)) && reach.before.has(from);
    const isAfter = (from === chosen || reach.after.has(from)) && reach.after.has(to);
    return isBefore !== isAfter;
  };
  return {
    ...graph,
    critical: edges.filter(([from, to]) => isOn(from) && isOn(to)),
    strong: edges.filter(isStrong),
  };
}

/** The chosen box has nothing to do with it. */
export const isFar = ({ chosen, reach }: Drawn, index: number): boolean =>
  reach !== null && index !== chosen && !reach.before.has(index) && !reach.after.has(index);

export const STATES = ['failed', 'running', 'canceled', 'waiting', 'succeeded', 'skipped'] as const;
export type BoxState = (typeof STATES)[number];

const STATE_OF: Readonly<Record<string, BoxState>> = Object.fromEntries(
  STATES.map((state) => [state.toUpperCase(), state]),
);
const stateOfJob = (job: JobPart | undefined): BoxState => STATE_OF[job?.status ?? ''] ?? 'waiting';

/** The state that matters most, of several jobs. */
export function stateOf(box: Box, jobs: Jobs): BoxState {
  if (box.kind === 'job' || box.kind === 'bundle') return stateOfJob(jobs.get(box.key));
  const states = new Set(box.jobs.map((key) => stateOfJob(jobs.get(key))));
  return STATES.find((state) => states.has(state)) ?? 'skipped';
}

export const SIGNS: Readonly<Record<BoxState, string>> = {
  succeeded: '✓',
  failed: '✗',
  running: '▶',
  waiting: '⋯',
  skipped: '○',
  canceled: '⊘',
};
const ORDER = ['succeeded', 'failed', 'running', 'waiting', 'skipped', 'canceled'] as const;

const NAME_MAX = 19;
const cut = (text: string): string =>
  text.length > NAME_MAX ? `${text.slice(0, NAME_MAX - 1)}…` : text;

/** Cells of a matrix repeat its name, for which a box has no room. */
function nameOf(job: JobPart): string {
  const name = shortName(job);
  const around = `${job.parent?.split('/').at(-1)} (`;
  return name.startsWith(around) ? name.slice(around.length - 1) : name;
}

export interface BoxTexts {
  readonly whole: string;
  readonly name: string;
  /** Its state, or how many of its jobs are in which state. */
  readonly state: string;
}

export function textsOf(box: PlacedBox, jobs: Jobs): BoxTexts {
  const job = jobs.get(box.kind === 'similar' ? (box.jobs[0] ?? '') : box.key);
  const name = job === undefined ? box.key : nameOf(job);
  const more = `${name} and ${box.jobs.length - 1} more`;
  return {
    whole: box.kind === 'similar' ? more : (job?.name ?? box.key),
    name: cut(box.kind === 'similar' ? more : name),
    state: box.kind === 'job' ? stateText(stateOfJob(job)) : countsText(box, jobs),
  };
}

const stateText = (state: BoxState): string => `${SIGNS[state]} ${state}`;

function countsText({ jobs: keys }: Box, jobs: Jobs): string {
  const counts = new Map<BoxState, number>();
  for (const key of keys) {
    const state = stateOfJob(jobs.get(key));
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return ORDER.flatMap((state) => {
    const count = counts.get(state);
    return count === undefined ? [] : [`${SIGNS[state]} ${count}`];
  }).join('  ');
}
