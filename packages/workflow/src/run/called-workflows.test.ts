// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Bundles whose jobs are those of another workflow, and the outputs of workflows. */
import type { RunEvent, WorkflowJob, WorkflowManifest } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { given } from './testing/given.ts';
import {
  answer,
  cancel,
  executionError,
  generate,
  type Happening,
  job,
  minute,
  offer,
  released,
  result,
  workflow,
} from './testing/inputs.ts';

const files = { 'tutti.files': { 'a.yaml': 'in_0', 'b.yaml': 'in_1' } };
const begin = (
  call: WorkflowJob,
  more: Record<string, WorkflowJob> = {},
  manifest: Partial<WorkflowManifest> = {},
) =>
  workflow(
    { call, ...more },
    {
      ...manifest,
      variables: { W: 'outer', V: 'outer' },
      resources: { files: ['a.yaml', 'b.yaml'] },
      metadata: { annotations: { ...files, 'tutti.inputs': { x: 'of the run' } } },
    },
  );

/** The server's event for a file that it read. */
const read = (
  key: string,
  jobs: Record<string, WorkflowJob>,
  more: {
    readonly file?: string;
    readonly called?: Readonly<Record<string, unknown>>;
    readonly outputs?: Readonly<Record<string, unknown>>;
  } = {},
): Happening => {
  const { file = 'a.yaml', called = {}, ...rest } = more;
  const actual = { name: 'called', inputs: {}, variables: {}, defaults: {}, files: [], ...called };
  return generate(key, jobs, {
    ...rest,
    metadata: { 'tutti.uses': { file, blob: 'in_0' }, 'tutti.called': actual },
  });
};

const textsOf = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.kind === 'ExecutionCommand' ? event.scripts : []));

