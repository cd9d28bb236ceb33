// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Workflows that call workflows which came with the run, and what workflows give. */
import { expect, test } from 'vitest';
import { bodyOf, detailsOf } from '../support/api.ts';
import {
  allEvents,
  datasource,
  ended,
  logOf,
  type Manifest,
  only,
  sh,
  startedId,
} from '../support/runs.ts';
import { sharedServer } from '../support/shared-server.ts';

const { server } = await sharedServer({ tags: ['linux', 'node'], name: 'one' });

type Files = Readonly<Record<string, string>>;

function post(workflow: Manifest, files: Files, query = '') {
  const form = new FormData();
  form.set('workflow', JSON.stringify(workflow));
  for (const [name, content] of Object.entries(files)) form.set(name, new Blob([content]), name);
  return server.call('POST', `/workflows${query}`, { body: form });
}

/** Starts a workflow with files. */
const startWith = async (workflow: Manifest, files: Files) =>
  startedId(await post(workflow, files));

const outputOf = async (id: string): Promise<readonly string[]> =>
  only(await allEvents(server, id), 'ExecutionResult').flatMap(({ logs }) => logs ?? []);

const CHECKS = `
metadata: {name: checks}
inputs: {browser: {description: The browser, required: true}}
variables: {WHERE: called}
resources: {files: [deep.yaml]}
outputs: {report: {description: A file, value: "\${{ jobs.unit.outputs.report }}"}}
jobs:
  unit:
    runs-on: node
    steps:
    - run: echo "\${{ inputs.browser }} in $WHERE, $OUTER"
    - id: r
      run: echo "::set-output name=report::unit.xml"
    outputs: {report: "\${{ steps.r.outputs.report }}"}
  deep: {needs: unit, uses: ./deep.yaml}
`;
const DEEP = 'metadata: {name: deep}\njobs: {a: {runs-on: linux, steps: [{run: echo deep}]}}\n';

// HTTP 4.6: Parts of files are named like their entries, however clients write these names.
test('4.6: files of a form have their own names everywhere, also those that clients write otherwise', async () => {
  const called = 'the "deep"\none\\\\.yaml';
  const data = 'my "data".csv\\';
  const id = await startWith(
    {
      metadata: { name: 'caller' },
      resources: { files: [called, data] },
      jobs: {
        put: {
          'runs-on': 'linux',
          steps: [sh(`echo '::put file=${data}::in.csv'`), sh('cat in.csv')],
        },
        deep: { needs: 'put', 'runs-on': 'linux', uses: `./${called}` },
      },
    },
    { [called]: DEEP, [data]: 'content\n' },
  );
  expect(await ended(server, id)).toBe('DONE');
  expect(await outputOf(id)).toEqual(['content', 'deep']);
});

// Language 1.14: The called workflow is fetched, and its jobs come under the category `.uses`.
test('a called workflow runs with its inputs, and gives its outputs', async () => {
  const id = await startWith(
    {
      metadata: { name: 'caller' },
      resources: { files: ['checks.yaml', 'deep.yaml'] },
      variables: { WHERE: 'caller', OUTER: 'outer' },
      jobs: {
        checks: { 'runs-on': 'linux', uses: './checks.yaml', with: { browser: 'firefox' } },
        after: { needs: 'checks', steps: [sh('echo "${{ needs.checks.outputs.report }}"')] },
      },
      outputs: { report: '${{ jobs.checks.outputs.report }}', all: '${{ jobs.after.result }}' },
    },
    { 'checks.yaml': CHECKS, 'deep.yaml': DEEP },
  );
  expect(await ended(server, id)).toBe('DONE');
  expect(await outputOf(id)).toEqual(['firefox in called, outer', 'deep', 'unit.xml']);
  const events = await allEvents(server, id);
  expect(events.at(-1)).toMatchObject({
    kind: 'WorkflowCompleted',
    outputs: { report: 'unit.xml', all: 'success' },
  });
  const results = only(events, 'GeneratorResult');
  expect(results.map(({ metadata }) => metadata.labels)).toEqual([
    expect.objectContaining({ 'opentestfactory.org/category': '.uses' }),
    expect.objectContaining({ 'opentestfactory.org/category': '.uses' }),
  ]);
  expect(results[0]?.jobs.unit?.steps?.[0]?.id).toEqual(expect.any(String));
  const jobs = await datasource(server, id, 'jobs', { count: 3 });
  expect(jobs.map(({ uuid, spec }) => [uuid, spec])).toEqual([
    ['unit', { 'runs-on': ['node', 'linux'], variables: { WHERE: 'called', OUTER: 'outer' } }],
    ['a', { 'runs-on': ['linux'], variables: { WHERE: 'called', OUTER: 'outer' } }],
    ['after', { 'runs-on': [], variables: { WHERE: 'caller', OUTER: 'outer' } }],
  ]);
  const log = await logOf(server, id);
  expect(log).toContain('Running job bundle: "checks"');
  expect(log).toContain('Calling workflow "checks"');
});

