/** Some predictions of the oracle, written down by hand. */
import { expect, test } from 'vitest';
import { expectedJobs, isExpectedToSucceed } from './oracle.ts';
import {
  type BundlePlan,
  type HookPlan,
  type HookPlans,
  type JobPlan,
  NO_DEFAULTS,
  NOTHING_CALLED,
  type StepPlan,
  type WorkflowPlan,
} from './plan.ts';

const step = (key: string, more: Partial<StepPlan> = {}): StepPlan => ({
  key,
  id: `id-of-${key}`,
  condition: 'default',
  exitCode: 0,
  output: '',
  continueOnError: false,
  timeoutMinutes: null,
  trouble: 'none',
  variable: null,
  shell: null,
  directory: null,
  leaves: null,
  attaches: false,
  nested: null,
  ...more,
});

const job = (name: string, steps: readonly StepPlan[], more: Partial<JobPlan> = {}): JobPlan => ({
  name,
  needs: [],
  condition: 'default',
  steps,
  outputOf: steps[0]?.id ?? '',
  continueOnError: false,
  timeoutMinutes: null,
  group: null,
  takesOver: false,
  variable: null,
  defaults: NO_DEFAULTS,
  tags: { names: [], form: 'plain' },
  saysSystem: false,
  matrix: null,
  matrixForm: 'values',
  bundle: null,
  maxParallel: null,
  failFast: false,
  saysFailFast: true,
  ...more,
});

const NO_HOOKS: HookPlans = { workflow: [], channel: [], provider: [] };

const expected = (...jobs: readonly JobPlan[]) => expectedWith(NO_HOOKS, ...jobs);

const expectedWith = (hooks: HookPlans, ...jobs: readonly JobPlan[]) =>
  expectedJobs(planOf(jobs, { hooks }));

function planOf(jobs: readonly JobPlan[], more: Partial<WorkflowPlan> = {}): WorkflowPlan {
  return {
    jobs,
    maxParallel: null,
    failFast: false,
    timeoutMinutes: null,
    group: null,
    takesOver: false,
    variable: 'w',
    input: null,
    outputOf: null,
    defaults: NO_DEFAULTS,
    resources: null,
    environments: [],
    downloadTags: [],
    hooks: NO_HOOKS,
    ...more,
  };
}

test('a failure skips what follows, but what runs always', () => {
  const steps = [
    step('a', { exitCode: 1 }),
    step('b'),
    step('c', { condition: 'always' }),
    step('d', { condition: 'failure' }),
  ];
  const jobs = expected(job('j', steps));
  expect(jobs.get('j')).toEqual({ result: 'failure', output: '', scripts: ['a w', 'c w', 'd w'] });
  expect(isExpectedToSucceed(jobs)).toBe(false);
});

test('jobs tell results and outputs to those that need them, also in another order', () => {
  const first = job('first', [step('a', { output: 'out' })]);
  const second = job('second', [step('b')], { needs: ['first'] });
  expect(expected(second, first).get('second')?.scripts).toEqual(['b w success=out']);
});

test('a failure is seen through jobs that were skipped for it', () => {
  const jobs = expected(
    job('a', [step('a', { exitCode: 1 })]),
    job('b', [step('b')], { needs: ['a'] }),
    job('c', [step('c')], { needs: ['b'], condition: 'failure' }),
    job('d', [step('d')], { needs: ['b'], condition: 'either', continueOnError: true }),
  );
  expect([...jobs].map(([name, { result }]) => `${name}: ${result}`)).toEqual([
    'a: failure',
    'b: skipped',
    'c: success',
    'd: success',
  ]);
});

test('variables come from the step, the provider step around it, earlier steps, the job', () => {
  const nested = [step('b'), step('c', { variable: 'own' })];
  const steps = [
    step('a', { leaves: 'left' }),
    step('p', { nested, variable: 'provider' }),
    step('d'),
  ];
  expect(expected(job('j', steps, { variable: 'job' })).get('j')?.scripts).toEqual([
    'a job',
    'b provider provider',
    'c own provider',
    'd left',
  ]);
});