describe('a call of a workflow', () => {
  // Language 1.14: The called workflow is fetched, and its jobs come under the category `.uses`.
  test('asks the server for the file, with evaluated inputs', () => {
    const { events } = given().when(begin({ uses: './a.yaml', with: { x: '${{ inputs.x }}!' } }));
    expect(events[1]).toMatchObject({
      kind: 'GeneratorCommand',
      metadata: {
        name: 'call',
        labels: { 'example.org/category': '.uses' },
        'tutti.uses': { file: 'a.yaml', blob: 'in_0' },
      },
      generator: '.uses',
      with: { x: 'of the run!' },
    });
  });

  // Language 1.14: The form of the reference.
  test('may name the file by an expression', () => {
    for (const uses of ['${{ resources.files.b }}', '${{ variables.F }}', './${{ variables.F }}']) {
      const { events } = given().when(
        workflow(
          { call: { uses: uses.replace('files.b', "files['b.yaml']") } },
          {
            variables: { F: 'b.yaml' },
            resources: { files: ['b.yaml'] },
            metadata: { annotations: files },
          },
        ),
      );
      expect(events[1]).toMatchObject({
        metadata: { 'tutti.uses': { file: 'b.yaml', blob: 'in_1' } },
      });
    }
  });

  // Language 1.14: The called workflow is fetched, and its jobs come under the category `.uses`.
  test('gets the jobs of the workflow, with its inputs, variables and defaults, and the tags of the caller', () => {
    const called = {
      inputs: { x: 'given' },
      variables: { V: 'called ${{ inputs.x }}', C: '${{ variables.W }}' },
      defaults: { run: { shell: 'python' } },
      files: ['data'],
    };
    const a = job(['echo ${{ inputs.x }} ${{ variables.V }} ${{ resources.files.data }}'], {
      'runs-on': 'node',
    });
    const started = given(
      begin({
        uses: './a.yaml',
        'runs-on': 'linux',
        variables: { V: 'caller ${{ inputs.x }}', D: '${{ inputs.x }}' },
        defaults: { run: { shell: 'bash', 'working-directory': 'd' } },
      }),
      read('call', { a }, { called }),
    ).when(offer('call/a'));
    expect(started.events[1]).toMatchObject({
      'runs-on': ['node', 'linux'],
      scripts: ['echo given called given data'],
      shell: 'python',
      'working-directory': 'd',
      variables: { W: 'outer', V: 'called given', C: 'outer', D: 'of the run' },
    });
  });

  test('has none of the defaults around the job that calls', () => {
    const defaults = { run: { shell: 'python', 'working-directory': 'w' } };
    const { when } = given(
      workflow(
        { call: { uses: './a.yaml' } },
        { defaults, resources: { files: ['a.yaml'] }, metadata: { annotations: files } },
      ),
      read('call', { a: job(['x']) }),
    );
    const [, command] = when(offer('call/a')).events;
    expect(command).toMatchObject({ scripts: ['x'] });
    expect(command).not.toHaveProperty('shell');
    expect(command).not.toHaveProperty('working-directory');
  });

  test('has tags of its own for jobs without, beside those of the job that calls', () => {
    const steps = [{ run: 'x' }];
    const jobs = { a: { steps }, b: { 'runs-on': 'node', steps } };
    const tagsFor = (call: WorkflowJob, manifest: Partial<WorkflowManifest>) => {
      const called = { defaults: { 'runs-on': 'java' } };
      const begun = given(begin({ uses: './a.yaml', ...call }, {}, manifest));
      const { events } = begun.when(read('call', jobs, { called }));
      return events.flatMap((each) => (each.kind === 'ExecutionCommand' ? [each['runs-on']] : []));
    };
    expect(tagsFor({ 'runs-on': 'linux' }, {})).toEqual([
      ['java', 'linux'],
      ['node', 'linux'],
    ]);
    expect(tagsFor({}, { defaults: { 'runs-on': 'ssh' } })).toEqual([
      ['java', 'ssh'],
      ['node', 'ssh'],
    ]);
  });

  test('gives the outputs of the workflow, evaluated in it', () => {
    const a = job(['x'], { outputs: { o: 'one' } });
    const outputs = {
      text: '${{ jobs.a.outputs.o }} ${{ inputs.x }} ${{ variables.V }}',
      long: { value: '${{ jobs.a.result }}' },
    };
    const { run } = given(
      begin({ uses: './a.yaml', variables: { V: 'caller' } }),
      read(
        'call',
        { a },
        { outputs, called: { inputs: { x: 'given' }, variables: { V: 'called' } } },
      ),
      offer('call/a'),
      result('call/a'),
      released('call/a'),
    );
    expect(run.jobs.get('call')?.outputs).toEqual({ text: 'one given called', long: 'success' });
  });

  test('may call further workflows, but not one that is being called', () => {
    const inner = {
      call: { uses: './b.yaml' },
      again: { uses: './a.yaml', needs: 'call', if: 'always()' },
    };
    const nested = given(begin({ uses: './a.yaml' }), read('call', { call: { uses: './b.yaml' } }));
    expect(nested.run.jobs.get('call/call')?.phase).toBe('GENERATING');
    const { events } = given(begin({ uses: './a.yaml' })).when(
      read('call', { again: inner.again, call: job(['x']) }),
    );
    expect(events[1]?.kind).toBe('ExecutionCommand');
    given(begin({ uses: './a.yaml' }))
      .when(read('call', { again: { uses: './a.yaml' } }))
      .follows(
        'expand call: again',
        'error jobs.call/again: Workflows call themselves: "a.yaml" calls "a.yaml".',
        'ended call/again: cancelled',
        'ended call: cancelled',
        `canceled ${JSON.stringify({ reason: 'jobs.call/again: Workflows call themselves: "a.yaml" calls "a.yaml".' })}`,
      );
  });

  test('is an error after ten others', () => {
    const names = Array.from({ length: 11 }, (_, n) => `f${n}`);
    const annotations = { 'tutti.files': Object.fromEntries(names.map((name) => [name, name])) };
    const happened: Happening[] = [
      workflow({ c: { uses: './f0' } }, { metadata: { annotations } }),
    ];
    let key = 'c';
    for (let depth = 0; depth < 10; depth += 1) {
      happened.push(read(key, { c: { uses: `./f${depth + 1}` } }, { file: `f${depth}` }));
      key = `${key}/c`;
    }
    const { log } = given(...happened);
    const error = log.find(({ kind }) => kind === 'ExecutionError');
    expect(error).toMatchObject({
      details: { error: expect.stringContaining('Workflows call each other more than 10 deep.') },
    });
  });

  test('of a file that is not with the run is an error', () => {
    const { events } = given().when(begin({ uses: './c.yaml' }));
    expect(events[1]).toMatchObject({
      details: { error: 'jobs.call: There is no file "c.yaml" with the run that could be called.' },
    });
  });

  test('is answered by the server alone, and a generator by plugins alone', () => {
    const why = 'no generator is waited for at this job';
    given(begin({ uses: './a.yaml' }))
      .when(generate('call', { a: job(['x']) }))
      .refuses(why);
    given(begin({ generator: 'a/b' }))
      .when(read('call', { a: job(['x']) }))
      .refuses(why);
  });

  test('that cannot be answered ends the run', () => {
    given(begin({ uses: './a.yaml' }))
      .when(executionError('no', 'call'))
      .follows('error no', 'ended call: cancelled', 'canceled {"reason":"no"}');
    const late = given(begin({ uses: './a.yaml', 'timeout-minutes': 1 })).when(minute(1));
    expect(late.events[0]).toMatchObject({
      spec: { logs: ['Job "call" failed: workflow "./a.yaml" gave no answer within 1 minute.'] },
    });
  });

  test('may be in a matrix, whose values are inputs', () => {
    const call: WorkflowJob = {
      strategy: { matrix: { site: ['eu', 'us'] } },
      uses: './a.yaml',
      with: { x: '${{ matrix.site }}' },
    };
    const { events, run } = given().when(begin(call));
    expect(events.slice(2)).toMatchObject([{ with: { x: 'eu' } }, { with: { x: 'us' } }]);
    expect(run.jobs.get('call/call-eu')?.bundle?.category).toBe('uses');
  });
});

