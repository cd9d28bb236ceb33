// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Values that expressions and environments see: variables of all levels, inputs, needs, the environment. */
import type { ExecutionCommandEvent, RunEvent, Variables, WorkflowStep } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { conditionScope } from './contexts.ts';
import { createDecisionBudget } from './evaluation.ts';
import { given } from './testing/given.ts';
import { answer, job, offer, released, result, workflow } from './testing/inputs.ts';

function commandIn(log: readonly RunEvent[]): ExecutionCommandEvent {
  const command = log.findLast((event) => event.kind === 'ExecutionCommand');
  if (command === undefined) throw new Error('No command was sent.');
  return command;
}

/** The command of a step under variables of the workflow, the job and the step. */
function commandWith(
  ofWorkflow: Variables,
  ofJob: Variables,
  ofStep: Variables,
  script = 'x',
): ExecutionCommandEvent {
  const step: WorkflowStep = { id: 's', run: script, variables: ofStep };
  const begin = workflow({ a: job([step], { variables: ofJob }) }, { variables: ofWorkflow });
  return commandIn(given(begin, offer('a')).log);
}

// Language 6.7: `opentf`, everywhere.
test('workflows of 2021 call a context by its former name', () => {
  const command = commandWith(
    { W: '${{ squashtf.workflow }}' },
    { J: "${{ squashtf['namespace'] }}" },
    {},
    '${{ squashtf.step }} ${{ variables.W }} ${{ variables.J }}',
  );
  expect(command.scripts).toEqual(['run1 demo default']);
});

test('outputs that are written as numbers or booleans count as their texts', () => {
  const a = job(['x'], { outputs: { count: 5, isDone: true } });
  const { run } = given(workflow({ a }), offer('a'), result('a'), released('a'));
  expect(run.jobs.get('a')?.outputs).toEqual({ count: '5', isDone: 'true' });
});

describe('variables', () => {
  // Language 1.5: Step wins over job, job over workflow, as long as that level lasts.
  test('of the step win over those of the job, and these over those of the workflow', () => {
    const command = commandWith(
      { W: 'w', J: 'w', S: 'w' },
      { J: 'j', S: 'j' },
      { S: 's' },
      '${{ variables.W }}${{ variables.J }}${{ variables.S }}',
    );
    expect(command.variables).toEqual({ W: 'w', J: 'j', S: 's' });
    expect(command.metadata.annotations).toEqual({ local_variables_names: ['S'] });
    expect(command.scripts).toEqual(['wjs']);
  });

  test('are left out where there are none', () => {
    const command = commandWith({}, {}, {});
    expect(command).not.toHaveProperty('variables');
    expect(command.metadata).not.toHaveProperty('annotations');
  });

  test('are evaluated wherever they are used, each seeing those before it', () => {
    const command = commandWith(
      { HOST: 'example.org', URL: 'http://${{ variables.HOST }}' },
      { PAGE: '${{ variables.URL }}/a' },
      { LINK: '<${{ variables.PAGE }}>' },
      'open ${{ variables.LINK }}',
    );
    expect(command.scripts).toEqual(['open <http://example.org/a>']);
    expect(command.variables).toEqual({
      HOST: 'example.org',
      URL: 'http://example.org',
      PAGE: 'http://example.org/a',
      LINK: '<http://example.org/a>',
    });
  });

  test('of a step do not see each other', () => {
    const command = commandWith({ A: 'outer' }, {}, { A: 'own', B: '${{ variables.A }}' });
    expect(command.variables).toMatchObject({ A: 'own', B: 'outer' });
  });

  test('stay verbatim', () => {
    const verbatim = { value: '${{ 1 == 1 }} $HOME', verbatim: true };
    expect(commandWith({}, { V: verbatim }, {}).variables).toEqual({
      V: { value: 'true $HOME', verbatim: true },
    });
  });

  // Language 6.7: `variables`.
  test('are known to the condition of a step, evaluated', () => {
    const step = {
      id: 's',
      run: 'x',
      if: "variables.V == 'linux'",
      variables: { V: '${{ runner.os }}' },
    };
    given(workflow({ a: job([step]) }))
      .when(offer('a'))
      .follows('offer a: channel-1', 'run a 0: x');
  });

  test('that cannot be evaluated spoil only what uses them', () => {
    const begin = workflow({ a: job(['x'], { if: 'true', variables: { V: '${{ oops }}' } }) });
    given().when(begin).follows('workflow demo', 'request a on linux');
    const { events } = given(begin).when(offer('a'));
    expect(events.map(({ kind }) => kind)).toEqual([
      'ExecutionResult',
      'ExecutionError',
      'Notification',
      'ExecutionCommand',
    ]);
  });
});

