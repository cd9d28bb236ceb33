// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import type { WorkflowJobs, WorkflowManifest } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { errorsOfPlan, type PlannedJob, planWorkflow } from './workflow-plan.ts';

const steps = [{ run: 'echo\nmore' }];
const workflow = (jobs: WorkflowJobs, more: Partial<WorkflowManifest> = {}): WorkflowManifest => ({
  metadata: { name: 'demo' },
  jobs,
  ...more,
});

const allOf = (jobs: readonly PlannedJob[]): readonly PlannedJob[] =>
  jobs.flatMap((job) => [job, ...allOf(job.jobs)]);
const jobsOf = (manifest: WorkflowManifest, start = {}) =>
  new Map(allOf(planWorkflow(manifest, start).jobs).map((job) => [job.key, job]));
const tagsOf = (job: PlannedJob | undefined) =>
  job?.runsOn.map(({ text, isKnown }) => (isKnown ? text : `${text}?`));

test('a plan has the jobs in their order, with what each needs and does', () => {
  const manifest = workflow({
    a: { 'runs-on': 'linux', steps: [{ uses: 'x/y@v1', if: 'failure()' }, ...steps] },
    b: { needs: ['a'], steps },
  });
  expect(planWorkflow(manifest)).toEqual({
    name: 'demo',
    namespace: 'default',
    openInputs: [],
    jobs: [
      {
        key: 'a',
        name: 'a',
        kind: 'steps',
        runsOn: [{ text: 'linux', isKnown: true }],
        needs: [],
        condition: null,
        runs: true,
        steps: [
          { name: 'x/y@v1', uses: 'x/y@v1', condition: 'failure()' },
          { name: 'echo', uses: null, condition: null },
        ],
        jobs: [],
        open: null,
        error: null,
      },
      {
        key: 'b',
        name: 'b',
        kind: 'steps',
        runsOn: [],
        needs: ['a'],
        condition: null,
        runs: true,
        steps: [{ name: 'echo', uses: null, condition: null }],
        jobs: [],
        open: null,
        error: null,
      },
    ],
    error: null,
  });
});

describe('tags', () => {
  const variables = {
    SITE: 'lyon',
    LATE: '${{ needs.a.outputs.x }}',
    TWICE: '${{ variables.SITE }}',
  };
  const tagsFor = (tag: string, start = {}) => {
    const b = { needs: 'a', 'runs-on': ['fix', tag], steps };
    return tagsOf(jobsOf(workflow({ a: { steps }, b }, { variables }), start).get('b'));
  };

  test.each([
    ['${{ variables.SITE }}', ['fix', 'lyon']],
    ['${{ variables.TWICE }}', ['fix', 'lyon']],
    ['${{ opentf.namespace }}', ['fix', 'default']],
    ['${{ variables.LATE }}', ['fix', '${{ variables.LATE }}?']],
    ['${{ needs.a.result }}', ['fix', '${{ needs.a.result }}?']],
    ['${{ opentf.job }}', ['fix', '${{ opentf.job }}?']],
    ['${{ fromJSON(variables.SITE) }}', ['fix', '${{ fromJSON(variables.SITE) }}?']],
  ])('of the expression %s are %j', (tag, tags) => {
    expect(tagsFor(tag)).toEqual(tags);
  });

  test('depend on what the run is started with', () => {
    const start = { variables: { SITE: 'paris' }, namespace: 'team' };
    expect(tagsFor('${{ variables.TWICE }}', start)).toEqual(['fix', 'paris']);
    expect(tagsFor('${{ opentf.namespace }}', start)).toEqual(['fix', 'team']);
  });

  test('of a bundle hold for its jobs', () => {
    const a = { 'runs-on': 'linux', jobs: { b: { 'runs-on': '${{ needs.x.result }}', steps } } };
    expect(tagsOf(jobsOf(workflow({ a })).get('a/b'))).toEqual(['${{ needs.x.result }}?', 'linux']);
  });

  test('of the workflow hold for jobs that have none', () => {
    const defaults = { 'runs-on': ['ssh', 'linux'] };
    const jobs = jobsOf(
      workflow(
        { a: { steps }, b: { 'runs-on': 'x', steps }, c: { jobs: { d: { steps } } } },
        { defaults },
      ),
    );
    expect(['a', 'b', 'c', 'c/d'].map((key) => tagsOf(jobs.get(key)))).toEqual([
      ['ssh', 'linux'],
      ['x'],
      [],
      ['ssh', 'linux'],
    ]);
  });

  test('never show a secret', () => {
    const a = { 'runs-on': '${{ secrets.S }}', steps };
    const plan = planWorkflow(workflow({ a }, { secrets: { S: 'hidden' } }));
    expect(JSON.stringify(plan)).not.toContain('hidden');
  });
});

