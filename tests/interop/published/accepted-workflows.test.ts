// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Workflows that a toolkit accepts, and that were refused here once. */
import { afterAll, beforeAll, expect } from 'vitest';
import { bodyOf, detailsOf } from '../../support/api.ts';
import {
  allEvents,
  ended,
  logTexts,
  type Manifest,
  oneJob,
  only,
  sh,
  start,
} from '../../support/runs.ts';
import { type ServerChild, Workbench } from '../../support/workbench.ts';
import { type FeatureRun, featuresOf } from '../feature.ts';
import type { Subject } from '../subjects.ts';
import { PUBLISHED_AREA } from './area.ts';
import { PublishedProgram } from './published-program.ts';

let bench: Workbench;
let server: ServerChild;
const feature = featuresOf(PUBLISHED_AREA);

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  await Promise.all(['one', 'two'].map((name) => bench.agent(server, { tags: ['linux'], name })));
});

afterAll(() => bench.close());

const toolkitOf = (run: FeatureRun<Subject>) => new PublishedProgram(run, bench.path('toolkit'));

/** The lines of a run of a workflow that the toolkit accepts. */
async function linesOf(run: FeatureRun<Subject>, workflow: Manifest): Promise<readonly string[]> {
  expect(await toolkitOf(run).problems([workflow])).toEqual([null]);
  const id = await start(server, workflow);
  expect(await ended(server, id)).toBe('DONE');
  return (await logTexts(server, id)).map((text) => text.trim());
}

feature(
  'accepts outputs of jobs and workflows with and without descriptions, which later jobs read',
  async (run) => {
    const outputs = (value: string) => ({ plain: value, described: { description: 'd', value } });
    const read = (job: string) => `\${{ ${job}.outputs.plain }} \${{ ${job}.outputs.described }}`;
    const workflow = {
      metadata: { name: run.id },
      jobs: {
        first: { 'runs-on': 'linux', steps: [sh('echo')], outputs: outputs('${{ job.status }}') },
        inside: {
          jobs: { job: { 'runs-on': 'linux', steps: [sh('echo')], outputs: outputs('in') } },
          outputs: outputs(read('jobs.job')),
        },
        last: {
          'runs-on': 'linux',
          needs: ['first', 'inside'],
          steps: [sh(`echo "read ${read('needs.first')}, ${read('needs.inside')}"`)],
        },
      },
      outputs: outputs(read('jobs.first')),
    };
    const id = await start(server, workflow);
    expect(await toolkitOf(run).problems([workflow])).toEqual([null]);
    expect(await ended(server, id)).toBe('DONE');
    const lines = (await logTexts(server, id)).map((text) => text.trim());
    expect(lines).toContain('read success success, in in in in');
    const [end] = only(await allEvents(server, id), 'WorkflowCompleted');
    expect(end?.outputs).toEqual({ plain: 'success success', described: 'success success' });
  },
);

const NAMES = ['build all', 'a/b', 'é.1', "o'clock", '2'];
const inBrackets = (name: string) => `['${name.replaceAll("'", "''")}']`;

feature(
  'accepts steps and outputs of any name, which expressions read in brackets',
  async (run) => {
    const texts = NAMES.map((name) => `read \${{ steps${inBrackets(name)}.outputs.word }}`);
    const steps = Object.fromEntries(NAMES.map((name) => [name, { outputs: { word: name } }]));
    const values = await toolkitOf(run).values(texts, { steps });
    const said = NAMES.map((id) => sh(`echo "::set-output name=word::${id}"`, { id }));
    const outputs = NAMES.map(
      (name) => [name, `\${{ steps${inBrackets(name)}.outcome }}`] as const,
    );
    const ofJob = NAMES.map((name) => `\${{ needs.first.outputs${inBrackets(name)} }}`);
    const workflow = {
      metadata: { name: run.id },
      jobs: {
        first: {
          'runs-on': 'linux',
          steps: [...said, ...texts.map((text) => sh(`echo "${text}"`))],
          outputs: Object.fromEntries(outputs),
        },
        last: { 'runs-on': 'linux', needs: 'first', steps: [sh(`echo "all ${ofJob.join(' ')}"`)] },
      },
    };
    const lines = await linesOf(run, workflow);
    for (const { value } of values) expect(lines).toContain(value);
    expect(lines).toContain(`all ${NAMES.map(() => 'success').join(' ')}`);
  },
);

const READS = [
  'needs.first.outputs.undeclared',
  'needs.first.nope',
  'inputs.undeclared',
  'opentf.zz',
  "opentf['zz']",
  'steps.before.outputs.none',
  'steps.before.nope',
  'resources.files.none',
];

feature('evaluates unknown names to empty texts, as runs do', async (run) => {
  const texts = READS.map((path, index) => `${index} [\${{ ${path} }}]`);
  const contexts = {
    needs: { first: { result: 'success', outputs: {} } },
    inputs: {},
    opentf: { workflow: run.id },
    steps: { before: { outputs: {}, outcome: 'success', conclusion: 'success' } },
    resources: { files: {} },
  };
  const values = await toolkitOf(run).values(texts, contexts);
  const workflow = {
    metadata: { name: run.id },
    jobs: {
      first: { 'runs-on': 'linux', steps: [sh('echo')] },
      second: {
        'runs-on': 'linux',
        needs: 'first',
        steps: [sh('echo', { id: 'before' }), ...texts.map((text) => sh(`echo "${text}"`))],
      },
    },
  };
  const lines = await linesOf(run, workflow);
  for (const { value } of values) expect(lines).toContain(value);
  const shownBy = detailsOf(
    await server.call('POST', '/workflows', { body: workflow, query: 'dryRun' }),
  );
  // Which outputs a step sets is not known before.
  expect(shownBy.warnings).toHaveLength(READS.length - 1);
  for (const warning of [shownBy.warnings].flat()) expect(lines).toContain(`WARNING,${warning}`);
});

