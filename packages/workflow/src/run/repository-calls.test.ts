// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Calls of workflows in repositories: a job fetches the file, the server reads it. */
import { formatTimestamp, type RunEvent, type WorkflowJob } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { decide } from './decide.ts';
import { emptyRun } from './run.ts';
import { given } from './testing/given.ts';
import {
  answer,
  bundle,
  cancel,
  executionError,
  generate,
  type Happening,
  job,
  minute,
  NOON_MS,
  offer,
  released,
  result,
  workflow,
} from './testing/inputs.ts';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const BLOB = '11111111-2222-3333-4444-555555555555';
const USES = 'shop/tests/a.yaml@v1';
const KEY = 'call/.download_job_call';

const repositories = [
  {
    name: 'shop',
    type: 'git',
    repository: 'team/shop',
    endpoint: 'https://u:${{ secrets.T }}@h.org',
  },
  { name: "o'clock", type: 'git', repository: 'o', endpoint: 'https://h.org' },
];

const begin = (call: WorkflowJob, more: Record<string, WorkflowJob> = {}, top = {}): Happening =>
  workflow(
    { call, ...more },
    {
      variables: { V: 'outer' },
      secrets: { T: 'secret' },
      resources: { repositories, files: ['b.yaml'] },
      metadata: { annotations: { 'tutti.files': { 'b.yaml': 'in_0' } } },
      ...top,
    },
  );

/** Results of the fetching function: its outputs, and the file. */
const fetchedBy = (
  key: string,
  outputs: Readonly<Record<string, string>> = { commit: COMMIT },
  status = 0,
): readonly Happening[] => [
  offer(key),
  answer(key, [{ id: 'fetch', run: 'git fetch' }], {
    outputs: {
      commit: '${{ steps.fetch.outputs.commit }}',
      problem: '${{ steps.fetch.outputs.problem }}',
    },
  }),
  result(key, status, {
    outputs,
    ...(status === 0
      ? { attachments: ['/a'], metadata: { attachments: { '/a': { uuid: BLOB } } } }
      : {}),
  }),
];

const fetched = (key = KEY): readonly Happening[] => [...fetchedBy(key), released(key)];

/** The server's event for the file. */
const read = (
  key: string,
  jobs: Record<string, WorkflowJob>,
  uses: Readonly<Record<string, string>> = {},
): Happening => {
  const of = { repository: 'shop', path: 'tests/a.yaml', ref: 'v1', commit: COMMIT, ...uses };
  return generate(key, jobs, {
    metadata: {
      'tutti.uses': { file: `${of.repository}/${of.path}@${of.ref}`, blob: BLOB, ...of },
      'tutti.called': { name: 'called', inputs: {}, variables: {}, defaults: {}, files: [] },
    },
  });
};

const refused = (key: string, ...problems: readonly string[]): Happening =>
  generate(
    key,
    {},
    { metadata: { 'tutti.uses': { file: USES, blob: BLOB }, 'tutti.problems': problems } },
  );

const logsOf = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) => (event.kind === 'Notification' ? (event.spec.logs ?? []) : []));

