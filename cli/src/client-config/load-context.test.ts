import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConnectionOptions, resolveConnection } from '../connection/connection.ts';
import { loadContext } from './load-context.ts';

let folder: string;
const path = (name: string) => join(folder, name);

const CONFIG = `
apiVersion: opentestfactory.org/v1alpha1
kind: CtlConfig
current-context: here
contexts:
  - name: here
    context: {orchestrator: o, user: u, namespace: team-a}
  - name: there
    context: {orchestrator: p, user: v}
  - name: lost
    context: {orchestrator: none, user: u}
  - name: half
    context: {orchestrator: q, user: u}
  - name: twice
    context: {orchestrator: r, user: u}
orchestrators:
  - name: o
    orchestrator: {server: "http://here.example", services: {observer: {port: 7775}}}
  - name: p
    orchestrator: {server: "https://there.example", insecure-skip-tls-verify: true, certificate-authority: ca.pem}
  - name: q
    orchestrator: {server: half.example}
  - name: r
    orchestrator: {server: "http://r.example", ports: {observer: 1}, services: {observer: {port: 2}}}
users:
  - name: u
    user: {token: HERE, step-depth: 3, colors: off, progress: plain}
  - name: v
    user: {token-file: v.token}
`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tutti-context-'));
  mkdirSync(path('home/.opentf'), { recursive: true });
  mkdirSync(path('both/.opentf'), { recursive: true });
  mkdirSync(path('both/.config/tutti'), { recursive: true });
  mkdirSync(path('data'));
  writeFileSync(path('home/.opentf/config'), CONFIG);
  writeFileSync(path('both/.opentf/config'), CONFIG);
  writeFileSync(
    path('both/.config/tutti/config.yaml'),
    CONFIG.replace('context: here', 'context: there'),
  );
  writeFileSync(path('named.yaml'), CONFIG);
  writeFileSync(path('v.token'), 'THERE\n');
  writeFileSync(path('both/.config/tutti/v.token'), 'OWN\n');
  writeFileSync(path('none.yaml'), 'current-context: gone\n');
  writeFileSync(path('odd.yaml'), CONFIG.replace('progress: plain', 'progress: dots'));
  writeFileSync(path('empty.yaml'), '');
  writeFileSync(path('broken.yaml'), 'users:\n  - {name: u, user: {token: SECRET}\n');
  writeFileSync(path('list.yaml'), '- a\n');
  writeFileSync(path('data/server.json'), '{"url":"http://127.0.0.1:9"}');
  writeFileSync(path('data/admin.token'), 'ADMIN\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

type Env = Readonly<Record<string, string>>;

async function found(options: ConnectionOptions, env: Env) {
  const context = await loadContext(options, env);
  const connection = resolveConnection({ dataDir: path('no'), ...options }, env, context);
  return { ...connection, read: connection.token() };
}

const HERE = { url: 'http://here.example', read: 'HERE' };
const THERE = { url: 'https://there.example', read: 'THERE' };

test.each<[string, () => ConnectionOptions, () => Env, object]>([
  ['the file of existing clients', () => ({}), () => ({ HOME: path('home') }), HERE],
  ['OPENTF_CONFIG', () => ({}), () => ({ OPENTF_CONFIG: path('named.yaml') }), HERE],
  ['TUTTI_CLIENT_CONFIG', () => ({}), () => ({ TUTTI_CLIENT_CONFIG: path('named.yaml') }), HERE],
  ['--client-config', () => ({ clientConfig: path('named.yaml') }), () => ({}), HERE],
  [
    'our own file, where both are there',
    () => ({}),
    () => ({ HOME: path('both') }),
    { url: 'https://there.example', read: 'OWN' },
  ],
  [
    'our own file, where XDG_CONFIG_HOME has it',
    () => ({}),
    () => ({ HOME: path('home'), XDG_CONFIG_HOME: path('both/.config') }),
    { url: 'https://there.example', read: 'OWN' },
  ],
  [
    '--context',
    () => ({ clientConfig: path('named.yaml'), context: 'there' }),
    () => ({ TUTTI_CONTEXT: 'here' }),
    THERE,
  ],
  [
    'TUTTI_CONTEXT',
    () => ({ clientConfig: path('named.yaml') }),
    () => ({ TUTTI_CONTEXT: 'there' }),
    THERE,
  ],
  [
    '--context, before what the environment names',
    () => ({ clientConfig: path('named.yaml'), context: 'there' }),
    () => ({ TUTTI_SERVER: 'http://other.example', TUTTI_TOKEN: 'OTHER' }),
    THERE,
  ],
  [
    'TUTTI_TOKEN, before that of the current context',
    () => ({ clientConfig: path('named.yaml') }),
    () => ({ TUTTI_TOKEN: 'OTHER' }),
    { ...HERE, read: 'OTHER' },
  ],
])('server and token are found by %s', async (_what, options, env, expected) => {
  expect(await found(options(), env())).toMatchObject(expected);
});

test.each<[string, ConnectionOptions, Env]>([
  ['an option', { server: 'http://other.example' }, {}],
  ['the environment', {}, { TUTTI_SERVER: 'http://other.example' }],
  [
    'an option, whatever context the environment has',
    { server: 'http://other.example' },
    { TUTTI_CONTEXT: 'here' },
  ],
])(
  'a server that is named by %s gets no token of the current context',
  async (_what, options, env) => {
    const clientConfig = path('named.yaml');
    const connection = await found({ clientConfig, ...options }, env);
    expect(connection).toMatchObject({ url: 'http://other.example', read: null, context: null });
  },
);

test('a data directory that is named is asked, and not the current context', async () => {
  const options = { clientConfig: path('named.yaml'), dataDir: path('data') };
  expect(await found(options, {})).toMatchObject({ url: 'http://127.0.0.1:9', read: 'ADMIN' });
});

test('a context has a namespace, defaults of display, services and TLS', async () => {
  const env = { TUTTI_CLIENT_CONFIG: path('named.yaml') };
  const here = await loadContext({}, env);
  expect(here).toMatchObject({
    namespace: 'team-a',
    user: 'u',
    display: { stepDepth: 3 },
    colors: false,
    progress: 'plain',
  });
  expect([...(here?.services ?? [])]).toEqual([['observer', 'http://here.example:7775']]);
  const there = await found({ context: 'there' }, env);
  expect(there.tls).toMatchObject({ insecure: true, caFile: path('ca.pem') });
});

test.each(['home', 'empty.yaml'])('without a context in %s, nothing is chosen', async (name) => {
  const env = name === 'home' ? { HOME: path('data') } : { TUTTI_CLIENT_CONFIG: path(name) };
  expect(await loadContext({}, env)).toBeNull();
});

test.each<[string, ConnectionOptions, string]>([
  ['named.yaml', { context: 'hree' }, 'There is no context "hree" in FILE, did you mean "here"?'],
  ['named.yaml', { context: 'lost' }, 'There is no orchestrator "none" in FILE.'],
  [
    'named.yaml',
    { context: 'half' },
    'The configuration FILE cannot be used: its orchestrator "q" has no address that begins with http:// or https://.',
  ],
  [
    'named.yaml',
    { context: 'twice' },
    'The configuration FILE cannot be used: its orchestrator "r" has ports and services, and one of both is right.',
  ],
  [
    'odd.yaml',
    {},
    'The configuration FILE cannot be used: progress of a user is tree, line, plain, none, not "dots".',
  ],
  ['none.yaml', {}, 'There is no context "gone" in FILE.'],
  ['broken.yaml', {}, 'The configuration FILE is no valid YAML (line 3).'],
  ['list.yaml', {}, 'The configuration FILE cannot be used: it is no map of keys.'],
  ['absent.yaml', {}, 'There is no file FILE, which --client-config names.'],
])('in %s, %o is refused', async (name, options, message) => {
  const loading = loadContext({ clientConfig: path(name), ...options }, {});
  await expect(loading).rejects.toThrow(message.replaceAll('FILE', path(name)));
});

test('a file that OPENTF_CONFIG names has to be there', async () => {
  const env = { HOME: path('home'), OPENTF_CONFIG: path('absent.yaml') };
  await expect(loadContext({}, env)).rejects.toThrow(
    expect.objectContaining({
      message: `There is no file ${path('absent.yaml')}, which OPENTF_CONFIG names.`,
      next: 'correct OPENTF_CONFIG, or make the file: "tutti config set-orchestrator NAME --server URL" begins one.',
    }),
  );
});

test('our own file precedes the one in OPENTF_CONFIG, existing or not', async () => {
  const env = { HOME: path('both'), OPENTF_CONFIG: path('absent.yaml') };
  expect(await found({}, env)).toMatchObject({ url: 'https://there.example' });
});

test('a context without a configuration is refused', async () => {
  const env = { HOME: path('data') };
  await expect(loadContext({ context: 'a' }, env)).rejects.toThrow(
    `There is no context "a", as there is no configuration ${path('data/.config/tutti/config.yaml')}.`,
  );
});
