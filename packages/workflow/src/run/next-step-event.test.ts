// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Steps: conditions, failures, commands, providers and the steps they give. */
import type { WorkflowStep } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { given } from './testing/given.ts';
import {
  answer,
  bundle,
  cancel,
  executionError,
  type Happening,
  job,
  minute,
  offer,
  released,
  result,
  workflow,
} from './testing/inputs.ts';

const step = (id: string, more: Partial<WorkflowStep> = {}): WorkflowStep => ({
  run: id,
  ...more,
  id,
});

describe('the name of a step', () => {
  const named = (more: WorkflowStep) =>
    workflow({ a: job([{ ...more, id: 's' }]) }, { variables: { SITE: 'Lyon' } });
  const name = 'Deploy to ${{ variables.SITE }}';

  // Language 6.7: `variables`.
  test('is evaluated when a command begins, and stands beside it where it has expressions', () => {
    const evaluated = given(named({ run: 'x', name }))
      .when(offer('a'))
      .events.at(-1);
    expect(evaluated?.metadata).toMatchObject({ 'tutti.step-name': 'Deploy to Lyon' });
    const plain = given(named({ run: 'x', name: 'Deploy' }))
      .when(offer('a'))
      .events.at(-1);
    expect(plain?.metadata).not.toHaveProperty('tutti.step-name');
  });

  test('is evaluated for functions', () => {
    const { events } = given(named({ uses: 'a/b@v1', name })).when(offer('a'));
    expect(events.at(-1)).toMatchObject({ step: { name: 'Deploy to Lyon' } });
  });

  test('ends the run if it cannot be evaluated', () => {
    const { events } = given(named({ run: 'x', name: '${{ inputs.a.b }}' })).when(offer('a'));
    expect(events).toContainEqual(
      expect.objectContaining({
        kind: 'ExecutionError',
        details: { error: expect.stringContaining('no entry "a"') },
      }),
    );
  });
});

// Language 1.4: `id` is a text.
test('of steps with one id expressions read the one that ended last', () => {
  const run = '${{ steps.s.outputs.n }}';
  const steps = [
    step('s', { run: 'x' }),
    step('t', { run }),
    step('s', { run: 'x' }),
    step('u', { run }),
  ];
  const scripts = given(
    workflow({ a: job(steps) }),
    offer('a'),
    result('a', 0, { outputs: { n: 'one' } }),
    result('a'),
    result('a', 0, { outputs: { n: 'two' } }),
    result('a'),
  ).log.flatMap((event) => (event.kind === 'ExecutionCommand' ? event.scripts : []));
  expect(scripts).toEqual(['x', 'one', 'x', 'two']);
});

describe('the condition of a step', () => {
  test.each<[string | undefined, number, boolean]>([
    [undefined, 0, true],
    ['success()', 0, true],
    ['failure()', 0, false],
    ['always()', 0, true],
    ['cancelled()', 0, false],
    ["steps.first.outcome == 'success'", 0, true],
    ["job.status == 'success'", 0, true],
    [undefined, 1, false],
    ['success()', 1, false],
    ['failure()', 1, true],
    ['always()', 1, true],
    ['cancelled()', 1, false],
    ["steps.first.outcome == 'failure'", 1, false],
    ["always() && steps.first.outcome == 'failure'", 1, true],
    ["always() && job.status == 'failure'", 1, true],
    ["${{ failure() }} && runner.os == 'linux'", 1, true],
  ])('%s after status %i: %s', (condition, status, runs) => {
    const second = step('second', condition === undefined ? {} : { if: condition });
    given(workflow({ a: job([step('first'), second]) }), offer('a'))
      .when(result('a', status))
      .follows(
        `result a 0: ${status}`,
        ...(runs
          ? ['run a 1: second']
          : ['step second: skipped', `release a: ${status === 0 ? 'success' : 'failure'}`]),
      );
  });

  test('an error in it ends the run once and skips what is left, without looking at it', () => {
    const broken = workflow({ a: job([step('s', { if: 'oops' }), step('t', { if: 'oops' })]) });
    given(broken)
      .when(offer('a'))
      .follows(
        'offer a: channel-1',
        'error jobs.a, step s: Invalid expression "oops": Invalid segment oops or incorrect function call at position 1.',
        'step s: skipped',
        'step t: skipped',
        'release a: cancelled',
      );
  });
});

