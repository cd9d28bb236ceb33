// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Workflows that call workflows in git repositories, which an agent fetches. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { GitRepositories } from '../support/git-repositories.ts';
import {
  allEvents,
  datasource,
  ended,
  logOf,
  type Manifest,
  only,
  sh,
  start,
} from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const PASSWORD = 'hush-hush-123';

let bench: Workbench;
let server: ServerChild;
let git: GitRepositories;

const CHECKS = `
metadata: {name: checks}
inputs: {browser: {description: The browser, required: true}}
variables: {WHERE: called}
secrets: {GIT_PASSWORD: ''}
outputs: {report: "\${{ jobs.unit.outputs.report }}"}
jobs:
  unit:
    runs-on: node
    steps:
    - run: echo "\${{ inputs.browser }} in $WHERE, $OUTER, $GIT_PASSWORD"
    - id: r
      run: echo "::set-output name=report::unit.xml"
    outputs: {report: "\${{ steps.r.outputs.report }}"}
  deep: {needs: unit, uses: ./parts/deep.yaml}
  sources:
    needs: deep
    steps:
    - uses: actions/checkout@v3
      with: {repository: "\${{ resources.repositories.shop }}"}
    - run: cat shop/version.txt
`;
const deep = (text: string) =>
  `metadata: {name: deep}\njobs: {a: {runs-on: linux, steps: [{run: echo ${text}}]}}\n`;

beforeAll(async () => {
  bench = await Workbench.open();
  git = await GitRepositories.open(bench.path('repositories'));
  git.commit(
    'shop',
    {
      'tests/checks.yaml': CHECKS,
      'parts/deep.yaml': deep('deep at v1'),
      'version.txt': 'version 1\n',
      'link.yaml': '->parts/deep.yaml',
      'out.yaml': '->/etc/passwd',
      'wrong.yaml': 'metadata: {name: x}\njobs:\n  a:\n    run-on: x\n    steps: []\n',
      'text.yaml': 'just: [a text',
      'itself.yaml': 'metadata: {name: x}\njobs: {a: {uses: ./itself.yaml}}\n',
    },
    'v1',
  );
  git.branch('shop', 'feature/one');
  git.commit('shop', { 'parts/deep.yaml': deep('deep at main'), 'version.txt': 'version 2\n' });
  git.protect('shop', `reader:${PASSWORD}`);
  git.commit('open', { 'deep.yaml': deep('open') });
  server = await bench.server();
  await bench.agent(server, { tags: ['linux', 'node'], name: 'one' });
});

afterAll(async () => {
  await git.end();
  await bench.close();
});

const shop = (endpoint = git.url.replace('//', '//reader:${{ secrets.GIT_PASSWORD }}@')) => ({
  name: 'shop',
  type: 'git',
  repository: 'shop.git',
  endpoint,
});

const calling = (call: Manifest, more: Manifest = {}): Manifest => ({
  metadata: { name: 'caller' },
  secrets: { GIT_PASSWORD: PASSWORD },
  resources: { repositories: [shop()] },
  jobs: { checks: { 'runs-on': 'linux', ...call } },
  ...more,
});

const outputOf = async (id: string): Promise<readonly string[]> =>
  only(await allEvents(server, id), 'ExecutionResult').flatMap(({ logs }) => logs ?? []);

// Language 1.14: A job `.download_job_...` fetches it, whose step has the annotation `transient`.
test('a workflow in a repository runs with its inputs, calls others beside it, and gives its outputs', async () => {
  const workflow = calling(
    { uses: 'shop/tests/checks.yaml@v1', with: { browser: 'firefox' } },
    {
      variables: { WHERE: 'caller', OUTER: 'outer' },
      outputs: { report: '${{ jobs.checks.outputs.report }}' },
    },
  );
  const id = await start(server, workflow);
  expect(await ended(server, id), await logOf(server, id)).toBe('DONE');
  expect(await outputOf(id)).toEqual([
    'firefox in called, outer, ***',
    'deep at v1',
    expect.stringContaining('Cloning into'),
    'version 2',
  ]);
  const events = await allEvents(server, id);
  expect(events.at(-1)).toMatchObject({
    kind: 'WorkflowCompleted',
    outputs: { report: 'unit.xml' },
  });
  const requests = only(events, 'ExecutionCommand').filter(
    ({ metadata }) => metadata.step_sequence_id === -1,
  );
  expect(requests.map(({ metadata }) => metadata.name)).toEqual([
    '.download_job_checks',
    'unit',
    '.download_job_deep',
    'a',
    'sources',
  ]);
  const jobs = await datasource(server, id, 'jobs', { count: 3 });
  expect(jobs.map(({ uuid }) => uuid)).toEqual(['unit', 'a', 'sources']);
  const log = await logOf(server, id);
  expect(log).toContain('Fetching workflow "shop/tests/checks.yaml@v1" for job "checks"');
  expect(log).toContain('Calling workflow "checks"');
  expect(JSON.stringify(events) + log).not.toContain(PASSWORD);
});

