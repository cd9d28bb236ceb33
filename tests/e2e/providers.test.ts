/** Functions that users describe: listed, called on an environment, and changed while the server runs. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { detailsOf, type Loose } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { ended, oneJob, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { runCli, startCli } from './cli-process.ts';

const described = (text: string): string => `
apiVersion: tutti/v1
kind: Provider
metadata: {name: shop}
functions:
  - name: shop/smoke@v1
    description: Says something.
    inputs:
      test: {description: What to say., type: string, required: true}
    steps:
      unix:
        - command: [echo, ${text}, '\${{ inputs.test }}']
`;

let bench: Workbench;
let server: ServerChild;
let folder: string;

beforeAll(async () => {
  bench = await Workbench.open();
  folder = join(bench.folder, 'functions');
  await mkdir(folder);
  await writeFile(join(folder, 'shop.yaml'), described('first'));
  server = await bench.server({ config: { providers: { directory: folder } } });
  await bench.agent(server, { tags: ['linux'] });
});
afterAll(() => bench.close());

async function logOf(test: string): Promise<string> {
  const step = { uses: 'shop/smoke@v1', with: { test } };
  const id = await start(server, oneJob('said', [step]));
  expect(await ended(server, id)).toBe('DONE');
  return (await server.call('GET', `/workflows/${id}/logs`)).text;
}

test('a function of a file runs, and runs otherwise once the file is another one', async () => {
  expect(await logOf("it's $HOME; echo no")).toContain("first it's $HOME; echo no");
  await writeFile(join(folder, 'shop.yaml'), described('second time'));
  expect(await logOf('x')).toContain('second time x');
});

test('all functions are listed, with where they are from', async () => {
  const subscription = {
    body: {
      apiVersion: 'opentestfactory.org/v1alpha1',
      kind: 'Subscription',
      metadata: { name: 'other-plugin' },
      spec: {
        selector: {
          matchKind: 'ProviderCommand',
          matchLabels: {
            'opentestfactory.org/categoryPrefix': 'other',
          },
          matchExpressions: [
            {
              key: 'opentestfactory.org/category',
              operator: 'In',
              values: ['thing', 'another-thing'],
            },
          ],
        },
        subscriber: { endpoint: 'http://127.0.0.1:1/inbox' },
      },
    },
  };
  // A plugin of two instances.
  for (let made = 0; made < 2; made += 1) {
    expect((await server.call('POST', '/subscriptions', subscription)).code).toBe(201);
  }
  const { items } = detailsOf(await server.call('GET', '/providers'));
  const elsewhere = (items as readonly Loose[]).filter(({ origin }) => origin === 'bus');
  expect(elsewhere.map(({ name }) => name)).toEqual(['other/another-thing', 'other/thing']);
  const byName = new Map((items as readonly Loose[]).map((item) => [String(item.name), item]));
  expect(byName.get('shop/smoke@v1')).toMatchObject({
    origin: 'file',
    source: 'shop.yaml',
    systems: ['linux', 'macos'],
    inputs: { test: { type: 'string', required: true } },
  });
  expect(byName.get('actions/checkout@v3')).toMatchObject({ origin: 'built-in', source: null });
  expect(byName.get('junit/params@v1')).toMatchObject({ systems: ['linux', 'macos', 'windows'] });
  expect(byName.get('other/thing')).toEqual({
    name: 'other/thing',
    origin: 'bus',
    description: null,
    inputs: null,
    systems: null,
    source: 'other-plugin',
  });
});

test('tutti providers shows them, and the inputs of one', async () => {
  const env = { TUTTI_SERVER: server.url, TUTTI_TOKEN: server.token };
  const run = async (...args: readonly string[]) => {
    const cli = startCli(['providers', ...args], { cwd: bench.folder, env });
    return { code: await cli.ended, stdout: cli.stdout(), stderr: cli.stderr() };
  };
  const all = await run();
  expect(all.code, all.stderr).toBe(0);
  expect(all.stdout).toMatch(/^shop\/smoke@v1 +file: shop\.yaml +linux,macos +Says something\.$/m);
  const one = await run('shop/smoke@v1');
  expect(one.stdout).toMatch(/^test +string +required +What to say\.$/m);
  expect(JSON.parse((await run('shop/smoke@v1', '-o', 'json')).stdout)).toMatchObject({
    name: 'shop/smoke@v1',
  });
  expect((await run('-o', 'yaml')).stdout).toContain('name: shop/smoke@v1');
  expect((await run('-o', 'name')).stdout).toMatch(/^shop\/smoke@v1$/m);
  const columns = await run('shop/smoke@v1', '-o', 'custom-columns=N:name,TYPE:inputs.test.type');
  expect(columns.stdout).toBe('N              TYPE\nshop/smoke@v1  string\n');
  expect(await run('shop/smok@v1')).toMatchObject({ code: 2, stdout: '' });
  expect((await run('shop/smok@v1')).stderr).toMatch(
    /^tutti: .+, did you mean "shop\/smoke@v1"\?\nWhat to do: see which there are with ".*providers -o name"\.\n$/,
  );
});

const NO_FILE = 'Cannot read none: there is no such file.';

test('validate, plan and run know the functions of the configured server, and schema prints them', async () => {
  const env = { TUTTI_SERVER: server.url, TUTTI_TOKEN: server.token };
  const tutti = (...args: readonly string[]) => runCli(args, { cwd: bench.folder, env });
  const file = join(bench.folder, 'calls.yaml');
  // A plugin for all functions of a prefix.
  const matchLabels = { 'opentestfactory.org/categoryPrefix': 'acme' };
  const spec = {
    selector: { matchKind: 'ProviderCommand', matchLabels },
    subscriber: { endpoint: 'http://127.0.0.1:1/inbox' },
  };
  const head = { apiVersion: 'opentestfactory.org/v1alpha1', kind: 'Subscription' };
  const body = { ...head, metadata: { name: 'acme' }, spec };
  expect((await server.call('POST', '/subscriptions', { body })).code).toBe(201);
  const calls = (input: string) =>
    `metadata: {name: x}\njobs:\n  a:\n    runs-on: linux\n    steps:\n      - uses: shop/smoke@v1\n        with: {${input}: x}\n      - uses: other/thing@v2\n      - uses: acme/any@v1\n`;
  await writeFile(file, calls('test'));
  expect(await tutti('validate', file)).toMatchObject({ code: 0, stderr: '' });
  expect(await tutti('run', '--dry-run', file)).toMatchObject({ code: 0, stderr: '' });
  expect((await tutti('schema')).stdout).toContain('"shop/smoke@v1"');
  expect(await tutti('plan', file)).toMatchObject({ code: 0, stderr: '' });
  await writeFile(file, calls('tets'));
  const refused = 'The function "shop/smoke@v1" has no input "tets".';
  const checked = await tutti('validate', file);
  expect([checked.code, checked.stdout]).toEqual([1, expect.stringContaining(refused)]);
  const before = (await server.call('GET', '/workflows')).text;
  for (const options of [['--dry-run'], []]) {
    const ran = await tutti('run', ...options, file);
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([
      2,
      '',
      expect.stringContaining(`${refused} Did you mean "test"?`),
    ]);
  }
  expect((await server.call('GET', '/workflows')).text).toBe(before);
});

test.each([
  ['--providers-directory', 'none', 'Cannot read the directory none: there is no such directory.'],
  ['--quality-gates-definitions', '["none"]', NO_FILE],
  ['--insights-definitions', '["none"]', NO_FILE],
  [
    '--auth-trusted-keys',
    '[{"path":"none"}]',
    'The key none is not usable: it cannot be read (there is no such file).',
  ],
])('a server does not start when what %s names is not there', async (option, value, what) => {
  const args = ['server', '--port', '0', '--data-dir', bench.path('data'), option, value];
  const { code, stderr } = await runCli(args, { cwd: bench.folder });
  expect(code).toBe(2);
  expect(stderr.split('\n').slice(-3).join('\n')).toBe(
    `tutti: ${what}\nWhat to do: choose another path, or see to it that this account may use this one.\n`,
  );
});

test('what is wrong in a file is one line of the log, with the file and the line', async () => {
  const file = join(folder, 'wrong.yaml');
  await writeFile(file, described('x').replace('description:', 'describtion:'));
  expect((await server.call('GET', '/providers')).code).toBe(200);
  const messagesOf = () => server.child.stderr.split('\n').filter((line) => line.includes(file));
  await eventually('a line of the log', () => messagesOf().length > 0);
  const lines = messagesOf();
  expect(lines).toHaveLength(1);
  const { time: _, ...actual } = JSON.parse(lines[0] ?? '');
  expect(actual).toEqual({
    level: 'error',
    file,
    msg: `The description of functions ${file} is not usable, it is not used: Not a valid description of a provider: functions[0]: unknown key "describtion", did you mean "description"? (line 7).`,
  });
});