describe('an error names its step', () => {
  const uuid = (number: number) => `00000000-0000-4000-8000-00000000000${number}`;
  const broken = (number: number, more: Partial<WorkflowStep> = {}): WorkflowStep => ({
    id: uuid(number),
    run: '${{ oops }}',
    ...more,
  });
  const why =
    'Invalid expression "oops": Invalid segment oops or incorrect function call at position 1.';
  const around = (part: 'setup' | 'teardown') => ({
    hooks: [
      {
        name: 'h',
        events: [{ channel: part }],
        before: [broken(7, { run: 'x', if: 'false' }), broken(8)],
      },
    ],
  });
  const call = { id: 'call', uses: 'tests/run@v1' };

  test.each<[where: string, begin: Happening, answered: readonly Happening[]]>([
    ['jobs.a, step N', workflow({ a: job([broken(1, { name: 'N' })]) }), []],
    ['jobs.a, step own', workflow({ a: job([broken(1, { id: 'own' })]) }), []],
    ['jobs.a.steps[1]', workflow({ a: job([step('s', { if: 'false' }), broken(1)]) }), []],
    ['jobs.a/b.steps[0]', workflow({ a: bundle({ b: job([broken(1)]) }) }), []],
    ['jobs.a, step 2 of hook "h"', workflow({ a: job(['x']) }, around('setup')), []],
    [
      'jobs.a, step 2 of tests/run@v1',
      workflow({ a: job([call]) }),
      [answer('a', [broken(1, { run: 'x', if: 'false' }), broken(2)])],
    ],
  ])('as %s', (where, begin, answered) => {
    const key = where.startsWith('jobs.a/b') ? 'a/b' : 'a';
    const all = [begin, offer(key), ...answered];
    const { events } = given(...all.slice(0, -1)).when(all.at(-1) ?? begin);
    const errors = events.filter(({ kind }) => kind === 'ExecutionError');
    expect(errors).toMatchObject([{ details: { error: `${where}: ${why}` } }]);
  });
});

describe('continue-on-error of a step', () => {
  const forgiving = workflow({
    a: job([
      step('s', { 'continue-on-error': true }),
      step('t', { run: 'echo ${{ steps.s.outcome }}/${{ steps.s.conclusion }}' }),
    ]),
  });

  test('forgives its failure', () => {
    given(forgiving, offer('a'))
      .when(result('a', 3))
      .follows('result a 0: 3', 'run a 1: echo failure/success');
  });

  test('may be an expression', () => {
    const begin = workflow({ a: job([step('s', { 'continue-on-error': '${{ 1 == 2 }}' })]) });
    given(begin, offer('a')).when(result('a', 3)).follows('result a 0: 3', 'release a: failure');
  });
});

test('scripts are cut into lines, without the last line end, whatever the line ends are', () => {
  const { log } = given(workflow({ a: job(['one\r\ntwo\n\nfour\n']) }), offer('a'));
  expect(log.at(-1)).toMatchObject({ scripts: ['one', 'two', '', 'four'] });
});

// Language 6.7: `steps`: outputs, outcome, conclusion, of the steps before.
test('outputs of a step are seen by the steps after it', () => {
  const begin = workflow({
    a: job(['x', 'echo ${{ steps.s0.outputs.v }}${{ steps.s0.outputs.none }}']),
  });
  given(begin, offer('a'))
    .when(result('a', 0, { outputs: { v: 'five' } }))
    .follows('result a 0: 0', 'run a 1: echo five');
});

test('the text of an output is never evaluated', () => {
  const begin = workflow({
    a: job([
      'x',
      {
        id: 'call',
        uses: 'a/b@v1',
        'working-directory': '${{ steps.s0.outputs.v }}',
        variables: { V: '${{ steps.s0.outputs.v }}' },
      },
    ]),
  });
  const evil = '${{ nobody.knows }}';
  const happened = [
    begin,
    offer('a'),
    result('a', 0, { outputs: { v: evil }, variables: { P: evil } }),
  ];
  const { log } = given(
    ...happened,
    answer('a', [step('inner', { run: 'echo ${{ variables.V }}' })]),
  );
  expect(log.at(-1)).toMatchObject({
    kind: 'ExecutionCommand',
    scripts: [`echo ${evil}`],
    variables: { V: evil },
    'working-directory': evil,
  });
});

test('a result counts for the command that was sent, whatever step it names', () => {
  const begin = workflow({ a: job(['x', 'echo ${{ steps.s0.outputs.v }}']) });
  given(begin, offer('a'))
    .when(
      result('a', 0, {
        outputs: { v: 'five' },
        metadata: { step_id: 'other', step_origin: undefined },
      }),
    )
    .follows('result a 0: 0', 'run a 1: echo five');
});