describe('bundles', () => {
  test('a matrix has the jobs that the run will have', () => {
    const a = {
      'runs-on': '${{ matrix.os }}',
      strategy: { matrix: { os: ['x', 'y'], n: ['${{ variables.N }}'] } },
      steps,
    };
    const jobs = jobsOf(workflow({ a }, { variables: { N: '7' } }));
    expect([...jobs].map(([key, { name }]) => [key, name])).toEqual([
      ['a', 'a'],
      ['a/a-x-7', 'a (x, 7)'],
      ['a/a-y-7', 'a (y, 7)'],
    ]);
    expect(tagsOf(jobs.get('a/a-y-7'))).toEqual(['y']);
  });

  test('the tags of a matrix are known as far as they do not speak of its values', () => {
    const job = {
      'runs-on': ['${{ inputs.os }}', '${{ matrix.n }}', 'x', '${{ needs.a.outputs.t }}'],
      strategy: { matrix: { n: ['y'] } },
      needs: 'a',
      steps,
    };
    const inputs = { os: { description: 'd', default: 'linux' } };
    const jobs = jobsOf(workflow({ a: { steps }, job }, { inputs }));
    expect(tagsOf(jobs.get('job'))).toEqual([
      'linux',
      '${{ matrix.n }}?',
      'x',
      '${{ needs.a.outputs.t }}?',
    ]);
    expect(tagsOf(jobs.get('job/job-y'))).toEqual(['linux', 'y', 'x', '${{ needs.a.outputs.t }}?']);
  });

  test('a matrix that depends on results is left open', () => {
    const b = {
      needs: 'a',
      'runs-on': '${{ matrix.os }}',
      strategy: { matrix: '${{ fromJSON(needs.a.outputs.m) }}' },
      steps,
    };
    const job = jobsOf(workflow({ a: { steps }, b })).get('b');
    expect(job).toMatchObject({
      kind: 'matrix',
      jobs: [],
      open: 'its matrix depends on what is only known in the run',
    });
    expect(tagsOf(job)).toEqual(['${{ matrix.os }}?']);
  });

  test('the jobs of a generator are left open', () => {
    const a = { generator: 'g/h@v1' };
    expect(jobsOf(workflow({ a })).get('a')).toMatchObject({
      kind: 'generator',
      open: 'the generator g/h@v1 gives its jobs',
    });
  });

  test('the jobs of a called workflow are left open', () => {
    const a = { uses: './other.yaml' };
    expect(jobsOf(workflow({ a })).get('a')?.open).toBe('the workflow ./other.yaml gives its jobs');
  });

  test('are expanded though only the run knows how many jobs run at one time, and how long', () => {
    const needed = '${{ needs.a.outputs.n }}';
    const strategy = { 'max-parallel': needed, 'fail-fast': needed };
    const jobs = jobsOf(
      workflow({
        a: { steps, outputs: { n: '1' } },
        m: { needs: 'a', strategy: { ...strategy, matrix: { os: ['linux'] } }, steps },
        b: { needs: 'a', strategy, 'timeout-minutes': needed, jobs: { c: { steps } } },
      }),
    );
    expect([...jobs.keys()]).toEqual(['a', 'm', 'm/m-linux', 'b', 'b/c']);
  });

  test('a matrix that cannot be expanded says why', () => {
    const a = { strategy: { matrix: { os: "${{ fromJSON('[]') }}" } }, steps };
    const manifest = workflow({ a });
    const error = 'jobs.a: The matrix has no jobs.';
    expect(jobsOf(manifest).get('a')).toMatchObject({ open: null, error });
    expect(errorsOfPlan(planWorkflow(manifest))).toEqual([error]);
  });

  test('a matrix that cannot be expanded is no error where the job does not run', () => {
    const a = { if: 'failure()', strategy: { matrix: { os: "${{ fromJSON('[]') }}" } }, steps };
    const bundle = { if: 'false', jobs: { b: { ...a, if: 'true' } } };
    expect(errorsOfPlan(planWorkflow(workflow({ a, bundle })))).toEqual([]);
  });

  test('bundles in bundles are expanded', () => {
    const a = { jobs: { b: { strategy: { matrix: { n: [1] } }, jobs: { c: { steps } } } } };
    expect([...jobsOf(workflow({ a })).keys()]).toEqual(['a', 'a/b', 'a/b/b-1', 'a/b/b-1/c']);
  });
});

