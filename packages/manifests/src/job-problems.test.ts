import fc from 'fast-check';
import { expect, test } from 'vitest';
import { problemsOfJobs } from './job-problems.ts';
import { JOB_DEPTH_MAX, type WorkflowJob, type WorkflowJobs } from './workflow-manifest.ts';

const steps: [{ run: string }] = [{ run: 'x' }];
const jobs = (needs: Record<string, string | string[]>) =>
  Object.fromEntries(
    Object.entries(needs).map(([name, need]) => [
      name,
      { steps, ...(need.length === 0 ? {} : { needs: need }) },
    ]),
  );
const messagesOf = (needs: Record<string, string | string[]>) =>
  problemsOfJobs(jobs(needs)).map(({ message }) => message);

test.each<[string, Record<string, string | string[]>, readonly string[]]>([
  ['none', { a: '', b: '' }, []],
  ['a chain', { a: '', b: 'a', c: ['a', 'b'] }, []],
  ['the same one twice', { a: '', b: ['a', 'a'] }, []],
  ['itself', { a: 'a' }, ['Jobs wait for each other: "a" needs "a".']],
  [
    'a cycle behind a chain',
    { z: 'b', a: '', b: ['a', 'c'], c: 'd', d: 'b' },
    ['Jobs wait for each other: "b" needs "c" needs "d" needs "b".'],
  ],
  [
    'two cycles, one missing job and what waits for them',
    { a: 'b', b: 'a', c: ['d', 'x'], d: 'c', e: ['a', 'c'] },
    [
      'Job "c" has a dependency on job "x" which does not exist.',
      'Jobs wait for each other: "a" needs "b" needs "a".',
      'Jobs wait for each other: "c" needs "d" needs "c".',
    ],
  ],
  [
    'several that are missing',
    { a: ['x', 'y'], b: 'x' },
    [
      'Job "a" has a dependency on job "x" which does not exist.',
      'Job "a" has a dependency on job "y" which does not exist.',
      'Job "b" has a dependency on job "x" which does not exist.',
    ],
  ],
  [
    'a name of every object',
    { a: 'constructor' },
    ['Job "a" has a dependency on job "constructor" which does not exist.'],
  ],
])('%s', (_, needs, expected) => {
  expect(messagesOf(needs)).toEqual(expected);
});

test('jobs that only need earlier ones have no problem, and one step back makes a cycle', () => {
  const graph = fc.integer({ min: 2, max: 30 }).chain((size) =>
    fc.array(fc.array(fc.nat({ max: size - 1 }), { maxLength: 3 }), {
      minLength: size,
      maxLength: size,
    }),
  );
  fc.assert(
    fc.property(graph, (needs) => {
      const earlier = needs.map((list, index) => list.filter((need) => need < index));
      const named = (lists: readonly (readonly number[])[]) =>
        Object.fromEntries(lists.map((list, index) => [`j${index}`, list.map((n) => `j${n}`)]));
      expect(messagesOf(named(earlier))).toEqual([]);
      const back = earlier.map((list, index) =>
        index === 0 ? [needs.length - 1] : [...list, index - 1],
      );
      expect(messagesOf(named(back))).toHaveLength(1);
    }),
  );
});

const inside = (job: WorkflowJob): WorkflowJob => ({ jobs: { a: job } });

function nested(depth: number): WorkflowJobs {
  let job: WorkflowJob = { steps };
  for (let level = 1; level < depth; level += 1) job = inside(job);
  return { a: job };
}

const many = (count: number): WorkflowJobs =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`j${index}`, { steps }]));

test.each<[string, WorkflowJobs, readonly string[]]>([
  [
    'jobs in jobs need the jobs beside them',
    { a: { steps }, b: { jobs: { c: { steps }, d: { steps, needs: 'c' } } } },
    [],
  ],
  [
    'jobs in jobs cannot need jobs around them',
    { a: { steps }, b: { jobs: { c: { steps, needs: 'a' } } } },
    ['jobs.b.jobs.c.needs: Job "c" has a dependency on job "a" which does not exist.'],
  ],
  [
    'jobs in jobs that wait for each other',
    { a: { jobs: { b: { steps, needs: 'c' }, c: { steps, needs: 'b' } } } },
    ['jobs.a.jobs.b.needs: Jobs wait for each other: "b" needs "c" needs "b".'],
  ],
  [
    'steps of one id in jobs in jobs',
    { a: inside({ steps: [...steps, { id: 's', run: 'x' }, { id: 's', run: 'y' }] }) },
    ['jobs.a.jobs.a.steps.2.id: Job "a" has several steps with the id "s".'],
  ],
  [
    'a strategy, also where it is for nothing',
    {
      a: { steps, strategy: { 'fail-fast': true } },
      b: { jobs: { c: { steps } }, strategy: {} },
      c: { generator: 'a/b', strategy: { 'max-parallel': 1 } },
      d: { uses: './x', strategy: { 'max-parallel': 1 } },
    },
    [],
  ],
  ['the deepest nesting', nested(JOB_DEPTH_MAX), []],
  [
    'one level more',
    nested(JOB_DEPTH_MAX + 1),
    [`${'jobs.a.'.repeat(JOB_DEPTH_MAX).slice(0, -1)}: Jobs are nested more than 16 deep.`],
  ],
  // Language 1.7: At most 1024 jobs in a run, generated ones included.
  ['the most jobs, the bundle included', { a: { jobs: many(1023) } }, []],
  [
    // Language 1.7: At most 1024 jobs in a run, generated ones included.
    'one job more',
    { a: { jobs: many(1023) }, b: { steps } },
    ['jobs: There are 1025 jobs, jobs in jobs included; at most 1024 are possible.'],
  ],
])('%s', (_, given, expected) => {
  const shownBy = problemsOfJobs(given).map(({ path, message }) => `${path.join('.')}: ${message}`);
  expect(shownBy).toEqual(expected);
});
