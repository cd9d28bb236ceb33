/** Files go from the request to environments, and from job to job. The server and the agents are real. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf } from '../structure/document-blocks.ts';
import type { Api } from '../support/api.ts';
import {
  allEvents,
  ended,
  logTexts,
  type Manifest,
  only,
  sh,
  start,
  startedId,
} from '../support/runs.ts';
import { type AgentChild, type ServerChild, Workbench } from '../support/workbench.ts';

let bench: Workbench;
let server: ServerChild;
let two: AgentChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server({ config: { resources: { privateAddresses: true } } });
  await bench.agent(server, { tags: ['linux', 'one'], name: 'one' });
  two = await bench.agent(server, { tags: ['linux', 'two'], name: 'two' });
});

afterAll(() => bench.close());

const job = (tag: string, steps: readonly Manifest[], more: Manifest = {}): Manifest => ({
  'runs-on': ['linux', tag],
  steps,
  ...more,
});

/** Starts a run with resource files. */
async function startWith(
  api: Api,
  jobs: Manifest,
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  const names = Object.keys(files);
  const resources = names.length === 0 ? {} : { resources: { files: names } };
  const form = new FormData();
  form.set(
    'workflow',
    new Blob([JSON.stringify({ metadata: { name: 'files' }, ...resources, jobs })]),
  );
  for (const [name, content] of Object.entries(files)) form.set(name, new Blob([content]), name);
  return startedId(await api.call('POST', '/workflows', { body: form }));
}

// Language 5: `download` of a file or by a pattern.
test('what one job uploads another one downloads, on another environment', async () => {
  const pack = `mkdir 'my out'; echo list > 'my out/my_list.txt'; echo ä > ä.log; printf '' > empty
echo "::upload type=text/plain::$PWD/my out/my_list.txt"
echo "::upload name=größe 1.log::$PWD/ä.log"; echo "::upload::$PWD/empty"`;
  const fetch = `echo '::download file=my_list.txt::'; echo '::download pattern=*.log::logs'
echo '::download file=empty::w/new/folder/'; echo "::download file=list.txt::$PWD/absolute"`;
  const id = await startWith(server, {
    a: job('one', [sh(pack, { id: 'pack' })]),
    b: job(
      'two',
      [
        sh('mkdir w; echo "::download::all"'),
        sh('ls all'),
        sh(fetch),
        sh('cat my_list.txt absolute "logs/größe 1.log"; wc -c < w/new/folder/empty'),
        sh('echo "::download file=empty::"', { 'working-directory': 'w' }),
        sh('ls w'),
      ],
      { needs: 'a' },
    ),
  });
  expect(await ended(server, id)).toBe('DONE');
  const log = await logTexts(server, id);
  expect(log).toEqual(
    expect.arrayContaining(['empty', 'größe 1.log', 'my_list.txt', 'list', 'ä', '0', 'new']),
  );
  expect(log.filter((line) => line === 'list')).toHaveLength(2);
  const [uploads, ...others] = only(await allEvents(server, id), 'WorkflowResult');
  expect(others).toEqual([]);
  expect(uploads?.metadata.name).toBe('pack');
  // They stand in the order in which they came.
  const attachments = Object.entries(uploads?.metadata.attachments ?? {});
  const list = attachments.find(([path]) => path.endsWith('my_list.txt'))?.[1];
  const file = await server.call('GET', `/workflows/${id}/files/${list?.uuid}`);
  expect(file).toMatchObject({ code: 200, text: 'list\n' });
  expect(file.headers.get('content-disposition')).toContain(`${list?.uuid}_my_list.txt`);
  const head = await server.call('HEAD', `/workflows/${id}/files/${list?.uuid}`);
  expect(head.headers.get('content-length')).toBe('5');
});

// Language 1.9: Expressions name files, for functions and commands.
test('a resource file is put where a step wants it, but not outside of the workspace', async () => {
  const id = await startWith(
    server,
    {
      main: job('two', [
        sh('echo "::put file=data.csv::in/data.csv"; echo "::put file=data.csv::../beside.csv"'),
        sh('cat in/data.csv; ls -A', { if: 'always()' }),
      ]),
    },
    { 'data.csv': 'a;b\n' },
  );
  expect(await ended(server, id)).toBe('FAILED');
  const log = await logTexts(server, id);
  expect(log).toEqual(expect.arrayContaining(['a;b', 'in']));
  expect(log.join('\n')).toContain(`--allow-path ${two.workspaceDir}`);
  expect(existsSync(join(two.workspaceDir, 'beside.csv'))).toBe(false);
  expect(existsSync(join(two.workspaceDir, 'in'))).toBe(false);
});