const hook = (name: string, on: HookPlan['on'], more: Partial<HookPlan> = {}): HookPlan => ({
  name,
  on,
  condition: 'default',
  choosesWorkspace: false,
  before: [step(`${name}-b`)],
  after: [step(`${name}-a`)],
  ...more,
});

test('hooks stand around jobs and functions, those of the author outermost', () => {
  const hooks = {
    workflow: [hook('w', 'setup'), hook('f', 'function'), hook('t', 'teardown')],
    channel: [hook('c', 'setup')],
    provider: [hook('p', 'function')],
  };
  const call = step('call', { nested: [step('one')] });
  expect(expectedWith(hooks, job('j', [call])).get('j')?.scripts).toEqual(
    ['w-b', 'c-b', 'c-a', 'w-a', 'f-b', 'p-b', 'one w', 'p-a', 'f-a', 't-b', 't-a'].map(
      (key) => `${key} w`,
    ),
  );
});

test('teardown cleans up after a failure, other hooks do as their conditions say', () => {
  const failing = [step('s-b', { exitCode: 1 })];
  const hooks = {
    ...NO_HOOKS,
    workflow: [
      hook('s', 'setup', { before: failing }),
      hook('f', 'setup', { condition: 'failure', after: [step('f-a', { condition: 'always' })] }),
      hook('t', 'teardown', { before: [step('t-b', { condition: 'success' })] }),
    ],
  };
  expect(expectedWith(hooks, job('j', [step('x')])).get('j')).toEqual({
    result: 'failure',
    output: '',
    scripts: ['s-b w', 'f-a w', 't-a w'],
  });
});

const failing = (name: string, more: Partial<JobPlan> = {}) =>
  job(name, [step(`of-${name}`, { exitCode: 1, output: 'x' })], more);
const bundleOf = (jobs: readonly JobPlan[], form: BundlePlan['form'] = 'jobs'): BundlePlan => ({
  form,
  jobs,
  outputOf: jobs[0]?.name ?? '',
  input: null,
  reference: 'direct',
  called: NOTHING_CALLED,
  trouble: 'none',
});
const results = (jobs: ReturnType<typeof expected>) =>
  [...jobs].map(([key, { result }]) => `${key}: ${result}`);

test('a bundle is as good as its jobs, which stand behind it', () => {
  const inner = [job('c', [step('c')]), failing('d', { needs: ['c'] })];
  const jobs = expected(job('b', [], { bundle: bundleOf(inner) }));
  expect(results(jobs)).toEqual(['b: failure', 'b/c: success', 'b/d: failure']);
  expect(isExpectedToSucceed(jobs)).toBe(false);
  const forgiven = expected(job('b', [], { bundle: bundleOf(inner), continueOnError: true }));
  expect(isExpectedToSucceed(forgiven)).toBe(true);
});

test('a matrix runs its job for each value, and is forgiven job by job', () => {
  const jobs = expected(failing('m', { matrix: ['x', 'y'], continueOnError: true }));
  expect(results(jobs)).toEqual(['m: success', 'm/m-x: success', 'm/m-y: success']);
  expect(jobs.get('m/m-y')?.scripts).toEqual(['of-m w y']);
  expect(jobs.get('m')?.output).toBe('x');
});

test('jobs of a bundle say what is seen around them, those of a generator do not', () => {
  const first = job('first', [step('a', { output: 'out' })]);
  const around = (form: BundlePlan['form']) =>
    expected(
      first,
      job('b', [], {
        needs: ['first'],
        variable: 'of-b',
        bundle: bundleOf([job('c', [step('c')])], form),
      }),
    );
  expect(around('jobs').get('b/c')?.scripts).toEqual(['c of-b success=out']);
  expect(around('generator').get('b/c')?.scripts).toEqual(['c of-b']);
});