describe('settings of a called workflow for all of its jobs', () => {
  const limited = (called: Readonly<Record<string, unknown>>, call: WorkflowJob = {}) =>
    given(begin({ uses: './a.yaml', ...call })).when(
      read('call', { a: job(['x']), b: job(['y']) }, { called }),
    );

  test('bounds how many of them run at one time, beside what the caller says', () => {
    const strategy = { 'max-parallel': '${{ inputs.n }}' };
    limited({ strategy, inputs: { n: 1 } }).follows(
      'expand call: a b',
      'request a on linux',
      'waits call/b: max-parallel',
    );
    const { run } = limited(
      { strategy: { 'max-parallel': 7 } },
      { strategy: { 'max-parallel': 3 } },
    );
    expect(run.jobs.get('call')?.bundle?.set.maxParallel).toBe(3);
  });

  test('stops them when one fails', () => {
    const { events } = given(
      begin({ uses: './a.yaml' }),
      read(
        'call',
        { a: job(['x']), b: job(['y']) },
        { called: { strategy: { 'fail-fast': '${{ 1 == 1 }}' } } },
      ),
      offer('call/a'),
    ).when(result('call/a', 1));
    expect(events).toContainEqual(
      expect.objectContaining({ spec: expect.objectContaining({ 'tutti.halted': 'call' }) }),
    );
  });

  test('bounds how long they take, from when they come', () => {
    const called = { 'timeout-minutes': 10 };
    const begun = (call: WorkflowJob) =>
      given(
        begin({ uses: './a.yaml', ...call }),
        minute(5),
        read('call', { a: job(['x']) }, { called }),
      );
    expect(begun({}).when(minute(14)).events).toEqual([]);
    expect(begun({}).when(minute(15)).events[0]).toMatchObject({
      spec: { logs: ['Job "call" canceled: it ran longer than 10 minutes.'] },
    });
    expect(begun({ 'timeout-minutes': 6 }).when(minute(11)).events[0]).toMatchObject({
      spec: { logs: ['Job "call" canceled: it ran longer than 6 minutes.'] },
    });
  });

  test('that cannot be evaluated is an error', () => {
    const { events } = limited({ 'timeout-minutes': '${{ inputs.n }}', inputs: { n: 'x' } });
    expect(events[0]).toMatchObject({
      kind: 'ExecutionError',
      details: { error: expect.stringContaining('timeout-minutes: Expected a number of minutes') },
    });
  });
});

