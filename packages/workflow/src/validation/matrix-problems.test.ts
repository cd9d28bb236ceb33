// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import type { WorkflowJob, WorkflowJobs } from '@tutti/manifests';
import { formatProblem } from '@tutti/manifests/documents';
import { describe, expect, test } from 'vitest';
import { matrixProblems } from './matrix-problems.ts';

type Matrix = NonNullable<NonNullable<WorkflowJob['strategy']>['matrix']>;

const steps = [{ run: 'x' }];
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const over = (matrix: Matrix, more: Partial<WorkflowJob> = {}): WorkflowJob => ({
  strategy: { matrix },
  steps,
  ...more,
});
const problemsIn = (jobs: WorkflowJobs) => matrixProblems(jobs).map(formatProblem);
const tooMany = (count: number) =>
  `jobs.a.strategy.matrix: The matrix has ${count} jobs; at most 256 are possible.`;

describe('a matrix that cannot work', () => {
  test.each<[what: string, matrix: Matrix, problems: readonly string[]]>([
    ['an axis of 257', { n: numbers(257) }, [tooMany(257)]],
    ['17 times 16', { n: numbers(17), m: numbers(16) }, [tooMany(272)]],
    [
      '16 times 16 and one more',
      { n: numbers(16), m: numbers(16), include: [{ n: 99 }] },
      [tooMany(257)],
    ],
    [
      'more combinations than are made',
      { n: numbers(1000), m: numbers(1000), exclude: [{ n: 1 }] },
      ['jobs.a.strategy.matrix: The matrix has 1000000 combinations; at most 4096 are possible.'],
    ],
    [
      'exclusions that leave nothing',
      { n: [1], exclude: [{ n: 1 }] },
      ['jobs.a.strategy.matrix: The matrix has no jobs.'],
    ],
    [
      'exclusions by what is no axis, though an expression gives the values',
      { n: '${{ inputs.x }}', exclude: [{ n: 1 }, { m: 1, include: 2 }], include: [{ m: 1 }] },
      [
        'jobs.a.strategy.matrix.exclude[1]: The matrix excludes by "m", which is no axis.',
        'jobs.a.strategy.matrix.exclude[1]: The matrix excludes by "include", which is no axis.',
      ],
    ],
    ...['exlude', 'Exclude', 'excludes'].map((name): [string, Matrix, readonly string[]] => [
      `exclusions under the name ${name}`,
      { n: [1, 2], [name]: [{ n: 1 }] },
      [
        `jobs.a.strategy.matrix: "${name}" would be an axis, whose values are maps, did you mean "exclude"?`,
      ],
    ]),
    [
      'inclusions under another name',
      { n: [1, 2], includes: [{ n: 1, m: 2 }] },
      [
        'jobs.a.strategy.matrix: "includes" would be an axis, whose values are maps, did you mean "include"?',
      ],
    ],
    [
      'too many values, though some are expressions',
      { n: [...numbers(17)], m: ['${{ inputs.x }}', ...numbers(15)] },
      [tooMany(272)],
    ],
    [
      'too many entries without an axis',
      { include: numbers(257).map((n) => ({ n, x: '${{ inputs.x }}' })) },
      [tooMany(257)],
    ],
  ])('%s', (_, matrix, problems) => {
    expect(problemsIn({ a: over(matrix) })).toEqual(problems);
    expect(problemsIn({ b: { jobs: { a: over(matrix) } } })).toEqual(
      problems.map((problem) => problem.replace('jobs.a', 'jobs.b.jobs.a')),
    );
  });
});

test.each<[what: string, matrix: Matrix]>([
  ['256 jobs', { n: numbers(256) }],
  ['an axis of maps', { site: [{ url: 'x' }] }],
  ['an axis of texts that is called almost like an entry', { includes: ['a', 'b'] }],
  ['combinations of which enough are excluded', { n: numbers(257), exclude: [{ n: 3 }] }],
  ['an expression', '${{ inputs.x }}'],
  ['an axis that is an expression', { n: '${{ inputs.x }}', m: numbers(300) }],
  ['exclusions by values of expressions', { n: numbers(257), exclude: [{ n: '${{ inputs.x }}' }] }],
])('%s may work', (_, matrix) => {
  expect(problemsIn({ a: over(matrix) })).toEqual([]);
});

describe('the jobs of all matrices', () => {
  const many = over({ n: numbers(256) });
  const message = (count: number) =>
    `jobs: There are ${count} jobs, those of matrices and jobs in jobs included; at most 1024 are possible.`;

  test('are counted together, with the matrices', () => {
    expect(problemsIn({ a: many, b: many, c: many, d: many })).toEqual([message(1028)]);
    expect(problemsIn({ a: many, b: many, c: many })).toEqual([]);
  });

  test('are counted once for each job of the matrix around', () => {
    const inner = over({ n: numbers(40) });
    const a = { strategy: { matrix: { m: numbers(25) } }, jobs: { inner } };
    expect(problemsIn({ a })).toEqual([message(1 + 25 * (1 + 1 + 40))]);
  });

  test('are not counted where a condition says whether they are there', () => {
    const either = { ...many, if: "inputs.kind == 'x'" };
    expect(problemsIn({ a: either, b: either, c: either, d: either })).toEqual([]);
    const bundle = { if: 'inputs.kind', jobs: { a: many } };
    expect(problemsIn({ a: bundle, b: many, c: many, d: many })).toEqual([]);
  });
});

test('a matrix that takes long to check is left to the run', () => {
  const large = { deep: numbers(1000) };
  const slow = over({ m: Array.from({ length: 1000 }, () => large), exclude: [{ m: large }] });
  const jobs = Object.fromEntries(numbers(200).map((index) => [`j${index}`, slow]));
  const wrong = over({ n: numbers(257) });
  const problems = problemsIn({ a: wrong, ...jobs, z: wrong });
  expect(problems[0]).toBe(tooMany(257));
  expect(problems.length).toBeLessThan(10);
});