describe('a call of a workflow in a repository', () => {
  // Language 1.14: A job `.download_job_...` fetches it, whose step has the annotation `transient`.
  // Language 1.14: Where that job runs.
  test('is fetched by a job on an environment with the tags of the caller', () => {
    const { events, run } = given().when(begin({ uses: USES, 'runs-on': 'linux' }));
    expect(events.slice(1)).toMatchObject([
      {
        kind: 'Notification',
        spec: {
          'tutti.download': { bundle: 'call', repository: 'shop', path: 'tests/a.yaml', ref: 'v1' },
          logs: ['Fetching workflow "shop/tests/a.yaml@v1" for job "call"'],
        },
      },
      {
        kind: 'ExecutionCommand',
        metadata: { name: '.download_job_call', step_sequence_id: -1, 'tutti.job': KEY },
        'runs-on': ['linux'],
      },
    ]);
    const [notified, asked] = events.slice(1).map(({ metadata }) => metadata);
    expect(asked?.job_origin).toEqual([notified?.job_id]);
    expect(run.jobs.get('call')).toMatchObject({ phase: 'EXPANDED', jobId: notified?.job_id });
  });

  // Language 1.14: A job `.download_job_...` fetches it, whose step has the annotation `transient`.
  test('is fetched with the credentials of the resource, and without what hooks of the workflow do', () => {
    const hooks = [
      { name: 'a', events: [{ channel: 'setup' as const }], before: [{ run: 'hook' }] },
      { name: 'b', events: [{ category: '_' }], before: [{ run: 'hook' }] },
    ];
    const started = given(begin({ uses: USES }, {}, { hooks }));
    const { events } = started.when(offer(KEY));
    expect(events[1]).toMatchObject({
      kind: 'ProviderCommand',
      step: {
        uses: 'tutti/fetch-file@v1',
        with: {
          repository: { repository: 'team/shop', endpoint: 'https://u:secret@h.org' },
          path: 'tests/a.yaml',
          ref: 'v1',
        },
      },
    });
    const asked = given(begin({ uses: USES }, {}, { hooks }), offer(KEY));
    const { events: commands } = asked.when(answer(KEY, [{ id: 'fetch', run: 'git fetch' }]));
    expect(commands[1]).toMatchObject({
      scripts: ['git fetch'],
      metadata: { annotations: { transient: true } },
      variables: { V: 'outer' },
    });
  });

  test.each<[string, unknown, string | undefined]>([
    ["o'clock/a.yaml", { repository: 'o' }, undefined],
    ['https://h.org/x.git/a.yaml@main', 'https://h.org/x.git', 'main'],
    ['${{ resources.repositories.shop }}/a.yaml@${{ variables.V }}', { name: 'shop' }, 'outer'],
    ["${{ resources.repositories['shop'].name }}/a.yaml", undefined, undefined],
  ])('%s names the repository', (uses, repository, ref) => {
    const start = given().when(begin({ uses }));
    if (repository === undefined) {
      expect(start.events[1]?.kind).toBe('ExecutionError');
      return;
    }
    const { events } = given(begin({ uses })).when(offer(KEY));
    expect(events[1]).toMatchObject({ step: { with: { path: 'a.yaml' } } });
    const inputs = events[1]?.kind === 'ProviderCommand' ? events[1].step.with : {};
    expect(inputs).toMatchObject({ repository });
    expect(Object(inputs).ref).toBe(ref);
  });

  test('is read by the server at the commit that was fetched, with evaluated inputs', () => {
    const call = { uses: USES, with: { x: '${{ variables.V }}!' } };
    const { events, run } = given(begin(call), ...fetchedBy(KEY)).when(released(KEY));
    expect(events[1]).toMatchObject({
      kind: 'GeneratorCommand',
      metadata: {
        name: 'call',
        job_id: run.jobs.get('call')?.jobId,
        labels: { 'example.org/category': '.uses' },
        'tutti.uses': {
          file: USES,
          blob: BLOB,
          repository: 'shop',
          path: 'tests/a.yaml',
          ref: 'v1',
          commit: COMMIT,
        },
      },
      with: { x: 'outer!' },
    });
    expect(run.jobs.get('call')?.phase).toBe('GENERATING');
  });

  // Language 1.14: A job `.download_job_...` fetches it, whose step has the annotation `transient`.
  test('gets the jobs of the workflow in the place of the one that fetched it', () => {
    const { run } = given(
      begin({ uses: USES }),
      ...fetched(),
      read('call', { a: job(['x'], { outputs: { o: '1' } }) }),
      offer('call/a'),
      result('call/a'),
      released('call/a'),
    );
    expect(run.phase).toBe('DONE');
    expect(run.jobs.get('call')).toMatchObject({
      result: 'success',
      bundle: { children: ['call/a'], download: null },
    });
  });

  test('counts for the jobs that run at one time, and for those of the run', () => {
    const call: WorkflowJob = { uses: USES };
    const limited = { strategy: { 'max-parallel': 1 } };
    given()
      .when(begin(call, { other: job(['x']) }, limited))
      .follows(
        'workflow demo',
        'note log notification',
        'request other on linux',
        `waits ${KEY}: max-parallel`,
      );
    const many = Object.fromEntries(Array.from({ length: 1022 }, (_, n) => [`j${n}`, job(['x'])]));
    const needing = { ...call, needs: 'first' };
    const full = given(
      begin(needing, { first: job(['x']), ...many }),
      offer('first'),
      result('first'),
    );
    const { events } = full.when(released('first'));
    expect(events[1]).toMatchObject({
      details: { error: 'jobs.call: The run would have 1025 jobs; at most 1024 are possible.' },
    });
  });
});