describe('whether a job runs if all goes well', () => {
  const inputs = {
    deploy: { description: 'd', type: 'boolean' as const },
    must: { description: 'd', required: true },
  };
  const runsWith = (condition: string, start = {}) => {
    const jobs = {
      a: { steps },
      b: { needs: 'a', if: condition, steps },
      c: { needs: 'b', steps },
      d: { needs: 'b', if: 'always()', steps },
    };
    const planned = jobsOf(workflow(jobs, { inputs }), start);
    return ['b', 'c', 'd'].map((key) => planned.get(key)?.runs);
  };

  test.each([
    ['always()', [true, true, true]],
    ['failure()', [false, false, true]],
    ['inputs.deploy', [false, false, true]],
    ['!inputs.deploy', [true, true, true]],
    ["needs.a.outputs.x == 'y'", [null, null, true]],
    ['inputs.must', [null, null, true]],
    ["failure() && needs.a.outputs.x == 'y'", [false, false, true]],
    ["needs.a.outputs.x == 'y' && !success()", [false, false, true]],
    ["always() || needs.a.outputs.x == 'y'", [true, true, true]],
    ["success() && (failure() || needs.a.outputs.x == 'y')", [null, null, true]],
    ["!(failure() && needs.a.outputs.x == 'y')", [true, true, true]],
    ["${{ cancelled() }} && needs.a.outputs.x == 'y'", [false, false, true]],
    // An empty list would be the value of the condition, and hold.
    ['fromJSON(needs.a.outputs.x) && failure()', [null, null, true]],
    // The text "0" is true for the operator, and not for the condition.
    ['needs.a.outputs.x || always()', [null, null, true]],
  ])('%s', (condition, expected) => {
    expect(runsWith(condition)).toEqual(expected);
  });

  test('depends on the inputs that are given', () => {
    expect(runsWith('inputs.deploy', { inputs: { deploy: 'true' } })).toEqual([true, true, true]);
  });
});

test('inputs that must be given and are not, are told; those that do not fit are refused', () => {
  const inputs = {
    'the-site': { description: 'd', required: true },
    other: { description: 'd', type: 'number' as const },
  };
  const manifest = workflow({ a: { steps } }, { inputs });
  expect(planWorkflow(manifest).openInputs).toEqual(['the-site']);
  expect(planWorkflow(manifest, { inputs: { the_site: 'x' } }).openInputs).toEqual([]);
  expect(() => planWorkflow(manifest, { inputs: { other: 'x' } })).toThrow('Expected a number.');
});

test('variables that each speak of the one before twice are looked at once', () => {
  const variables = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => {
      const before = `variables.V${index - 1}`;
      return [`V${index}`, index === 0 ? 'linux' : `\${{ ${before} && ${before} }}`];
    }),
  );
  const jobs = jobsOf(workflow({ a: { 'runs-on': '${{ variables.V59 }}', steps } }, { variables }));
  expect(tagsOf(jobs.get('a'))).toEqual(['linux']);
});

test('a thousand jobs that need all before them are planned at once', () => {
  const names = Array.from({ length: 1000 }, (_, index) => `j${index}`);
  const jobs = Object.fromEntries(
    names.map((name, index) => [
      name,
      { steps, ...(index === 0 ? {} : { needs: names.slice(Math.max(0, index - 20), index) }) },
    ]),
  );
  expect(planWorkflow(workflow(jobs)).jobs.every(({ runs }) => runs === true)).toBe(true);
});