test('variables that insert more than all expressions of a step may are an error', () => {
  const long = 'x'.repeat(60_000);
  const names = Array.from({ length: 100 }, (_, index) => `V${index}`);
  const variables = Object.fromEntries(names.map((name) => [name, '${{ variables.LONG }}']));
  const begin = workflow({ a: job(['x']) }, { variables: { LONG: long, ...variables } });
  const { log } = given(begin, offer('a'));
  expect(log.flatMap((event) => (event.kind === 'ExecutionError' ? [event.details] : []))).toEqual([
    { error: expect.stringContaining('the evaluation takes too long') },
  ]);
});

describe('variables that a step leaves behind', () => {
  const show = '${{ variables.A }}';
  const begin = workflow(
    {
      a: job(['x', show, { id: 's2', run: show, variables: { A: 'own' } }]),
      b: job([show], { needs: 'a' }),
    },
    { variables: { A: 'given', B: '${{ variables.A }}' } },
  );
  const left = [begin, offer('a'), result('a', 0, { variables: { A: 'left' } })];

  // Language 1.5: Later steps of the job see variables that steps write into the variables file.
  test('win over those of workflow and job, in expressions', () => {
    const command = commandIn(given(...left).log);
    expect(command.scripts).toEqual(['left']);
    // The environment itself lets persisted values win, so the command carries the given ones.
    expect(command.variables).toEqual({ A: 'given', B: 'given' });
  });

  test('do not win over those of a step', () => {
    expect(commandIn(given(...left, result('a')).log).scripts).toEqual(['own']);
  });

  // Language 1.5: Step wins over job, job over workflow, as long as that level lasts.
  test('last until the end of the job, no longer', () => {
    const happened = [...left, result('a'), result('a'), released('a'), offer('b')];
    expect(commandIn(given(...happened).log).scripts).toEqual(['given']);
  });

  test('add up over steps', () => {
    const { run } = given(...left, result('a', 0, { variables: { C: 'c' } }));
    expect(run.jobs.get('a')?.persisted).toEqual({ A: 'left', C: 'c' });
  });

  test('are what later steps see, without the quotes that their shell needs', () => {
    const variables = { A: '"a b"', B: String.raw`it\'s`, C: '"$HOME/x y"' };
    const shown = workflow({
      a: job(['x', '${{ variables.A }}|${{ variables.B }}|${{ variables.C }}']),
    });
    const { log } = given(shown, offer('a'), result('a', 0, { variables }));
    expect(commandIn(log).scripts).toEqual(['a b|it\'s|"$HOME/x y"']);
  });

  test('show the workspace as a plain path, whatever its shell needs', () => {
    const variables = { OPENTF_WORKSPACE: String.raw`/my\ agent/w` };
    const shown = workflow({ a: job(['x', 'y ${{ variables.OPENTF_WORKSPACE }}']) });
    const { log } = given(shown, offer('a'), result('a', 0, { variables }));
    expect(commandIn(log).scripts).toEqual(['y /my agent/w']);
  });
});

test('variables of a provider step are local to the steps that take its place', () => {
  const call = { id: 'call', uses: 'a/b@v1', variables: { A: 'call', B: 'call' } };
  const inner = { id: 'inner', uses: 'c/d@v1', variables: { B: '${{ variables.A }}/inner' } };
  const deep = {
    id: 'deep',
    run: '${{ variables.A }} ${{ variables.B }} ${{ variables.C }}',
    variables: { C: 'deep' },
  };
  const begin = workflow({ a: job([call, '${{ variables.A }}'], { variables: { A: 'job' } }) });
  const happened = [begin, offer('a'), answer('a', [inner]), answer('a', [deep])];
  const command = commandIn(given(...happened).log);
  expect(command.scripts).toEqual(['call call/inner deep']);
  expect(command.variables).toEqual({ A: 'call', B: 'call/inner', C: 'deep' });
  expect(command.metadata.annotations).toEqual({ local_variables_names: ['A', 'B', 'C'] });
  expect(commandIn(given(...happened, result('a')).log).scripts).toEqual(['job']);
});

test('steps of one provider do not see those of the job, nor the other way round', () => {
  const begin = workflow({
    a: job([{ id: 'one', run: 'x' }, { id: 'call', uses: 'a/b@v1' }, 'echo ${{ steps.inner }}']),
  });
  const inner = { id: 'inner', run: 'echo ${{ steps.one }}' };
  const { log } = given(begin, offer('a'), result('a'), answer('a', [inner]), result('a'));
  const scripts = log.flatMap((event) => (event.kind === 'ExecutionCommand' ? event.scripts : []));
  expect(scripts).toEqual(['x', 'echo ', 'echo ']);
});