test('an operator says which environments fetch workflows, besides those who call', () => {
  const ids = ['1', '2', '3', '4', '5'];
  const input = begin({ uses: USES, 'runs-on': ['linux', 'git'] }, { other: job(['x']) }).input(
    emptyRun,
    NOON_MS,
  );
  const decision = decide(emptyRun, input, {
    at: formatTimestamp(NOON_MS),
    newId: () => ids.pop() ?? 'none',
    downloadTags: ['git', 'lan'],
  });
  const requests = decision.outcome === 'accepted' ? decision.events.slice(2) : [];
  expect(requests).toMatchObject([
    { metadata: { name: 'other' }, 'runs-on': ['linux'] },
    { metadata: { name: '.download_job_call' }, 'runs-on': ['linux', 'git', 'lan'] },
  ]);
});

describe('workflows from repositories', () => {
  const inside = (call: WorkflowJob) => [
    begin({ uses: USES }),
    ...fetched(),
    read('call', { call }),
  ];
  const KEY_INSIDE = 'call/call/.download_job_call';

  test('call others of their repository at the same commit', () => {
    const { run } = given(...inside({ uses: './parts/b.yaml' }));
    expect(run.jobs.get('call/call')?.bundle?.download).toMatchObject({
      repository: 'shop',
      path: 'parts/b.yaml',
      ref: COMMIT,
      job: KEY_INSIDE,
    });
  });

  test('call files that came with the run, and workflows in other repositories', () => {
    const { run } = given(...inside({ uses: './b.yaml' }));
    expect(run.jobs.get('call/call')).toMatchObject({ phase: 'GENERATING' });
    const other = given(...inside({ uses: "o'clock/b.yaml" }));
    expect(other.run.jobs.get(KEY_INSIDE)?.phase).toBe('REQUESTED');
  });

  test.each([
    ['./tests/a.yaml', `shop/tests/a.yaml@${COMMIT}`],
    ['shop/tests/a.yaml@v1', 'shop/tests/a.yaml@v1'],
    [`shop/tests/a.yaml@${COMMIT}`, `shop/tests/a.yaml@${COMMIT}`],
  ])('cannot call themselves: %s', (uses, name) => {
    const { log } = given(...inside({ uses }));
    const errors = log.flatMap((event) => (event.kind === 'ExecutionError' ? event.details : []));
    const error = `jobs.call/call: Workflows call themselves: "shop/tests/a.yaml@v1" calls "${name}".`;
    expect(errors).toEqual([{ error }]);
  });

  test.each([
    ['./../x.yaml', '"./../x.yaml" cannot be called: it is no path of a file.'],
    ['./parts/', '"./parts/" cannot be called: it is no path of a file.'],
    ['nowhere/x.yaml', '"nowhere/x.yaml" cannot be called: "nowhere" is no repository of the'],
    [
      'https://user:token@h.org/x.git/x.yaml',
      '"https://***@h.org/x.git/x.yaml" cannot be called: credentials in an address would be shown',
    ],
    ['shop/x.yaml@-x', '"shop/x.yaml@-x" cannot be called: "-x" is no branch, tag or commit.'],
  ])('cannot call %s', (uses, message) => {
    const { log } = given(...inside({ uses }));
    const [error] = log.filter(({ kind }) => kind === 'ExecutionError');
    expect(error).toMatchObject({ details: { error: expect.stringContaining(message) } });
  });

  // Bound: Calls within calls.
  test('call each other ten deep at most', () => {
    const happened = [begin({ uses: USES }), ...fetched()];
    let key = 'call';
    for (let depth = 0; depth < 10; depth += 1) {
      const next = { call: { uses: `./x${depth}.yaml` } };
      happened.push(read(key, next, { path: `x${depth - 1}.yaml`, ref: COMMIT }));
      key = `${key}/call`;
      if (depth < 9) happened.push(...fetched(`${key}/.download_job_call`));
    }
    const { log } = given(...happened);
    expect(log.find(({ kind }) => kind === 'ExecutionError')).toMatchObject({
      details: { error: expect.stringContaining('call each other more than 10 deep') },
    });
  });
});