feature(
  'accepts hooks with events of channels and functions, which run around both',
  async (run) => {
    const events = [
      { channel: 'setup' },
      { channel: 'teardown', categoryPrefix: 'actions' },
      { category: 'touch-file', categoryPrefix: '_' },
    ];
    const hook = { name: 'h', events, before: [sh('echo "before"')], after: [sh('echo "after"')] };
    const steps = [{ uses: 'actions/touch-file@v1', with: { path: 'x' } }, sh('echo "own"')];
    const lines = await linesOf(run, { ...oneJob(run.id, steps), hooks: [hook] });
    const words = lines.filter((line) => ['before', 'after', 'own'].includes(line));
    const around = ['before', 'after'];
    expect(words).toEqual([...around, ...around, 'own', ...around]);
  },
);

const job = { 'runs-on': 'linux', steps: [{ run: 'echo' }] };
const address = { type: 'git', endpoint: 'https://example.org' };
const INEFFECTIVE: readonly (readonly [more: Manifest, warnings: readonly string[]])[] = [
  [
    {
      resources: { testmanagers: [{ ...address, name: 't', testmanager: 'p', type: 'Squash TM' }] },
    },
    [],
  ],
  [
    {
      resources: {
        secret: [],
        files: [{ name: 'f', url: 'https://example.org/f', mode: 1 }],
        repositories: [{ ...address, name: 'r', repository: 'a/b', url: 'x' }],
      },
    },
    [
      'resources.files[0]: unknown key "mode"',
      'resources.repositories[0]: unknown key "url"',
      'resources: unknown key "secret"',
    ],
  ],
  [
    { strategy: { matrix: { shell: ['bash'] }, 'max-parallel': 2 } },
    ['strategy: the matrix of a workflow has no effect, a job can have one'],
  ],
  [
    { defaults: { other: { a: 1 }, run: { umask: 7 } } },
    ['defaults.run: unknown key "umask"', 'defaults: unknown key "other"'],
  ],
  [
    {
      jobs: {
        main: {
          ...job,
          steps: [
            { id: 's', run: 'a' },
            { id: 's', run: 'b' },
          ],
        },
      },
    },
    [
      'jobs.main.steps[1].id: Job "main" has several steps with the id "s". Expressions read the one that ended last',
    ],
  ],
  [
    {
      hooks: [
        { name: 'h', events: [{ channel: 'setup', on: 1 }], after: [{ run: 'x', retries: 1 }] },
      ],
    },
    ['hooks[0].after[0]: unknown key "retries"', 'hooks[0].events[0]: unknown key "on"'],
  ],
  [
    {
      hooks: [
        {
          name: 'h',
          events: [{ channel: 'begin' }, { categoryVersion: 'v1' }],
          after: [{ run: 'x' }],
        },
      ],
    },
    [
      'hooks[0].events[0].channel: Hook "h" has the channel "begin", which is neither "setup" nor "teardown".',
      'hooks[0].events[1]: Hook "h" has an event without "channel", "category" or "categoryPrefix", which nothing fits.',
    ],
  ],
  [
    {
      resources: {
        repositories: ['a/b', 'c/d'].map((repository) => ({ ...address, name: 'r', repository })),
        testmanagers: ['p', 'q'].map((testmanager) => ({ ...address, name: 't', testmanager })),
      },
    },
    [
      'resources.repositories[1]: There are several resources with the name "r". Expressions read the last one',
      'resources.testmanagers[1]: There are several resources with the name "t". Expressions read the last one',
    ],
  ],
  [
    { secrets: { S: '${{ inputs.s }}' } },
    [
      'secrets.S: an expression is not evaluated here, give its value when the run is started, or make it a variable',
    ],
  ],
];

feature('accepts what has no effect, which is accepted with a warning', async (run) => {
  const workflows = INEFFECTIVE.map(([more]) => ({
    metadata: { name: run.id },
    jobs: { main: job },
    ...more,
  }));
  expect(await toolkitOf(run).problems(workflows)).toEqual(workflows.map(() => null));
  for (const [index, body] of workflows.entries()) {
    const expected = INEFFECTIVE[index]?.[1] ?? [];
    const answer = await server.call('POST', '/workflows', { body, query: 'dryRun' });
    const { warnings = [] } = detailsOf(answer);
    const shownBy = [warnings].flat().map((text) => String(text).replace(/ \(line .*\)$/, ''));
    expect([bodyOf(answer).code, shownBy.sort()]).toEqual([201, expected]);
    const strictly = await server.call('POST', '/workflows', { body, query: 'dryRun&strict' });
    expect(bodyOf(strictly).code).toBe(expected.length === 0 ? 201 : 422);
  }
});
