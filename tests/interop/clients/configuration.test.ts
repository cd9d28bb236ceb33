/** Configuration of existing clients: addresses of a server, and tokens. */
import { generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { detailsOf } from '../../support/api.ts';
import { oneJob, sh, start } from '../../support/runs.ts';
import { type ServerChild, Workbench } from '../../support/workbench.ts';
import { featuresOf } from '../feature.ts';
import { CLIENT_AREA } from './area.ts';
import { type Ctl, idOf, openCtl } from './ctl.ts';
import { openForwarder } from './forwarder.ts';
import { freePorts, onPorts, type Ports, SERVICES } from './service-places.ts';
import { FIRST, MIDDLE, OLD } from './subjects.ts';

const NOWHERE = 'http://127.0.0.1:9';
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

let bench: Workbench;
let server: ServerChild;
let ports: Ports;
const feature = featuresOf(CLIENT_AREA);
const keys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

beforeAll(async () => {
  bench = await Workbench.open();
  ports = await freePorts();
  const path = bench.path('key.pub');
  await writeFile(path, keys.publicKey);
  const auth = { trustedKeys: [{ path, namespaces: '*' }] };
  server = await bench.server({ config: { ...onPorts(ports), auth } });
});

afterAll(() => bench.close());

const WAITING = oneJob('waiting', [sh('true')], { 'runs-on': 'nowhere' });

/** One command for each service that all clients know. Each of these commands is answered by the server, and by no other. */
async function visitServices(ctl: Ctl): Promise<string> {
  await ctl.write('waiting.yaml', WAITING);
  const id = idOf(await ctl.run('run', 'workflow', 'waiting.yaml'));
  expect((await ctl.run('get', 'workflow', id)).stdout).toContain('nowhere');
  expect((await ctl.run('kill', 'workflow', id)).code).toBe(0);
  expect((await ctl.run('get', 'subscriptions')).stdout).toContain('arranger');
  expect((await ctl.run('delete', 'agent', UNKNOWN)).stderr).toMatch(/not known|not found/);
  return id;
}

/** One command for each service that only newer clients know. */
async function visitNewServices(ctl: Ctl, id: string): Promise<void> {
  expect((await ctl.run('get', 'qualitygate', id)).code).toBe(102);
  expect((await ctl.run('cp', `${id}:${UNKNOWN}`, '.')).stderr).toContain('not found.');
  await ctl.write('insights.yaml', { insights: [{ name: 'log', kind: 'ExecutionLog' }] });
  const made = await ctl.run('generate', 'report', id, 'using', 'insights.yaml');
  expect(made.stdout).toContain('is downloaded at');
}

feature('finds each service at its port', async (run) => {
  const isOld = OLD.includes(run.subject);
  const services = Object.fromEntries(SERVICES.map((name) => [name, { port: ports[name] }]));
  const places = isOld ? { ports } : { ports: undefined, services };
  const ctl = await openCtl(bench, { ...server, url: NOWHERE }, run, { orchestrator: places });
  const id = await visitServices(ctl);
  if (run.subject === MIDDLE) expect((await ctl.run('get', 'qualitygate', id)).code).toBe(102);
  if (!isOld) await visitNewServices(ctl, id);
});

feature('finds each service below its prefix', async (run) => {
  const services = Object.fromEntries(SERVICES.map((name) => [name, { prefix: `of/${name}` }]));
  const orchestrator = { ports: undefined, services };
  const ctl = await openCtl(bench, server, run, { orchestrator });
  await visitNewServices(ctl, await visitServices(ctl));
  // A slash too much.
  const slashed = { ports: undefined, services: { observer: { prefix: '/of/observer' } } };
  const other = await openCtl(bench, server, run, { orchestrator: slashed });
  expect((await other.run('get', 'workflows')).code).toBe(0);
});

feature('follows links to its own address only, if it is told to', async (run) => {
  const forwarder = await openForwarder(server, { 'x-forwarded-host': '127.0.0.1:9' });
  run.context.onTestFinished(() => forwarder.close());
  const id = await start(server, {
    metadata: { name: 'large' },
    jobs: Object.fromEntries(
      Array.from({ length: 120 }, (_, index) => [
        `job${index}`,
        { 'runs-on': 'nowhere', steps: [sh('true')] },
      ]),
    ),
  });
  const get = async (observer: object) => {
    const orchestrator = { ports: undefined, services: { observer }, 'max-retry': 0 };
    const ctl = await openCtl(bench, { ...server, url: forwarder.url }, run, { orchestrator });
    return ctl.run('get', 'workflow', id);
  };
  expect((await get({})).code).toBe(2);
  const forced = await get({ 'force-base-url': true });
  expect([forced.code, forced.stdout]).toEqual([0, expect.stringContaining('"job119"')]);
});

feature('makes a token that the server takes', async (run) => {
  const ctl = await openCtl(bench, server, run, { user: { token: 'none' } });
  await ctl.write('key', keys.privateKey);
  const { stdout } = await ctl.answer(
    `\n${run.id}\na person\n\n\n`,
    ...['generate', 'token', 'using', 'key'],
  );
  const [token] = /eyJ[-\w]+\.[-\w]+\.[-\w]+/.exec(stdout) ?? [];
  expect((await ctl.run('get', 'subscriptions', `--token=${token}`)).stdout).toContain('arranger');
});

feature('inspects and checks tokens', async (run) => {
  const ctl = await openCtl(bench, server, run);
  await ctl.write('key.pub', keys.publicKey);
  await ctl.write('key', keys.privateKey);
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await ctl.write('other.pub', other.publicKey.export({ type: 'spki', format: 'pem' }));
  const made = await ctl.answer(
    '\nan authority\na person\n\n\n',
    'generate',
    'token',
    'using',
    'key',
  );
  const [token = ''] = /eyJ[-\w]+\.[-\w]+\.[-\w]+/.exec(made.stdout) ?? [];
  expect((await ctl.run('view', 'token', token)).stdout).toContain("'iss': 'an authority'");
  expect((await ctl.run('check', 'token', token, 'using', 'key.pub')).code).toBe(0);
  // The administrator's, of the server itself.
  expect((await ctl.run('view', 'token', server.token)).stdout).toContain("'sub': 'admin'");
  const foreign = await ctl.run('check', 'token', server.token, 'using', 'other.pub');
  expect(foreign.code).toBe(102);
  expect((await ctl.run('check', 'token', 'none', 'using', 'key.pub')).code).toBe(2);
});

feature('shows its configuration without the token', async (run) => {
  const ctl = await openCtl(bench, server, run);
  const { code, stdout } = await ctl.run('config', 'view');
  expect(stdout).toContain('token: REDACTED');
  expect(stdout).not.toContain(server.token);
  expect(code).toBe(0);
});

feature('writes, changes and uses its configuration', async (run) => {
  const ctl = await openCtl(bench, { url: NOWHERE, token: 'none' }, run);
  const config = async (...words: readonly string[]) => {
    const { code, stderr } = await ctl.run('config', ...words);
    expect([code, stderr.includes('ERROR')]).toEqual([0, false]);
  };
  await config('set-orchestrator', 'real', `--server=${server.url}`);
  await config('set-credentials', 'person', `--token=${server.token}`);
  await config('set-context', 'real', '--orchestrator=real', '--user=person');
  await config('set-context', 'real', '--namespace=team');
  await config('use-context', 'real');
  expect((await ctl.run('get', 'subscriptions')).code).toBe(0);
  await ctl.write('waiting.yaml', WAITING);
  const id = idOf(await ctl.run('run', 'workflow', 'waiting.yaml'));
  const answer = await server.call('GET', `/workflows/${id}/status`, { query: 'per_page=1' });
  // The middle one writes a namespace, and reads none.
  const namespace = run.subject === MIDDLE ? 'default' : 'team';
  expect(detailsOf(answer).items).toMatchObject([{ metadata: { namespace } }]);
  await config('delete-context', 'default');
  await config('delete-orchestrator', 'here');
  await config('delete-credentials', 'me');
  const written = await readFile(join(ctl.home, '.opentf/config'), 'utf8');
  expect(written).not.toContain(NOWHERE);
});

feature('takes token, server and context from options and environment', async (run) => {
  const ctl = await openCtl(bench, { url: NOWHERE, token: 'none' }, run);
  const real = await openCtl(bench, server, run);
  const file = join(real.home, '.opentf/config');
  const get = ['get', 'subscriptions', '--max-retry=0'].slice(0, OLD.includes(run.subject) ? 2 : 3);
  const codes = async (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    (await ctl.start([...get, ...words], { env }).whenEnded).code;
  expect(await codes([`--opentfconfig=${file}`])).toBe(0);
  expect(await codes([], { OPENTF_CONFIG: file })).toBe(0);
  expect(await codes([`--opentfconfig=${file}`, '--token=wrong'])).not.toBe(0);
  expect(await codes([`--opentfconfig=${file}`, '--user=nobody'])).toBe(2);
  expect(await codes([`--opentfconfig=${file}`, '--orchestrator=none'])).toBe(2);
  expect(await codes([`--opentfconfig=${file}`, '--context=none'])).not.toBe(0);
  expect(await codes(['--opentfconfig=/nowhere'])).toBe(2);
  if (run.subject === FIRST) return;
  expect(await codes([`--opentfconfig=${file}`], { OPENTF_TOKEN: 'wrong' })).not.toBe(0);
});

feature('ends with an error when there is no server, or its token is refused', async (run) => {
  const lost = await openCtl(bench, { ...server, url: NOWHERE }, run);
  await lost.write('waiting.yaml', WAITING);
  expect((await lost.run('run', 'workflow', 'waiting.yaml')).code).toBe(2);
  const refused = await openCtl(bench, { ...server, token: 'none' }, run);
  await refused.write('waiting.yaml', WAITING);
  const { code, stdout, stderr } = await refused.run('run', 'workflow', 'waiting.yaml');
  expect(stdout + stderr).toContain('Invalid JWT token.');
  expect(code).toBe(1);
});

feature('ends with 1 without a command, and for one that is not known', async (run) => {
  const ctl = await openCtl(bench, server, run);
  expect((await ctl.run()).code).toBe(1);
  expect((await ctl.run('nonsense')).code).toBe(1);
  expect(await ctl.run('--help')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('get workflow {workflow_id}'),
  });
});

feature('tries again as often as it is told to', async (run) => {
  const ctl = await openCtl(bench, { ...server, token: 'none' }, run);
  const { code, stderr } = await ctl.run(
    ...['get', 'namespaces', '--max-retry', '2', '--polling-delay', '0'],
  );
  expect(stderr.match(/got 401/g)).toHaveLength(3);
  expect(code).toBe(2);
});