test('what is probably wrong with a called workflow is told at the start, and once in the log', async () => {
  const called = `${DEEP}outputs: {o: "\${{ inputs.none }}"}\n`;
  const caller = {
    metadata: { name: 'caller' },
    resources: { files: ['c.yaml'] },
    jobs: {
      call: { uses: './c.yaml' },
      after: { needs: 'call', steps: [sh('echo "[${{ needs.call.outputs.p }}]"')] },
    },
  };
  const answer = await post(caller, { 'c.yaml': called });
  const ofCalled = 'Workflow "c.yaml": outputs.o: there is no input "none", so this is empty';
  expect(detailsOf(answer).warnings).toEqual([
    expect.stringContaining('job "call" calls "c.yaml", which has no output "p", so this is empty'),
    `${ofCalled} (line 3)`,
  ]);
  const id = startedId(answer);
  expect(await ended(server, id)).toBe('DONE');
  const warnings = (await logOf(server, id))
    .split('\n')
    .filter((line) => line.includes('WARNING,'));
  expect(warnings).toEqual([
    expect.stringContaining(`WARNING,${ofCalled} (line 3)`),
    expect.stringContaining('Job "call" does not give the output "p", which others read.'),
  ]);
  expect(await outputOf(id)).toContain('[]');
});

const MISTAKES: readonly (readonly [string, string, string])[] = [
  [
    'a mistake in it',
    'metadata: {name: x}\njobs:\n  a:\n    run-on: linux\n    steps: [{run: x}]\n',
    'Workflow "checks.yaml" cannot be called: jobs.a: unknown key "run-on", did you mean "runs-on"? (line 4)',
  ],
  [
    'an input that it needs',
    `${DEEP}inputs: {browser: {description: d, required: true}}\n`,
    'Workflow "checks.yaml" cannot be called: Mandatory input "browser" not provided.',
  ],
];

test.each(MISTAKES)(
  'a called workflow is refused with the request for %s',
  async (_, content, error) => {
    const caller = {
      metadata: { name: 'caller' },
      resources: { files: ['checks.yaml'] },
      jobs: { checks: { uses: './checks.yaml' } },
    };
    for (const query of ['', '?dryRun']) {
      const answer = await post(caller, { 'checks.yaml': content }, query);
      expect(answer.code).toBe(422);
      const { reason, message } = bodyOf(answer);
      expect(reason).toBe('Invalid');
      expect(`${message}\n${detailsOf(answer).error}`).toContain(error);
    }
  },
);

test.each<readonly [string, string, string]>([
  ...MISTAKES,
  [
    'a call of itself',
    'metadata: {name: x}\nresources: {files: [checks.yaml]}\njobs: {a: {uses: ./checks.yaml}}\n',
    'jobs.checks/a: Workflows call themselves: "checks.yaml" calls "checks.yaml".',
  ],
])(
  'a called workflow whose name the run finds ends it with an error for %s',
  async (_, content, error) => {
    const id = await startWith(
      {
        metadata: { name: 'caller' },
        variables: { FILE: 'checks.yaml' },
        resources: { files: ['checks.yaml'] },
        jobs: { checks: { uses: './${{ variables.FILE }}' } },
      },
      { 'checks.yaml': content },
    );
    expect(await ended(server, id)).toBe('FAILED');
    expect(await logOf(server, id)).toContain(error);
  },
);