describe('the plan has the errors that are certain to end the run', () => {
  const variables = { N: 'none', GROUP: 'g' };
  const errorsWith = (job: WorkflowJobs[string], more: Partial<WorkflowManifest> = {}) =>
    errorsOfPlan(planWorkflow(workflow({ a: { steps, ...job } }, { variables, ...more })));

  test.each<[job: WorkflowJobs[string], error: string]>([
    [{ 'runs-on': '${{ 1 }}' }, 'jobs.a: "runs-on" gives no tag, but 1.'],
    [
      { 'timeout-minutes': '${{ variables.N }}' },
      'jobs.a: Expected a number of minutes above 0 from "${{ variables.N }}", got "none".',
    ],
    [
      { concurrency: { group: "${{ fromJSON('{') }}" } },
      `jobs.a.concurrency.group: Invalid expression "fromJSON('{')": fromJSON() got a text that is not valid JSON at position 1.`,
    ],
    [
      { concurrency: { group: 'x', 'cancel-in-progress': '${{ variables.N }}' } },
      'jobs.a.concurrency.cancel-in-progress: Expected true or false from "${{ variables.N }}", got "none".',
    ],
  ])('of %j', (job, error) => {
    expect(errorsWith(job)).toEqual([error]);
    expect(errorsWith({ ...job, if: 'failure()' })).toEqual([]);
  });

  test.each<WorkflowJobs[string]>([
    { 'runs-on': '${{ variables.T }}' },
    { strategy: { matrix: '${{ fromJSON(variables.T) }}' } },
    { strategy: { matrix: { os: '${{ variables.T }}' } } },
    { 'timeout-minutes': '${{ variables.T }}' },
  ])('but not of what is skipped, as its condition is not met: %j', (job) => {
    const given = { variables: { T: '' } };
    const plan = (condition: string, parts: WorkflowJobs) =>
      planWorkflow(workflow({ outer: { if: condition, jobs: parts } }, given));
    const skipped = [
      planWorkflow(workflow({ a: { if: "variables.T != ''", steps, ...job } }, given)),
      plan("variables.T != ''", { a: { steps, ...job } }),
    ];
    for (const each of skipped) {
      expect(errorsOfPlan(each)).toEqual([]);
      expect(allOf(each.jobs).flatMap(({ error }) => error ?? [])).toEqual([]);
    }
    expect(errorsOfPlan(plan("variables.T == ''", { a: { steps, ...job } }))).toHaveLength(1);
  });

  test('of a group that is held around it', () => {
    const concurrency = { group: '${{ variables.GROUP }}' };
    expect(errorsWith({ concurrency }, { concurrency: { group: 'g' } })).toEqual([
      'jobs.a.concurrency.group: Group "g" is held by the workflow of the job.',
    ]);
  });

  test('of the tags of a bundle, where its jobs begin', () => {
    const jobs = { b: { 'runs-on': '${{ 1 }}', jobs: { c: { steps } } } };
    expect(errorsOfPlan(planWorkflow(workflow(jobs)))).toEqual([
      'jobs.b/c: "runs-on" gives no tag, but 1.',
    ]);
  });

  test.each<[more: Partial<WorkflowManifest>, error: string]>([
    [
      { 'timeout-minutes': '${{ variables.N }}' },
      'timeout-minutes: Expected a number of minutes above 0 from "${{ variables.N }}", got "none".',
    ],
    [
      { strategy: { 'max-parallel': '${{ variables.N }}' } },
      'strategy: Expected a whole number above 0 from "${{ variables.N }}", got "none".',
    ],
    [
      { concurrency: { group: 'x', 'cancel-in-progress': '${{ variables.N }}' } },
      'concurrency.cancel-in-progress: Expected true or false from "${{ variables.N }}", got "none".',
    ],
  ])('of the workflow: %j', (more, error) => {
    expect(planWorkflow(workflow({ a: { steps } }, { variables, ...more })).error).toBe(error);
    expect(errorsWith({}, more)).toEqual([error]);
  });

  test.each<WorkflowJobs[string]>([
    { 'runs-on': '${{ secrets.S }}' },
    { 'timeout-minutes': '${{ needs.b.outputs.minutes }}' },
    { concurrency: { group: "${{ fromJSON(secrets.S) || 'x' }}" } },
  ])('but not of what only the run knows: %j', (job) => {
    expect(errorsWith(job, { secrets: { S: 'y' } })).toEqual([]);
  });
});

test('names of called workflows and of steps are shown where they are known', () => {
  const resources = { repositories: [{ name: 'r', type: 'git', repository: 'x', endpoint: 'y' }] };
  const jobs: WorkflowJobs = {
    a: { uses: '${{ resources.repositories.r }}/${{ variables.FILE }}@v1' },
    b: { uses: './${{ needs.a.outputs.file }}', needs: 'a' },
    c: {
      steps: [
        { name: 'test ${{ variables.FILE }}', run: 'x' },
        { run: 'cat ${{ variables.FILE }}' },
        { name: '${{ steps.x.outputs.y }}', run: 'x' },
        { name: '${{ variables.FILE }}', run: 'x', variables: { FILE: 'own' } },
      ],
    },
  };
  const planned = jobsOf(workflow(jobs, { variables: { FILE: 'a.yaml' }, resources }));
  expect(planned.get('a')?.open).toBe('the workflow r/a.yaml@v1 gives its jobs');
  expect(planned.get('b')?.open).toBe('the workflow ./${{ needs.a.outputs.file }} gives its jobs');
  expect(planned.get('c')?.steps.map(({ name }) => name)).toEqual([
    'test a.yaml',
    'cat a.yaml',
    '${{ steps.x.outputs.y }}',
    '${{ variables.FILE }}',
  ]);
});
