import fc from 'fast-check';
import { expect, test } from 'vitest';
import { criticalPath } from './critical-path.ts';
import { foldJobs, type GraphJob } from './fold-jobs.ts';
import { layOut } from './lay-out.ts';
import { neighbourOf } from './neighbours.ts';
import { reachOf } from './reach.ts';

const job = (key: string, ...needs: string[]): GraphJob => ({ key, needs, isUrgent: false });
const urgent = (key: string, ...needs: string[]): GraphJob => ({ key, needs, isUrgent: true });

/** Boxes with their needs, as `test < build`. */
function shown(jobs: readonly GraphJob[], folding = {}) {
  const { boxes, edges } = foldJobs(jobs, folding);
  return boxes.map((box, index) => {
    const needs = edges.flatMap(([from, to]) => (to === index ? [boxes[from]?.key] : []));
    const own = box.kind === 'job' || box.kind === 'joint' ? '' : ` (${box.jobs.length})`;
    return `${box.key}${own}${needs.length === 0 ? '' : ` < ${needs.join(', ')}`}`;
  });
}

const matrix = (bundle: string, count: number, ...needs: string[]): GraphJob[] => [
  job(bundle, ...needs),
  ...Array.from({ length: count }, (_, at) => job(`${bundle}/${at}`)),
];

test('each job is a box, with edges from the jobs that it needs', () => {
  expect(shown([job('build'), job('test', 'build'), job('ship', 'build', 'test')])).toEqual([
    'build',
    'test < build',
    'ship < build, test',
  ]);
});

test('a need of an unknown job, or of itself, has no edge', () => {
  expect(shown([job('a', 'ghost', 'a')])).toEqual(['a']);
});

test('the edges of the jobs in an open bundle meet in joints', () => {
  const jobs = [job('build'), ...matrix('test', 2, 'build'), job('ship', 'test')];
  expect(shown(jobs)).toEqual([
    'build',
    'ship < test/ out',
    'test/0 < test/ in',
    'test/1 < test/ in',
    'test/ out < test/0, test/1',
    'test/ in < build',
  ]);
});

test('bundles in bundles begin behind the needs of the outer one', () => {
  const jobs = [job('a'), job('b', 'a'), job('b/c'), job('b/c/d'), job('b/e', 'b/c')];
  expect(shown(jobs)).toContain('b/c/d < b/c/ in');
  expect(shown(jobs)).toContain('b/c/ in < b/ in');
  expect(shown(jobs)).toContain('b/e < b/c/ out');
});

test('a bundle for which there is no room is one box', () => {
  const jobs = [
    job('build'),
    ...matrix('test', 10, 'build'),
    ...matrix('lint', 3),
    job('z', 'test'),
  ];
  expect(shown(jobs, { boxesMax: 8 })).toEqual([
    'build',
    'test (10) < build',
    'z < test',
    'lint/0',
    'lint/1',
    'lint/2',
  ]);
});

test('bundles with urgent jobs are opened first, and those that the reader opened always', () => {
  const jobs = [...matrix('a', 5), ...matrix('b', 5), urgent('b/5')];
  expect(shown(jobs, { boxesMax: 8 })[0]).toBe('a (5)');
  expect(shown(jobs, { boxesMax: 8 })).toHaveLength(7);
  expect(shown(jobs, { boxesMax: 8, opened: new Set(['a']) })).toHaveLength(6);
});

test('many jobs of one kind are one box, without the urgent ones, until it is opened', () => {
  const many = Array.from({ length: 30 }, (_, at) => job(`t${at}`, 'build'));
  const jobs = [job('build'), ...many, urgent('bad', 'build'), job('end', 't1')];
  expect(shown(jobs)).toEqual([
    'build',
    't0 … (29) < build',
    't1 < build',
    'bad < build',
    'end < t1',
  ]);
  expect(shown(jobs, { opened: new Set(['t0 …']) })).toHaveLength(33);
});

test('layers are the longest ways, and rows follow the neighbours', () => {
  const graph = foldJobs([job('a'), job('b'), job('c', 'b'), job('d', 'a'), job('e', 'a', 'c')]);
  const { boxes, width, height } = layOut(graph);
  expect(boxes.map(({ key, layer, row, x, y }) => [key, layer, row, x, y])).toEqual([
    ['a', 0, 0, 0, 0],
    ['b', 0, 1, 0, 58],
    ['c', 1, 1, 240, 58],
    ['d', 1, 0, 240, 0],
    ['e', 2, 1, 480, 58],
  ]);
  expect([width, height]).toEqual([664, 102]);
});