test.each<[string, string]>([
  ['shop/parts/deep.yaml', 'deep at main'],
  ['shop/parts/deep.yaml@feature/one', 'deep at v1'],
  ['shop/parts/deep.yaml@refs/tags/v1', 'deep at v1'],
  ['${{ resources.repositories.shop }}/parts/deep.yaml@${{ variables.REF }}', 'deep at v1'],
  ['ADDRESS/shop.git/parts/deep.yaml@v1', 'deep at v1'],
  ['ADDRESS/open.git/deep.yaml', 'open'],
])('%s is found', async (uses, text) => {
  const call = { uses: uses.replace('ADDRESS', git.url) };
  const id = await start(server, calling(call, { variables: { REF: 'v1' } }));
  expect(await ended(server, id), await logOf(server, id)).toBe('DONE');
  expect(await outputOf(id)).toEqual([text]);
});

test('the credentials of a resource are used for its address, wherever the author wrote it', async () => {
  const id = await start(server, calling({ uses: `${git.url}/shop.git/parts/deep.yaml` }));
  expect(await ended(server, id)).toBe('DONE');
  expect(await logOf(server, id)).not.toContain(PASSWORD);
});

describe('a call that fails ends its job, and no other', () => {
  test.each<[string, { uses?: string; endpoint?: () => string }, string]>([
    [
      'a repository that cannot be reached',
      { endpoint: () => 'http://127.0.0.1:1' },
      'Job "checks" failed: repository "shop" at v1 cannot be fetched. The log has what git says; check',
    ],
    [
      'wrong credentials',
      { endpoint: () => git.url },
      'Job "checks" failed: repository "shop" at v1 cannot be fetched.',
    ],
    ['a ref that is not there', { uses: 'shop/link.yaml@v9' }, 'repository "shop" at v9 cannot'],
    [
      'a commit that is not there',
      { uses: `shop/link.yaml@${'0'.repeat(40)}` },
      `repository "shop" at ${'0'.repeat(40)} cannot`,
    ],
    [
      'a file that is not there',
      { uses: 'shop/tests/none.yaml' },
      'Job "checks" failed: there is no file "tests/none.yaml" in repository "shop" at its main branch. The path',
    ],
    ['a link', { uses: 'shop/link.yaml' }, 'there is no file "link.yaml"'],
    ['a link out of the repository', { uses: 'shop/out.yaml' }, 'there is no file "out.yaml"'],
    ['a directory', { uses: 'shop/parts' }, 'there is no file "parts"'],
    [
      'a file that is no YAML',
      { uses: 'shop/text.yaml@v1' },
      'Job "checks" failed: workflow "shop/text.yaml@v1" cannot be called: "[" is not closed: "]" must follow, in the same line or in lines that are indented deeper; a text that begins with "[" must be in quotes (line 1, column 7).',
    ],
    [
      'a file that is no workflow',
      { uses: 'shop/wrong.yaml' },
      'jobs.a: unknown key "run-on", did you mean "runs-on"? (line 4)',
    ],
    [
      'an input that is missing',
      { uses: 'shop/tests/checks.yaml' },
      'cannot be called: Mandatory input "browser" not provided.',
    ],
  ])('for %s', async (_, { uses = 'shop/tests/checks.yaml@v1', endpoint }, line) => {
    const resources = { repositories: [shop(endpoint?.())] };
    const other = { needs: 'checks', if: 'always()', steps: [sh('echo other')] };
    const { jobs, ...rest } = calling({ uses });
    const id = await start(server, {
      ...rest,
      resources,
      jobs: { ...Object(jobs), other },
    });
    expect(await ended(server, id)).toBe('FAILED');
    const log = await logOf(server, id);
    expect(log).toContain(line);
    expect((await outputOf(id)).at(-1)).toBe('other');
    expect(log).not.toContain(PASSWORD);
  });

  test('unless nothing is wrong with the repository: a workflow that calls itself is an error of the run', async () => {
    const id = await start(server, calling({ uses: 'shop/itself.yaml' }));
    expect(await ended(server, id)).toBe('FAILED');
    expect(await logOf(server, id)).toContain(
      'Workflows call themselves: "shop/itself.yaml" calls',
    );
  });
});

test('a call goes on where it was when the server is killed while the file is on its way', async () => {
  const config = { calls: { tags: ['git'] } };
  const opener = await bench.server({ config });
  await bench.agent(opener, { tags: ['linux', 'node'], name: 'two' });
  await bench.agent(opener, { tags: ['linux', 'git'], name: 'three' });
  git.close();
  const id = await start(opener, calling({ uses: 'shop/parts/deep.yaml@v1' }));
  await eventually('the request of git', () => git.heldCount > 0);
  await opener.child.kill('SIGKILL');
  const port = Number(new URL(opener.url).port);
  const again = await bench.server({ config, dataDir: opener.dataDir, port });
  git.letGo();
  expect(await ended(again, id), await logOf(again, id)).toBe('DONE');
  const scripts = only(await allEvents(again, id), 'ExecutionCommand').filter(
    ({ metadata }) => metadata.step_sequence_id >= 0,
  );
  expect(scripts.map(({ metadata, 'runs-on': tags }) => [metadata.name, tags])).toEqual([
    ['.download_job_checks', ['linux', 'git']],
    ['a', ['linux']],
  ]);
});

test('what cannot be called is refused when the run is started', async () => {
  const answer = await server.call('POST', '/workflows', {
    body: calling({ uses: 'shpo/tests/checks.yaml@v1' }),
  });
  expect(bodyOf(answer)).toMatchObject({
    code: 422,
    message: expect.stringContaining(
      'Job "checks" calls "shpo/tests/checks.yaml@v1", but "shpo" is no repository of the resources',
    ),
  });
});
