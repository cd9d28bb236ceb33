import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { ImportBench, serviceFile } from '../import-config/testing.ts';
import { runCommand } from '../testing/run-command.ts';

const bench = new ImportBench();
afterAll(() => bench.close());

const client = (token: string) => ({
  kind: 'CtlConfig',
  'current-context': 'here',
  contexts: [{ name: 'here', context: { orchestrator: 'o', user: 'u' } }],
  orchestrators: [{ name: 'o', orchestrator: { server: 'http://127.0.0.1:7774' } }],
  users: [{ name: 'u', user: { token } }],
});

beforeEach(() => {
  bench.write({
    'conf/observer.yaml': serviceFile({ retention_period_minutes: 60 }),
    client: client('t0p-s3cret'),
    'wrong.yaml': 'kind: ServiceConfig\ntoken: [t0p-s3cret\n',
  });
});

test('a complete import ends with 0, and prints the next steps', async () => {
  const { code, stdout, stderr } = await bench.run('@conf', '@client', '--save-to', '@done');
  expect(stderr).toBe('');
  expect(stdout).toBe(`Written to done:
  clients/here.env (has secrets; only you can read it)
  server.yaml
Carried over:
  client: users.u.token -> clients/here.env
  client: contexts.here -> clients/here.env
  conf/observer.yaml: retention_period_minutes -> retention.minutes
To start the server: tutti server --config done/server.yaml
For commands: set -a; . done/clients/here.env; set +a
`);
  expect(code).toBe(0);
  expect(readFileSync(bench.path('done/server.yaml'), 'utf8')).toBe(
    '# Made by tutti import-config. "tutti docs reference/settings" has all keys.\nretention:\n  minutes: 60\n',
  );
  expect(readdirSync(bench.folder).filter((name) => name.startsWith('.'))).toEqual([]);
});

test('the configuration of the client is the one that clients read, if none is named', async () => {
  const import_ = async (env: Readonly<Record<string, string>>) =>
    runCommand(['import-config', '--dry-run'], { env });
  bench.write({ 'home/.opentf/config': client('of-home') });
  for (const env of [{ HOME: bench.path('home') }, { OPENTF_CONFIG: bench.path('client') }]) {
    const { code, stdout } = await import_(env);
    expect([code, stdout]).toEqual([0, expect.stringContaining('users.u.token -> ')]);
  }
  expect(await import_({ HOME: '/nowhere' })).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'tutti: There is no configuration of a client at /nowhere/.opentf/config.\n' +
      'What to do: name the files, or directories of files, that are to be imported.\n',
  });
});

test('programs get each setting with its result', async () => {
  bench.write({ 'more/arranger.yaml': serviceFile({ max_jobs: 2000 }) });
  const words = ['@more', '@conf', '--save-to', '@json', '-o', 'json'];
  const { code, stdout } = await bench.run(...words);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    directory: 'json',
    written: true,
    files: [{ path: 'server.yaml', secret: false }],
    items: [
      {
        ...{ file: 'conf/observer.yaml', key: 'retention_period_minutes', outcome: 'carried' },
        ...{ to: 'retention.minutes', why: null, next: null },
      },
      {
        ...{ file: 'more/arranger.yaml', key: 'max_jobs', outcome: 'left-out', to: null },
        ...{ why: 'A workflow may have 1024 jobs.', next: 'split larger ones' },
      },
    ],
  });
});

test('a dry run writes nothing', async () => {
  const { code, stdout } = await bench.run('@conf', '--save-to', '@dry', '--dry-run');
  expect([code, stdout]).toEqual([0, expect.stringContaining('Would be written to dry:')]);
  expect(existsSync(bench.path('dry'))).toBe(false);
});

test('an unreadable file stops the import, and its text is not shown', async () => {
  const { code, stdout, stderr } = await bench.run('@conf', '@wrong.yaml', '--save-to', '@half');
  expect(stderr).toBe(
    'tutti: Nothing was imported: wrong.yaml is no valid YAML (line 2, column 8).\n' +
      'What to do: correct the file, or name the others without it.\n',
  );
  expect([code, stdout, existsSync(bench.path('half'))]).toEqual([2, '', false]);
});

test('a missing path is reported', async () => {
  const { code, stderr } = await bench.run('@nope', '--save-to', '@half');
  expect(stderr).toBe(
    'tutti: Cannot read nope: there is no such file.\n' +
      'What to do: choose another path, or see to it that this account may use this one.\n',
  );
  expect([code, existsSync(bench.path('half'))]).toEqual([2, false]);
});

test('files that are there are replaced only when that is said', async () => {
  bench.write({ 'there/server.yaml': 'mine', 'there/notes': 'mine' });
  const words = ['@conf', '@client', '--save-to', '@there'];
  expect(await bench.run(...words)).toMatchObject({
    code: 2,
    stdout: '',
    stderr:
      'tutti: There is a file there/server.yaml already.\n' +
      'What to do: choose another directory with --save-to, or replace what is there with --force.\n',
  });
  expect(readdirSync(bench.path('there')).sort()).toEqual(['notes', 'server.yaml']);
  expect((await bench.run(...words, '--force')).code).toBe(0);
  const names = readdirSync(bench.path('there')).sort();
  expect(names).toEqual(['clients', 'notes', 'server.yaml']);
  expect(readFileSync(bench.path('there/server.yaml'), 'utf8')).toContain('retention:');
});

test('when a file cannot be moved to its place, all is as it was before', async () => {
  bench.write({
    'gates.yaml': { qualitygates: [{ name: 'g', rules: [{ rule: { threshold: '100%' } }] }] },
    'blocked/clients/here.env': 'mine',
    // Blocks a directory: the failure comes after the file before it was replaced.
    'blocked/quality-gates': 'mine',
  });
  const words = ['@conf', '@client', '@gates.yaml', '--save-to', '@blocked', '--force'];
  const { code, stdout, stderr } = await bench.run(...words);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('blocked/quality-gates: a file of that name is in the way.');
  expect(readdirSync(bench.path('blocked')).sort()).toEqual(['clients', 'quality-gates']);
  expect(readFileSync(bench.path('blocked/clients/here.env'), 'utf8')).toBe('mine');
});

test('a file of secrets is closed to others even where the old one was open', async () => {
  bench.write({ 'open/clients/here.env': 'mine' });
  chmodSync(bench.path('open/clients/here.env'), 0o644);
  expect((await bench.run('@client', '--save-to', '@open', '--force')).code).toBe(0);
  expect(statSync(bench.path('open/clients/here.env')).mode & 0o777).toBe(0o600);
});

test('files without settings for this server write nothing', async () => {
  bench.write({ 'none/max.yaml': serviceFile({ telemetry: true }) });
  const { code, stdout } = await bench.run('@none', '--save-to', '@nothing');
  expect(stdout).toBe(
    'Not needed:\n  none/max.yaml: telemetry: Nothing is sent anywhere.\nThere is nothing to write.\n',
  );
  expect([code, existsSync(bench.path('nothing'))]).toEqual([0, false]);
});

test('a mapping without its = is refused', async () => {
  const { code, stderr } = await bench.run('@conf', '--map', '/etc');
  expect([code, stderr]).toEqual([
    2,
    'tutti: --map takes name=value, not "/etc".\nWhat to do: write a name, then =, then the value behind it.\n',
  ]);
});