describe('other contexts', () => {
  test.each([
    ['opentf.workflow', 'demo'],
    ['opentf.namespace', 'default'],
    ['opentf.job', 'id-1'],
    ['opentf.step', 'run1'],
    ['opentf.actor', 'dummy'],
    ['opentf.token', ''],
    ['inputs.who', 'you'],
    ['resources.files.data', 'data'],
    ['runner.os', 'windows'],
    ['runner.temp', '/tmp'],
    ['job.status', 'success'],
    // Language 1.9: Expressions name files, for functions and commands.
    // Language 6.7: `opentf`, everywhere.
    // Language 6.7: `inputs`.
    // Language 6.7: `job`: the status.
    // Language 6.7: `runner`: the system in lower case, and the directory for temporary files.
  ])('%s is %s', (path, expected) => {
    const begin = workflow(
      { a: job([`\${{ ${path} }}`]) },
      {
        metadata: { annotations: { 'tutti.inputs': { who: 'you' } } },
        resources: { files: ['data'] },
      },
    );
    const { log } = given(begin, offer('a', 'channel-1', 'windows'));
    expect(commandIn(log).scripts).toEqual([expected]);
  });

  // Language 6.7: `opentf`, everywhere.
  test('a step is named after what it runs, and counted', () => {
    const step = '${{ opentf.step }}';
    const checkout = (version: string) => ({
      uses: `actions/check-out@${version}`,
      with: { step },
    });
    const begin = workflow({ a: job([step, checkout('v2'), step, checkout('v3')]) });
    const inner = answer('a', [{ run: step }]);
    const happened = [offer('a'), result('a'), inner, result('a'), result('a'), inner];
    const { log } = given(begin, ...happened);
    expect(
      log.flatMap((event) => (event.kind === 'ExecutionCommand' ? event.scripts : [])),
    ).toEqual(['run1', 'run1', 'run2', 'run1']);
    expect(
      log.flatMap((event) => (event.kind === 'ProviderCommand' ? [event.step.with] : [])),
    ).toEqual([{ step: 'actionscheckout' }, { step: 'actionscheckout2' }]);
  });

  test.each([
    ['steps', 'if', { if: "steps.x.outputs.y == '1'" }],
    ['job', 'if', { if: "job.status == 'success'" }],
    ['runner', 'if', { if: "runner.os == 'linux'" }],
    ['runner', 'runs-on', { 'runs-on': '${{ runner.os }}' }],
    ['needs', 'if', { if: "needs.other.result == 'success'" }],
    // Language 6.7: `job`: the status.
  ])('%s is not there for the %s of a job that has no use for it', (name, _, definition) => {
    const { log } = given(workflow({ a: job(['x'], definition) }));
    const errors = log.flatMap((event) => (event.kind === 'ExecutionError' ? [event.details] : []));
    const problem = name === 'needs' ? 'no entry "other"' : `Invalid segment ${name} `;
    expect(errors).toEqual([{ error: expect.stringContaining(problem) }]);
  });

  test('a provider gets them all, with what it was given', () => {
    const call = {
      id: 'call',
      uses: 'a/b@v1',
      with: { os: '${{ runner.os }}', list: ['${{ 1 == 1 }}'] },
    };
    const begin = workflow({ a: job([call]) }, { variables: { V: '${{ opentf.workflow }}' } });
    expect(given(begin, offer('a')).log.at(-1)).toMatchObject({
      kind: 'ProviderCommand',
      step: { id: 'call', uses: 'a/b@v1', with: { os: 'linux', list: [true] } },
      contexts: {
        variables: { V: 'demo' },
        runner: { os: 'linux', temp: '/tmp' },
        job: { status: 'success' },
        opentf: { workflow: 'demo', namespace: 'default', job: 'id-1' },
      },
    });
  });
});

test('failure() comes to an end where a log tells of jobs that need each other', () => {
  const { run } = given(
    workflow({
      a: job(['x'], { needs: 'b' }),
      b: job(['x'], { needs: 'a' }),
      c: job(['x'], { needs: 'a', if: 'failure()' }),
    }),
  );
  const ended = [...run.jobs].map(
    ([key, each]) => [key, { ...each, phase: 'COMPLETED', result: 'success' }] as const,
  );
  const actual = { ...run, jobs: new Map(ended) };
  const last = actual.jobs.get('c');
  const scope = last && conditionScope(actual, last, createDecisionBudget());
  expect(scope?.functions?.failure?.()).toBe(false);
});