test('a graph without boxes has no size', () => {
  expect(layOut(foldJobs([]))).toEqual({ boxes: [], edges: [], width: 0, height: 0 });
});

const randomJobs = fc
  .array(fc.tuple(fc.nat(3), fc.array(fc.nat(40), { maxLength: 3 })), { maxLength: 40 })
  .map((rows) =>
    rows.map(([bundle, needs], at) => {
      const around = bundle === 0 ? '' : `0/`;
      return job(`${at === 0 ? '' : around}${at}`, ...needs.map((need) => `${around}${need}`));
    }),
  );

test('any graph, also with circles, has whole coordinates, and no box lies on another', () => {
  fc.assert(
    fc.property(randomJobs, fc.integer({ min: 1, max: 50 }), (jobs, boxesMax) => {
      const graph = foldJobs(jobs, { boxesMax });
      const layout = layOut(graph);
      const places = layout.boxes.map(({ x, y }) => `${x} ${y}`);
      expect(layout.boxes.every(({ x, y }) => Number.isInteger(x) && Number.isInteger(y))).toBe(
        true,
      );
      expect(layout.boxes.every(({ x, y }) => x >= 0 && y >= 0)).toBe(true);
      expect(new Set(places).size).toBe(places.length);
      expect(layOut(foldJobs(jobs, { boxesMax }))).toEqual(layout);
      const leaves = graph.boxes.flatMap((box) => box.jobs);
      expect(new Set(leaves).size).toBe(leaves.length);
    }),
    { numRuns: 200 },
  );
});

test('ten thousand jobs with many needs are laid out', () => {
  const jobs = Array.from({ length: 10_000 }, (_, at) =>
    job(`j${at}`, ...[1, 7, 31].flatMap((back) => (at % 100 >= back ? [`j${at - back}`] : []))),
  );
  const { boxes, edges } = layOut(foldJobs(jobs, { boxesMax: 20_000 }));
  expect(boxes.length).toBe(10_000);
  expect(edges.every(([from, to]) => (boxes[from]?.layer ?? 0) < (boxes[to]?.layer ?? 0))).toBe(
    true,
  );
});

test('the reach of a box is all that it waits for, and all that waits for it', () => {
  const graph = foldJobs([job('a'), job('b', 'a'), job('c', 'b'), job('d', 'a'), job('e', 'c')]);
  const keys = (set: ReadonlySet<number>) => [...set].map((at) => graph.boxes[at]?.key).sort();
  const { before, after } = reachOf(graph, 1);
  expect([keys(before), keys(after)]).toEqual([['a'], ['c', 'e']]);
});

test.each([
  ['build', 'right', 't1'],
  ['t0', 'down', 't1'],
  ['t1', 'down', null],
  ['t1', 'up', 't0'],
  ['ship', 'left', 't0'],
  ['t0', 'right', 'ship'],
  ['ship', 'right', null],
  ['gone', 'right', 'build'],
] as const)('from %s, %s leads to %s', (from, direction, to) => {
  const inside = [job('b/t0'), job('b/t1')];
  const graph = foldJobs([job('build'), job('b', 'build'), ...inside, job('ship', 'b')]);
  const short = neighbourOf(layOut(graph), from.startsWith('t') ? `b/${from}` : from, direction);
  expect(short?.replace('b/', '') ?? null).toBe(to);
});

test('the critical path follows the needs that ended last, through bundles', () => {
  const timed = (key: string, endedAt: number | null, ...needs: string[]) => ({
    key,
    endedAt,
    needs,
  });
  const jobs = [
    timed('build', 10),
    timed('lint', 4),
    timed('test', 40, 'build', 'lint'),
    timed('test/a', 20),
    timed('test/b', 40),
    timed('ship', 50, 'test'),
    timed('later', null, 'ship'),
  ];
  expect(criticalPath(jobs)).toEqual(['build', 'test/b', 'ship']);
  expect(criticalPath([])).toEqual([]);
});