describe('a call that cannot be fetched is a failure of the job', () => {
  test.each<[string, Readonly<Record<string, string>>, string]>([
    [
      'git',
      { problem: 'git' },
      'workflow "shop/tests/a.yaml@v1" was to be fetched where git cannot be run. Install git on all environments with the tags linux, or give the job "runs-on" of those that have it.',
    ],
    [
      'the repository',
      { problem: 'repository' },
      'repository "shop" at v1 cannot be fetched. The log has what git says; check that there is such a branch, tag or commit, that the endpoint of the repository is right, and that its credentials may read it.',
    ],
    [
      'the file',
      { problem: 'file' },
      'there is no file "tests/a.yaml" in repository "shop" at v1. The path begins at the root of the repository; links are not followed.',
    ],
    [
      'nobody knows what',
      { problem: '$(x)' },
      'workflow "shop/tests/a.yaml@v1" could not be fetched. The log of job ".download_job_call" says why.',
    ],
  ])('for %s', (_, outputs, why) => {
    const call = { uses: USES, 'runs-on': 'linux' };
    const { events } = given(begin(call), ...fetchedBy(KEY, outputs, 1)).when(released(KEY));
    expect(logsOf(events)).toEqual([`Job "call" failed: ${why}`]);
    expect(events.at(-1)).toMatchObject({ details: { reason: 'Job "call" failed.' } });
  });

  test('for an environment that gives no file, or no commit', () => {
    for (const outputs of [{}, { commit: 'HEAD' }]) {
      const { run } = given(begin({ uses: USES }), ...fetchedBy(KEY, outputs), released(KEY));
      expect(run.jobs.get('call')?.result).toBe('failure');
    }
  });

  test('for a workflow that is not valid, whose problems are told', () => {
    given(
      begin({ uses: USES }, { after: job(['x'], { needs: 'call', if: 'always()' }) }),
      ...fetched(),
    )
      .when(refused('call', 'one\ntwo'))
      .follows('ended call: failure', 'request after on linux');
    const { events } = given(begin({ uses: USES }), ...fetched()).when(refused('call', 'one\ntwo'));
    expect(logsOf(events)).toEqual([
      `Job "call" failed: workflow "${USES}" cannot be called:\none\ntwo`,
    ]);
    const { run } = given(
      begin({ uses: USES, 'continue-on-error': true }),
      ...fetched(),
      refused('call', 'x'),
    );
    expect(run.phase).toBe('DONE');
  });

  test('for jobs that the run cannot take', () => {
    const { events } = given(begin({ uses: USES }), ...fetched()).when(
      read('call', { a: job(['x'], { needs: 'nobody' }) }),
    );
    expect(logsOf(events)).toEqual([
      expect.stringContaining('cannot be called: jobs.a.needs: Job "a" has a dependency on job'),
    ]);
  });

  test('but inputs that cannot be evaluated are an error of the run, before anything is fetched', () => {
    const call = { uses: USES, with: { x: '${{ fromJSON(variables.V) }}' } };
    const { events } = given().when(begin(call));
    expect(events[1]).toMatchObject({ kind: 'ExecutionError' });
  });
});