describe('shell and working directory', () => {
  const defaults = (shell: string, directory: string) => ({
    defaults: { run: { shell, 'working-directory': directory } },
  });
  const commandOf = (begin: Happening) => given(begin, offer('a')).log.at(-1);

  test.each([
    [{}, defaults('cmd', 'w'), {}, { shell: 'cmd', 'working-directory': 'w' }],
    [{}, defaults('cmd', 'w'), defaults('bash', 'j'), { shell: 'bash', 'working-directory': 'j' }],
    [{ shell: 'pwsh' }, defaults('cmd', 'w'), {}, { shell: 'pwsh', 'working-directory': 'w' }],
    [{ 'working-directory': '${{ runner.os }}' }, {}, {}, { 'working-directory': 'linux' }],
    [{ shell: '${{ runner.os }}sh {0}' }, {}, {}, { shell: 'linuxsh {0}' }],
    [
      {},
      defaults('${{ variables.S }}', '${{ opentf.step }}'),
      { variables: { S: 'python' } },
      { shell: 'python', 'working-directory': 'run1' },
    ],
    // Language 1.6: Shell and directory of `run` steps, of workflow and job; the job wins.
  ])('step %j, workflow %j, job %j', (own, ofWorkflow, ofJob, expected) => {
    expect(commandOf(workflow({ a: job([step('s', own)], ofJob) }, ofWorkflow))).toMatchObject(
      expected,
    );
  });

  // Language 1.6: Shell and directory of `run` steps, of workflow and job; the job wins.
  test('defaults are not for the steps of a provider, its own working directory is', () => {
    const call = { id: 'call', uses: 'a/b@v1' };
    const inner = (more: Partial<WorkflowStep>) =>
      given(
        workflow({ a: job([{ ...call, ...more }]) }, defaults('cmd', 'w')),
        offer('a'),
        answer('a', [step('s')]),
      ).log.at(-1);
    expect(inner({})).not.toHaveProperty('shell');
    expect(inner({})).not.toHaveProperty('working-directory');
    expect(inner({ 'working-directory': 'src' })).toMatchObject({ 'working-directory': 'src' });
  });
});

