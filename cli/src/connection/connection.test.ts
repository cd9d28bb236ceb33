import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UsageError } from '../terminal/problem.ts';
import { type ConnectionOptions, DEFAULT_SERVER, resolveConnection } from './connection.ts';

let folder: string;
const dir = (name: string) => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tutti-connection-'));
  for (const name of ['running', 'stopped', 'broken']) mkdirSync(dir(name));
  writeFileSync(dir('running/server.json'), '{"url":"http://127.0.0.1:9","pid":1}');
  writeFileSync(dir('running/admin.token'), 'ADMIN\n');
  writeFileSync(dir('stopped/admin.token'), 'OLD\n');
  writeFileSync(dir('broken/server.json'), '{');
  writeFileSync(dir('given.token'), ' GIVEN \n');
  writeFileSync(dir('empty.token'), '\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

type Env = Readonly<Record<string, string>>;
type Row = readonly [
  name: string,
  options: () => ConnectionOptions,
  env: () => Env,
  url: string,
  token: string | null,
];

const remote = 'https://tutti.example.org';
const rows: readonly Row[] = [
  ['nothing is said', () => ({ dataDir: dir('none') }), () => ({}), DEFAULT_SERVER, null],
  [
    'the data directory has a running server',
    () => ({ dataDir: dir('running') }),
    () => ({}),
    'http://127.0.0.1:9',
    'ADMIN',
  ],
  [
    'the data directory comes from the environment',
    () => ({}),
    () => ({ TUTTI_DATA_DIR: dir('running') }),
    'http://127.0.0.1:9',
    'ADMIN',
  ],
  [
    'its server has stopped',
    () => ({ dataDir: dir('stopped') }),
    () => ({}),
    DEFAULT_SERVER,
    'OLD',
  ],
  ['its file is broken', () => ({ dataDir: dir('broken') }), () => ({}), DEFAULT_SERVER, null],
  [
    'options are stronger than the environment',
    () => ({ server: remote, token: 'T' }),
    () => ({ TUTTI_SERVER: 'http://other', TUTTI_TOKEN: 'E' }),
    remote,
    'T',
  ],
  [
    'the environment is stronger than the data directory',
    () => ({ dataDir: dir('running') }),
    () => ({ TUTTI_SERVER: remote, TUTTI_TOKEN: 'E' }),
    remote,
    'E',
  ],
  [
    'empty variables say nothing',
    () => ({ dataDir: dir('none') }),
    () => ({ TUTTI_SERVER: '' }),
    DEFAULT_SERVER,
    null,
  ],
  [
    'a file has the token',
    () => ({ server: remote, tokenFile: dir('given.token') }),
    () => ({ TUTTI_TOKEN: 'E' }),
    remote,
    'GIVEN',
  ],
  [
    'server and data directory are named together',
    () => ({ server: remote, dataDir: dir('running') }),
    () => ({}),
    remote,
    'ADMIN',
  ],
];

test.each(rows)('the server and the token are found when %s', (_name, options, env, url, token) => {
  const connection = resolveConnection(options(), env());
  expect([connection.url, connection.token()]).toEqual([url, token]);
});

test.each<[name: string, options: ConnectionOptions, isNamed: boolean | null]>([
  ['one whose server runs', { dataDir: 'running' }, true],
  ['one whose server has stopped', { dataDir: 'stopped' }, false],
  ['one beside a server', { dataDir: 'stopped', server: remote }, null],
  ['none', {}, null],
])('the missing server is known from %s', (_name, options, isNamed) => {
  const dataDir = options.dataDir === undefined ? undefined : dir(options.dataDir);
  const { directory } = resolveConnection({ ...options, dataDir }, {});
  expect(directory).toEqual(isNamed === null ? null : { dataDir, isNamed });
});

test("the administrator's token is not sent to a server that was named alone", () => {
  const before = process.cwd();
  mkdirSync(dir('home/.tutti'), { recursive: true });
  writeFileSync(dir('home/.tutti/admin.token'), 'SECRET');
  process.chdir(dir('home'));
  try {
    const tokenFor = (server: string) => resolveConnection({ server }, {}).token();
    expect(tokenFor(remote)).toBeNull();
    expect(tokenFor('http://127.0.0.1.example.org')).toBeNull();
    expect(tokenFor('http://localhost:7774')).toBe('SECRET');
    expect(tokenFor('http://[::1]:7774')).toBe('SECRET');
  } finally {
    process.chdir(before);
  }
});

test('a token file is read again each time', () => {
  const file = dir('renewed.token');
  writeFileSync(file, 'one');
  const { token } = resolveConnection({ server: remote, tokenFile: file }, {});
  expect(token()).toBe('one');
  writeFileSync(file, 'two');
  expect(token()).toBe('two');
});

test.each([['empty.token'], ['missing.token']])(
  'a token file without a token is refused: %s',
  (name) => {
    const { token } = resolveConnection({ server: remote, tokenFile: dir(name) }, {});
    expect(token).toThrow(UsageError);
  },
);

test.each([
  ['several lines', 'one\ntwo\n', 'several lines'],
  ['other letters', 'tök€n', 'characters that no token has'],
])('a token of %s is refused, wherever it is from', (_name, text, why) => {
  const tokenFile = dir('odd.token');
  writeFileSync(tokenFile, text);
  const server = 'http://a.example';
  const tokenOf = (options: { token?: string; tokenFile?: string }, env = {}) =>
    resolveConnection({ server, ...options }, env).token;
  expect(tokenOf({ tokenFile })).toThrow(`There is no token in ${tokenFile}: it has ${why}.`);
  expect(tokenOf({ token: text })).toThrow(`There is no token in the value of --token: it has`);
  expect(tokenOf({}, { TUTTI_TOKEN: text })).toThrow('There is no token in TUTTI_TOKEN: it has');
});

test('a token file in UTF-16 is reported as such', () => {
  const tokenFile = dir('utf16.token');
  writeFileSync(tokenFile, Buffer.from('\ufeffeyJ\r\n', 'utf16le'));
  const { token } = resolveConnection({ server: remote, tokenFile }, {});
  const why = 'it has another encoding, such as UTF-16, and not that of plain text.';
  expect(token).toThrow(`There is no token in ${tokenFile}: ${why}`);
});

test('a token and a file of one are refused together, whatever the environment has', () => {
  const options = { server: remote, token: 'T', tokenFile: dir('given.token') };
  const both = () => resolveConnection(options, { TUTTI_TOKEN: 'E' });
  expect(both).toThrow('--token and --token-file both name a token.');
});

test.each([['127.0.0.1:7774'], ['ftp://host'], ['']])(
  '"%s" is no address of a server',
  (server) => {
    expect(() => resolveConnection({ server }, {})).toThrow(UsageError);
  },
);