describe('while a workflow is fetched', () => {
  test('a cancellation ends the job that fetches it, and with it the call', () => {
    const running = [begin({ uses: USES }), offer(KEY)];
    given(begin({ uses: USES }))
      .when(cancel())
      .follows(
        'cancel',
        `ended ${KEY}: cancelled`,
        'ended call: cancelled',
        'canceled {"status":"cancelled"}',
      );
    const { run } = given(
      ...running,
      answer(KEY, [{ run: 'git' }]),
      cancel(),
      result(KEY, 143),
      released(KEY),
    );
    expect(run).toMatchObject({ phase: 'FAILED' });
    expect(run.jobs.get('call')?.result).toBe('cancelled');
  });

  test('a file that comes after a cancellation is not read', () => {
    const { events } = given(
      begin({ uses: USES }),
      offer(KEY),
      answer(KEY, [{ id: 'fetch', run: 'git', if: 'always()' }]),
      cancel(),
      result(KEY, 0, { outputs: { commit: COMMIT } }),
    ).when(released(KEY));
    expect(events.map(({ kind }) => kind)).toEqual([
      'ExecutionResult',
      'Notification',
      'WorkflowCanceled',
    ]);
  });

  test('a call is stopped whether its workflow is fetched or read, also one that is to run always', () => {
    const call = { uses: USES, if: 'always()' };
    for (const happened of [[], fetched()]) {
      const { run } = given(begin(call), ...happened, cancel());
      expect(run.jobs.get('call')?.result).toBe('cancelled');
    }
  });

  test('a call that is to run always is fetched after a cancellation, too', () => {
    const call = { uses: USES, if: 'always()', needs: 'first' };
    const happened = [
      begin(call, { first: job(['x']) }),
      offer('first'),
      cancel(),
      result('first', 143),
      released('first'),
    ];
    expect(given(...happened).run.jobs.get(KEY)?.phase).toBe('REQUESTED');
    const { run } = given(...happened, ...fetched());
    expect(run.jobs.get('call')?.phase).toBe('GENERATING');
  });

  test('the time limit of the call counts', () => {
    const call = { uses: USES, 'timeout-minutes': 20 };
    given(begin(call))
      .when(minute(20))
      .follows(
        'overtime',
        `ended ${KEY}: cancelled`,
        'ended call: cancelled',
        'canceled {"reason":"Job \\"call\\" failed."}',
      );
    const late = given(begin(call), ...fetched(), read('call', { a: job(['x']) })).when(minute(20));
    expect(late.events[0]).toMatchObject({
      spec: { logs: ['Job "call" canceled: it ran longer than 20 minutes.'] },
    });
    const slow = given(begin(call), minute(8), ...fetched(), read('call', { a: job(['x']) }));
    expect(slow.when(minute(19)).events).toEqual([]);
    expect(slow.when(minute(20)).events).toHaveLength(late.events.length);
    const unread = given(begin(call), ...fetched()).when(minute(20));
    expect(logsOf(unread.events)).toEqual([
      `Job "call" failed: workflow "${USES}" gave no answer within 20 minutes.`,
    ]);
  });

  test('the function may take ten minutes', () => {
    const running = given(
      begin({ uses: USES }),
      offer(KEY),
      answer(KEY, [{ id: 'fetch', run: 'git' }]),
    );
    running.when(minute(10)).follows('overtime fetch', 'stop fetch: timeout');
  });

  test('an error of the function ends the run', () => {
    const { run } = given(
      begin({ uses: USES }),
      offer(KEY),
      executionError('no', KEY),
      released(KEY),
    );
    expect(run.phase).toBe('FAILED');
  });

  test('nobody else can give the jobs', () => {
    given(begin({ uses: USES }), offer(KEY))
      .when(read('call', { a: job(['x']) }))
      .refuses('no generator is waited for at this job');
    given(begin({ uses: USES }), ...fetched())
      .when(generate('call', { a: job(['x']) }))
      .refuses('no generator is waited for at this job');
  });

  test('a failure beside it stops it, where the bundle wants that', () => {
    const jobs = { call: { uses: USES }, other: job(['x']) };
    const { run } = given(
      workflow(
        { b: bundle(jobs, { strategy: { 'fail-fast': true } }) },
        { resources: { repositories }, secrets: { T: 'secret' } },
      ),
      offer('b/other'),
      result('b/other', 1),
      released('b/other'),
    );
    expect(run.jobs.get('b/call')?.result).toBe('cancelled');
    expect(run.jobs.get('b')?.result).toBe('failure');
  });
});

test('each job of a matrix fetches what it calls', () => {
  const call: WorkflowJob = {
    strategy: { matrix: { ref: ['v1', 'v2'] } },
    uses: 'shop/a.yaml@${{ matrix.ref }}',
  };
  const { run } = given(begin(call));
  const refs = [...run.jobs.values()].flatMap(({ bundle: each }) => each?.download?.ref ?? []);
  expect(refs).toEqual(['v1', 'v2']);
});