describe('a uses step', () => {
  const call = { id: 'call', uses: 'tests/run@v1' };
  const begin = workflow({ a: job([call, 'after']) });

  test('asks a provider, and the steps of the answer take its place', () => {
    given(begin).when(offer('a')).follows('offer a: channel-1', 'call call tests/run@v1');
    given(begin, offer('a'))
      .when(answer('a', [step('one'), step('two')]))
      .follows('answer call: 2 steps', 'run a 0: one');
    given(begin, offer('a'), answer('a', [step('one'), step('two')]), result('a'))
      .when(result('a'))
      .follows('result a 1: 0', 'step call: success', 'run a 2: after');
  });

  test('succeeds without steps', () => {
    given(begin, offer('a'))
      .when(answer('a', []))
      .follows('answer call: 0 steps', 'step call: success', 'run a 0: after');
  });

  test('fails with its steps; those after it that run always, run', () => {
    const steps = [step('one'), step('two'), step('clean', { if: 'always()' })];
    given(begin, offer('a'), answer('a', steps))
      .when(result('a', 1))
      .follows('result a 0: 1', 'step two: skipped', 'run a 1: clean');
    given(begin, offer('a'), answer('a', steps), result('a', 1))
      .when(result('a'))
      .follows('result a 1: 0', 'step call: failure', 'step s1: skipped', 'release a: failure');
  });

  test('forgives its steps under continue-on-error', () => {
    const forgiving = workflow({ a: job([{ ...call, 'continue-on-error': true }, 'after']) });
    given(forgiving, offer('a'), answer('a', [step('one')]))
      .when(result('a', 1))
      .follows('result a 0: 1', 'step call: failure, forgiven', 'run a 1: after');
  });

  test('that runs always works in a job that failed', () => {
    const always = workflow({ a: job(['x', { ...call, if: 'always()' }]) });
    given(always, offer('a'), result('a', 1))
      .when(answer('a', [step('one'), step('two', { run: 'echo ${{ job.status }}' })]))
      .follows('answer call: 2 steps', 'run a 1: one');
    given(
      always,
      offer('a'),
      result('a', 1),
      answer('a', [step('one'), step('two', { run: '${{ job.status }}' })]),
    )
      .when(result('a'))
      .follows('result a 1: 0', 'run a 2: failure');
  });

  test('may give uses steps again', () => {
    const outer = answer('a', [{ id: 'inner', uses: 'b/c@v1' }, step('last')]);
    given(begin, offer('a')).when(outer).follows('answer call: 2 steps', 'call inner b/c@v1');
    given(begin, offer('a'), outer, answer('a', [step('deep')]))
      .when(result('a'))
      .follows('result a 0: 0', 'step inner: success', 'run a 1: last');
  });

  test('may give steps with ids of steps around them', () => {
    const same = [step('call', { if: 'failure()' }), step('s1')];
    given(begin, offer('a'))
      .when(answer('a', same))
      .follows('answer call: 2 steps', 'step call: skipped', 'run a 0: s1');
    given(begin, offer('a'), answer('a', same))
      .when(result('a'))
      .follows('result a 0: 0', 'step call: success', 'run a 1: after');
  });

  // Language 1.7: Steps get ids, which are in the published events.
  test('gives steps without ids ids of their own', () => {
    const { log } = given(
      begin,
      offer('a'),
      answer('a', [{ run: 'x' }, { run: 'y' }]),
      result('a'),
    );
    expect(log.at(-1)?.metadata.step_id).toBe('call-1');
  });

  test('sees what its steps gave, and so do the steps after it', () => {
    const after = workflow({
      a: job([call, 'echo ${{ steps.call.outputs.v }} ${{ steps.call.outputs.w }}']),
    });
    const outputs = {
      v: '${{ steps.one.outputs.x }}',
      w: { description: 'the other', value: 'W' },
    };
    given(after, offer('a'), answer('a', [step('one')], { outputs }))
      .when(result('a', 0, { outputs: { x: 'X' } }))
      .follows('result a 0: 0', 'step call: success', 'run a 1: echo X W');
  });

  test('with outputs that cannot be evaluated ends the run, once', () => {
    given(begin, offer('a'))
      .when(answer('a', [], { outputs: { v: '${{ oops }}' } }))
      .follows(
        'answer call: 0 steps',
        'error jobs.a, step tests/run@v1, outputs: Invalid expression "oops": Invalid segment oops or incorrect function call at position 1.',
        'step call: success',
        'step s1: skipped',
        'release a: cancelled',
      );
  });

  test('whose provider tells an error ends the run', () => {
    given(begin, offer('a'))
      .when(executionError('no such function', 'a'))
      .follows('error no such function', 'step s1: skipped', 'release a: cancelled');
  });

  test('that runs in a run that is ending fails alone when its provider tells an error', () => {
    const cleaning = workflow({
      a: job(['x', { ...call, if: 'always()' }, step('z', { if: 'always()' })]),
    });
    given(cleaning, offer('a'), cancel(), result('a', 143))
      .when(executionError('no such function', 'a'))
      .follows('error no such function', 'run a 1: z');
  });
});

describe('providers that give providers without end', () => {
  const again = (condition?: string): WorkflowStep => ({
    id: 'again',
    uses: 'a/b@v1',
    ...(condition === undefined ? {} : { if: condition }),
  });
  const answers = (count: number, condition?: string) =>
    Array.from({ length: count }, () => answer('a', [again(condition)]));

  test('end the run', () => {
    const { events } = given(workflow({ a: job([again()]) }), offer('a'), ...answers(8)).when(
      answer('a', [again()]),
    );
    expect(events.at(1)).toMatchObject({
      kind: 'ExecutionError',
      details: { error: 'jobs.a, step again: Providers are nested more than 10 deep.' },
    });
  });

  test('fail their step in a run that is ending', () => {
    const begin = workflow({ a: job(['x', again('always()')]) });
    const { events } = given(
      begin,
      offer('a'),
      cancel(),
      result('a', 143),
      ...answers(8, 'always()'),
    ).when(answer('a', [again('always()')]));
    expect(events.at(1)).toMatchObject({
      spec: {
        outcome: 'failure',
        logs: ['ERROR,jobs.a, step again: Providers are nested more than 10 deep.'],
      },
    });
    expect(events.at(-1)?.kind).toBe('ExecutionCommand');
  });
});

test('steps without ids in the manifest have their position as id', () => {
  const bare = workflow({ a: { steps: [{ run: 'x' }, { run: 'y' }] } });
  const { log, run } = given(bare, offer('a'), result('a'));
  expect(log.at(-1)?.metadata.step_id).toBe('step-1');
  expect(run.jobs.get('a')?.frames[0]?.ended.map(({ id }) => id)).toEqual(['step-0']);
});

test('after its last step a job is released and the run completes', () => {
  const begin = workflow({ a: job([{ id: 'call', uses: 'a/b@v1' }]) });
  given(begin, offer('a'), answer('a', [])).when(released('a')).follows('released a', 'completed');
  given(begin, offer('a'), answer('a', [])).when(minute(100_000)).follows();
});