test('actions for files and artifacts work together, whatever names the files have', async () => {
  const uses = (name: string, inputs: Manifest): Manifest => ({
    uses: `actions/${name}@v1`,
    with: inputs,
  });
  const id = await startWith(
    server,
    {
      a: job('one', [
        uses('put-file', { file: `\${{ resources.files['d a.csv'] }}`, path: "it's/in/d.csv" }),
        sh("cat it\\'s/in/d.csv; mkdir -p out/sub; echo 1 > 'out/a, b::c'; echo 2 > 'out/sub/ä'"),
        uses('touch-file', { path: 'out/-x' }),
        uses('delete-file', { path: 'out/-x' }),
        uses('upload-artifact', { name: 'logs', path: 'out' }),
        uses('upload-artifact', { name: 'one log', path: 'out/sub/ä' }),
        uses('create-archive', { path: 'p/out.tgz', patterns: ['out', '!out/sub'] }),
        uses('upload-artifact', { path: 'p/*.tgz' }),
        uses('get-files', { pattern: 'out/**', type: 'text/plain' }),
        uses('get-file', { path: "it's/in/d.csv", name: 'data' }),
      ]),
      b: job(
        'two',
        [
          uses('download-artifact', { name: 'logs', path: 'in' }),
          uses('download-artifact', { pattern: '*log*', path: 'all' }),
          uses('download-artifact', { name: 'out.tgz' }),
          sh('cd in; find . -type f | sort; cd ../all; find . -type f | sort; tar -tzf ../out.tgz'),
          uses('download-artifact', { name: 'none' }),
        ],
        { needs: 'a' },
      ),
    },
    { 'd a.csv': 'a;b\n' },
  );
  expect(await ended(server, id)).toBe('FAILED');
  const log = await logTexts(server, id);
  const files = ['./a, b::c', './sub/ä', './logs/a, b::c', './logs/sub/ä', './one log'];
  expect(log.filter((line) => /^(?:\.\/|out\/|a;b)/.test(line))).toEqual([
    'a;b',
    ...files,
    'out/a, b::c',
  ]);
  expect(log.join('\n')).toContain('No artifact matching requested name/pattern found.');
  const results = only(await allEvents(server, id), 'ExecutionResult');
  const attached = results.flatMap(({ attachments = [] }) => attachments);
  expect(attached.map((path) => String(path).split('_').at(-1))).toEqual(['a, b::c', 'ä', 'data']);
});

test('the example of the document about actions works as it stands there', async () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/reference/actions.md'), 'utf8');
  const [workflow = ''] = blocksOf(text, 'yaml');
  const form = new FormData();
  form.set('workflow', new Blob([workflow], { type: 'application/yaml' }), 'build.yaml');
  form.set('data.csv', new Blob(['a;b\n']), 'data.csv');
  const id = startedId(await server.call('POST', '/workflows', { body: form }));
  expect(await ended(server, id)).toBe('DONE');
});

test('a file that cannot be written fails its step, which says why', async () => {
  const id = await startWith(
    server,
    {
      main: job('one', [
        sh('echo "::put file=f::/dev/null/x"; echo "::put file=f::ok"'),
        sh('cat ok', { if: 'always()' }),
      ]),
    },
    { f: 'fine' },
  );
  expect(await ended(server, id)).toBe('FAILED');
  const log = await logTexts(server, id);
  expect(log.join('\n')).toMatch(
    /ERROR,Could not send file "f" to remote path "\/dev\/null\/x": Failed/,
  );
  expect(log).toContain('Status code was: 2');
  expect(log).toContain('fine');
});

// Language 1.9: Files with an address are fetched.
test('a file that the server fetches is put like one that came with the request', async () => {
  const source = createServer(({ url }, response) => response.end(`fetched ${url}\n`));
  await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve));
  const { port } = source.address() as AddressInfo;
  const address = `http://me:\${{ variables.WORD }}secret@127.0.0.1:${port}/rules?key=\${{ inputs.key }}`;
  const files = [{ name: 'rules', url: address }];
  const id = await start(server, {
    metadata: { name: 'fetched' },
    variables: { WORD: 'top' },
    inputs: { key: { description: 'Which', default: 'x' } },
    resources: { files },
    jobs: { main: job('one', [sh('echo "::put file=rules::r"'), sh('cat r')]) },
  });
  source.close();
  expect(await ended(server, id)).toBe('DONE');
  expect(await logTexts(server, id)).toContain('fetched /rules?key=x');
  const status = await server.call('GET', `/workflows/${id}/status`);
  expect(status.text).not.toContain('topsecret');
});

// Language 1.9: A checkout of the address of a resource uses its credentials, whatever the step says.
test('a repository of the resources is checked out', async () => {
  const folder = bench.path('git');
  const git = [
    'init -q shop',
    '-C shop -c user.name=a -c user.email=a@b commit -q --allow-empty -m first',
  ];
  await mkdir(folder);
  for (const words of git) execFileSync('git', words.split(' '), { cwd: folder });
  const shop = { name: 'shop', type: 'git', repository: 'shop', endpoint: `file://${folder}` };
  const id = await start(server, {
    metadata: { name: 'checkout' },
    resources: { repositories: [shop] },
    jobs: {
      main: job('one', [
        {
          uses: 'actions/checkout@v3',
          with: { repository: `\${{ resources.repositories.shop }}`, path: 'here' },
        },
        sh('git -C here log --format=%s'),
      ]),
    },
  });
  expect(await ended(server, id)).toBe('DONE');
  expect(await logTexts(server, id)).toContain('first');
});