test('hooks of a called workflow stand around its jobs alone, within those of whoever calls', () => {
  const inner = { ...NOTHING_CALLED, hooks: [hook('i', 'setup'), hook('f', 'function')] };
  const call = { ...bundleOf([job('c', [step('p', { nested: [step('x')] })])], 'file') };
  const nested = job('b', [], { bundle: { ...call, called: inner } });
  const outer = { ...NOTHING_CALLED, hooks: [hook('o', 'setup')] };
  const jobs = [
    job('a', [], {
      bundle: { ...bundleOf([nested, job('d', [step('y')])], 'file'), called: outer },
    }),
    job('e', [step('z')]),
  ];
  const hooks = { ...NO_HOOKS, workflow: [hook('w', 'setup')], channel: [hook('l', 'setup')] };
  const all = expectedWith(hooks, ...jobs);
  const keys = (key: string) => all.get(key)?.scripts.map((text) => text.split(' ')[0]);
  const setup = (...names: readonly string[]) => [
    ...names.map((name) => `${name}-b`),
    ...names.toReversed().map((name) => `${name}-a`),
  ];
  expect(keys('a/b/c')).toEqual([...setup('w', 'o', 'i', 'l'), 'f-b', 'x', 'f-a']);
  expect(keys('a/d')).toEqual([...setup('w', 'o', 'l'), 'y']);
  expect(keys('e')).toEqual([...setup('w', 'l'), 'z']);
});

test('a failure up the needs is one behind jobs that ran always, too, which are needed as others are', () => {
  const ok = (name: string, more: Partial<JobPlan>) => job(name, [step(name)], more);
  const jobs = expected(
    ok('a', { steps: [step('a', { exitCode: 1 })] }),
    ok('b', { needs: ['a'], condition: 'always' }),
    ok('c', { needs: ['b'] }),
    ok('d', { needs: ['c'], condition: 'failure' }),
    ok('e', { needs: ['a'] }),
    ok('f', { condition: 'failure' }),
  );
  expect([...jobs].map(([key, { result }]) => `${key} ${result}`)).toEqual([
    'a failure',
    'b success',
    'c success',
    'd success',
    'e skipped',
    'f skipped',
  ]);
});

test('a job fetches what is called in a repository, without the hooks of the workflow', () => {
  const call = (name: string): JobPlan =>
    job(name, [], {
      bundle: {
        form: 'repository',
        jobs: [job('a', [step('b', { output: 'out' })])],
        outputOf: 'a',
        input: null,
        reference: 'direct',
        called: NOTHING_CALLED,
        trouble: 'none',
      },
      variable: 'own',
    });
  const hook = (name: string, exitCode: number): HookPlan => ({
    name,
    on: 'setup',
    condition: 'default',
    choosesWorkspace: false,
    before: [],
    after: [step(name, { exitCode })],
  });
  const jobs = expectedWith({ ...NO_HOOKS, workflow: [hook('h', 0)] }, call('j'));
  expect(jobs.get('j/.download_job_j')?.scripts).toEqual(['fetch-j own']);
  expect(jobs.get('j/a')?.scripts).toEqual(['h own', 'b own']);
  expect(jobs.get('j')).toEqual({ result: 'success', output: 'out', scripts: [] });
  const failing = expectedWith({ ...NO_HOOKS, channel: [hook('h', 1)] }, call('j'));
  expect([...failing.keys()]).toEqual(['j', 'j/.download_job_j']);
  expect(failing.get('j')?.result).toBe('failure');
});

test('files are those of the workflow that a step is written in, addresses the same everywhere', () => {
  const called = { ...NOTHING_CALLED, files: ['own'] };
  const call = { ...bundleOf([job('c', [step('c')])], 'file'), called, input: 'x' };
  const jobs = [job('a', [step('a')]), job('b', [], { bundle: call })];
  const resources = { files: ['data'], isBroken: false };
  const all = expectedJobs(planOf(jobs, { resources, input: 'given' }));
  const address = 'https://reader:w-given@example.org';
  expect(all.get('a')?.scripts).toEqual([
    `a w given secret-given {"b.yaml":"b.yaml","data":"data"} ${address}`,
  ]);
  expect(all.get('b/c')?.scripts).toEqual([`c w x {"own":"own"} ${address}`]);
});