test('hooks of a called workflow are around its jobs, within those of the workflow that is started', () => {
  const hook = (name: string) => ({
    name,
    events: [{ channel: 'setup' }, { category: '_' }],
    after: [{ run: `hook ${name}` }],
  });
  const hooks = [hook('outer')] as NonNullable<WorkflowManifest['hooks']>;
  const started = workflow(
    { call: { uses: './a.yaml' }, other: job(['other']) },
    {
      hooks,
      resources: { files: ['a.yaml'] },
      metadata: { annotations: files },
    },
  );
  const steps = [{ uses: 'x/y' }];
  const { log } = given(
    started,
    read('call', { a: job(steps) }, { called: { hooks: [hook('inner')] } }),
    offer('call/a'),
    result('call/a'),
    result('call/a'),
    answer('call/a', [{ run: 'nested' }]),
    result('call/a'),
    result('call/a'),
    result('call/a'),
    offer('other'),
    result('other'),
  );
  expect(textsOf(log)).toEqual([
    'hook inner',
    'hook outer',
    'nested',
    'hook inner',
    'hook outer',
    'hook outer',
    'other',
  ]);
});

describe('the outputs of a workflow', () => {
  const outputs = {
    text: '${{ jobs.a.outputs.o }} ${{ variables.V }} ${{ inputs.x }}',
    long: { description: 'd', value: '${{ jobs.b.result }}' },
  };
  const more = {
    outputs,
    variables: { V: 'v' },
    metadata: { annotations: { 'tutti.inputs': { x: 'y' } } },
  };
  const jobs = { a: job(['x'], { outputs: { o: 'one' } }), b: job(['y'], { needs: 'a' }) };
  const a = [workflow(jobs, more), offer('a'), result('a'), released('a')] as const;

  test('are in the event at its end', () => {
    const { events } = given(...a, offer('b'), result('b')).when(released('b'));
    expect(events.at(-1)).toMatchObject({
      kind: 'WorkflowCompleted',
      outputs: { text: 'one v y', long: 'success' },
    });
  });

  test('are there after a failure and a cancellation, too', () => {
    const failed = given(...a, offer('b'), result('b', 1)).when(released('b'));
    expect(failed.events.at(-1)).toMatchObject({
      kind: 'WorkflowCanceled',
      outputs: { long: 'failure' },
    });
    const canceled = given(workflow(jobs, more)).when(cancel());
    expect(canceled.events.at(-1)).toMatchObject({ outputs: { text: ' v y', long: 'cancelled' } });
  });

  test('that cannot be evaluated are an error of the run', () => {
    const broken = { outputs: { o: '${{ jobs.nobody.outputs.x }}' } };
    const { events } = given(workflow({ a: job(['x']) }, broken), offer('a'), result('a')).when(
      released('a'),
    );
    expect(events.slice(1)).toMatchObject([
      { kind: 'ExecutionError', details: { error: expect.stringMatching(/^outputs: /) } },
      { kind: 'WorkflowCanceled', details: { reason: expect.stringMatching(/^outputs: /) } },
    ]);
    expect(events.at(-1)).not.toHaveProperty('outputs');
  });
});

test('the scripts of called workflows see neither what the caller needs nor its matrix', () => {
  const first = job(['x']);
  const call: WorkflowJob = { uses: './a.yaml', needs: 'first' };
  const { events } = given(
    begin(call, { first }),
    offer('first'),
    result('first'),
    released('first'),
    read('call', { a: job(['${{ needs.first.result }}']) }),
  ).when(offer('call/a'));
  expect(textsOf(events)).toEqual([]);
  expect(events[1]?.kind).toBe('ExecutionError');
});
