/** An existing installation that moves: its files are imported, and a server is started with what came of them. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, createApi, detailsOf, itemsOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import {
  type ExistingConfiguration,
  existingToken,
  INSIDE,
  writeExistingConfiguration,
} from '../support/existing-configuration.ts';
import { allEvents, ended, logOf, oneJob, sh, start } from '../support/runs.ts';
import { Workbench } from '../support/workbench.ts';
import { type CliProcess, type CliResult, runCli, startCli } from './cli-process.ts';

const TUTTI = join(import.meta.dirname, '../../cli/bin/tutti.js');
const NEW = 'tutti-config';

let bench: Workbench;
let old: ExistingConfiguration;
let actual: CliResult;
let server: CliProcess;
let admin: Api & { readonly token: string };

const path = (name: string): string => join(old.folder, name);
const urlOf = (service: string): string => `http://127.0.0.1:${old.ports[service]}`;
const by = (token: string): Api => createApi(urlOf('receptionist'), token);

beforeAll(async () => {
  bench = await Workbench.open();
  old = await writeExistingConfiguration(bench.path('existing'));
  const options = { cwd: old.folder };
  const words = ['conf', 'client', 'variables.env', '--map', `${INSIDE}=etc`];
  actual = await runCli(['import-config', ...words], options);
  const start = /^To start the server: \S+ \S+ (server .*)$/m.exec(actual.stdout)?.[1] ?? '';
  server = startCli(start.split(' '), options);
  await server.said(/^Tutti is ready on http:\S+$/m);
  const token = readFileSync(path('.tutti/admin.token'), 'utf8').trim();
  admin = { ...by(token), token };
});

afterAll(async () => {
  server?.kill('SIGKILL');
  await server?.ended;
  await bench.close();
});

describe('what the import says', () => {
  test('names what is not carried over, and ends with 1', () => {
    const [, left = ''] = /^Not carried over:\n((?: {2}.*\n)*)/m.exec(actual.stdout) ?? [];
    const places = left.split('\n').flatMap((line) => / {2}(\S+: [^:]+):/.exec(line)?.[1] ?? []);
    expect(places).toEqual([
      'client/config: contexts.default.namespace',
      'client/config: contexts.broken.orchestrator',
      'client/config: orchestrators.default.insecure-skip-tls-verify',
      'client/config: users.default.step-depth',
      'etc/tokens.csv: line 3',
      'etc/policies.jsonl: line 2',
      'etc/retention.yaml: retentionPolicy.releases',
      'etc/gates.yaml: qualitygates.strict',
      'conf/sshchannel.yaml: pools.linuxes[0]',
      'variables.env: OPENTF_TRUSTEDKEYS_AUT_FILE',
      'conf/arranger.yaml: max_jobz',
    ]);
    expect([actual.code, actual.stderr]).toEqual([1, '']);
  });

  test('has no secret', () => {
    expect(old.secrets.filter((secret) => actual.stdout.includes(secret))).toEqual([]);
  });

  test('is true of the files with secrets: only their owner can read them', () => {
    const files = readdirSync(path(NEW), { recursive: true, encoding: 'utf8' });
    const secret = files.filter((name) => {
      const file = path(join(NEW, name));
      if (statSync(file).isDirectory()) return false;
      const text = readFileSync(file, 'utf8');
      return old.secrets.some((each) => text.includes(each));
    });
    expect(secret.toSorted()).toEqual(['access/tokens.csv', 'clients/default.env']);
    const modes = secret.map((name) => statSync(path(join(NEW, name))).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600]);
  });
});

describe('the server', () => {
  test('takes the tokens of the authorities, with their namespaces', async () => {
    const namespaces = async (token: string) => itemsOf(await by(token).call('GET', '/namespaces'));
    expect(await namespaces(existingToken(old.keys.team, 'a'))).toEqual(['team-a', 'team-b']);
    expect(await namespaces(existingToken(old.keys.everybody, 'b'))).toEqual(['*']);
    expect(await namespaces(existingToken(old.keys.plain, 'c'))).toEqual(['default']);
  });

  test('takes the tokens of the file as its policies say', async () => {
    const alice = by('al1ce-s3cret');
    expect((await alice.call('GET', '/workflows')).code).toBe(200);
    const query = 'namespace=team-a';
    const started = await alice.call('POST', '/workflows', {
      body: oneJob('no', [sh('true')]),
      query,
    });
    expect(started.code).toBe(403);
    expect((await by('b0b-s3cret').call('GET', '/workflows')).code).toBe(401);
  });

  test('listens where the services did', async () => {
    const outer = Object.keys(old.ports).filter((name) => name !== 'arranger');
    const codes = outer.map(async (service) => {
      const api = createApi(urlOf(service), existingToken(old.keys.everybody, 'b'));
      return (await api.call('GET', '/workflows')).code;
    });
    expect(await Promise.all(codes)).toEqual(outer.map(() => 200));
    const prefixed = createApi(`${urlOf('observer')}/receptionist`, 'al1ce-s3cret');
    expect((await prefixed.call('GET', '/workflows')).code).toBe(200);
  });

  test('runs the hooks, makes the insights and knows the gates', async () => {
    await bench.agent(admin, { tags: ['linux'] });
    const id = await start(admin, oneJob('moved', [sh('echo moved')]));
    expect(await ended(admin, id)).toBe('DONE');
    expect(await logOf(admin, id)).toContain('told by the operator');
    const query = 'mode=release';
    const gate = await admin.call('GET', `/workflows/${id}/qualitygate`, { query });
    expect([gate.code, detailsOf(gate).status]).toEqual([200, 'NOTEST']);
    const other = await admin.call('GET', `/workflows/${id}/qualitygate`, { query: 'mode=nope' });
    expect(other.code).toBe(422);
    await eventually('the insight', async () => {
      const results = (await allEvents(admin, id)).filter(({ kind }) => kind === 'WorkflowResult');
      return JSON.stringify(results).includes('fulllog');
    });
  });
});

test('commands find the server with the file of a context', async () => {
  const waiting = oneJob('for the team', [sh('true')], { 'runs-on': 'nowhere' });
  await start(admin, waiting, 'namespace=team-a');
  await start(admin, { ...waiting, metadata: { name: 'for others' } }, 'namespace=team-c');
  const script = 'set -a; . ./tutti-config/clients/default.env; set +a; exec "$0" "$1" status';
  const words = ['-c', script, process.execPath, TUTTI];
  const { PATH = '' } = process.env;
  const { stdout } = await promisify(execFile)('sh', words, { cwd: old.folder, env: { PATH } });
  expect(stdout).toContain('for the team');
  expect(stdout).not.toContain('for others');
});

test('retention is as long as before, as far as one time can be', () => {
  const text = readFileSync(path(join(NEW, 'server.yaml')), 'utf8');
  expect(text).toContain('retention:\n  runs: 500\n  minutes: 2880\n');
});