test('shells and directories come from the step, the function around it, the job, the workflow', () => {
  const nested = [step('b'), step('c', { directory: 'own' })];
  const steps = [
    step('a', { shell: 'python', leaves: 'left' }),
    step('p', { nested, directory: 'of-p/@V' }),
    step('d', { directory: 'own', variable: 'v' }),
    step('e'),
  ];
  const defaults = { shell: null, directory: 'of-j/@V' };
  const plan = planOf([job('j', steps, { defaults }), job('k', [step('f')])], {
    defaults: { shell: 'sh', directory: 'of-w' },
    hooks: { ...NO_HOOKS, workflow: [hook('h', 'function'), hook('s', 'setup', { after: [] })] },
  });
  const jobs = expectedJobs(plan);
  expect(jobs.get('j')?.scripts).toEqual([
    's-b w',
    'a w by python in of-j/w',
    'h-b left in of-p/left',
    'b left left in of-p/left',
    'c left left in own',
    'h-a left in of-p/left',
    'd v by sh in own',
    'e left by sh in of-j/left',
  ]);
  expect(jobs.get('k')?.scripts).toEqual(['s-b w', 'f w by sh in of-w']);
});

test('settings of a called workflow win over settings around it, and count in its outputs', () => {
  const inner = [
    job('a', [step('a', { output: 'out' })]),
    job('b', [step('b', { variable: 'own/@V' })], { variable: 'of-b', defaults: by('python') }),
  ];
  const defaults = { shell: 'sh', directory: 'd/@V' };
  const called = { ...NOTHING_CALLED, variable: 'of-@I', defaults };
  const call = { ...bundleOf(inner, 'file'), called, input: 'x' };
  const outer = { variable: 'of-j', defaults: by('cmd'), bundle: call };
  const jobs = expected(job('j', [], outer), job('k', [step('k')], { needs: ['j'] }));
  expect(jobs.get('j/a')?.scripts).toEqual(['a of-x x by sh in d/of-x']);
  expect(jobs.get('j/b')?.scripts).toEqual(['b own/of-b x by python in d/own/of-b']);
  expect(jobs.get('k')?.scripts).toEqual(['k w success=out+x+of-x']);
});

const by = (shell: string) => ({ shell, directory: null });

test('a called workflow has no defaults from around the job that calls it', () => {
  const inner = job('j', [], { bundle: bundleOf([job('a', [step('a')])], 'file') });
  const plan = planOf([job('o', [], { defaults: by('cmd'), bundle: bundleOf([inner], 'jobs') })], {
    defaults: { shell: 'sh', directory: 'of-w' },
  });
  const [script] = expectedJobs(plan).get('o/j/a')?.scripts ?? [];
  expect(script).toMatch(/^a w(?!.*(?: by | in ))/);
});

test('tags are those of the job, of its cell and of the bundles around it, and tell the system', () => {
  const tagged = (form: 'plain' | 'cell', ...names: readonly string[]) => ({
    tags: { names, form },
    saysSystem: true,
  });
  const cells = job('b', [step('b')], { ...tagged('cell'), matrix: ['macos', 'linux'] });
  const inner = [job('c', [step('c')], tagged('plain', 'node'))];
  const jobs = [
    job('a', [step('a')], tagged('plain', 'node', 'windows')),
    cells,
    job('j2', [], { ...tagged('plain', 'gpu', 'linux'), bundle: bundleOf(inner) }),
  ];
  const all = expectedJobs(planOf(jobs));
  const scripts = ['a', 'b/b-macos', 'b/b-linux', 'j2/c'].map((key) => all.get(key)?.scripts);
  expect(scripts).toEqual([
    ['a w windows'],
    ['b w macos macos'],
    ['b w linux linux'],
    ['c w linux'],
  ]);
});
