/** Services by ports and path prefixes of their own, as existing clients and agents are configured for (client facts 1.2). */
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, createApi, nextLinkOf } from '../support/api.ts';
import { freePort } from '../support/free-port.ts';
import { ended, oneJob, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { startCli } from './cli-process.ts';

const NAMES = [
  'receptionist',
  'observer',
  'killswitch',
  'eventbus',
  'agentchannel',
  'qualitygate',
  'localstore',
  'insightcollector',
] as const;

let bench: Workbench;
let server: ServerChild;
const ports = new Map<string, number>();

const on = (name: string, prefix = '') =>
  createApi(`http://127.0.0.1:${ports.get(name)}${prefix}`, server.token);

beforeAll(async () => {
  bench = await Workbench.open();
  for (const name of NAMES) ports.set(name, await freePort());
  const services = NAMES.map((name) => ({ name, port: ports.get(name), prefix: `/of/${name}` }));
  server = await bench.server({ config: { servicePorts: true, services } });
});

afterAll(() => bench.close());

describe.each(NAMES)('the port of %s', (name) => {
  test('has the whole interface, with and without the prefix of each service', async () => {
    for (const path of ['/workflows', '/subscriptions', '/agents', '//of/observer/workflows']) {
      expect((await on(name).call('GET', path)).code).toBe(200);
    }
    expect((await on(name, `/of/${name}`).call('GET', '/workflows')).code).toBe(200);
    expect((await on(name, '/of/nobody').call('GET', '/workflows')).code).toBe(404);
  });
});

test('a workflow is sent to one, run by an agent at another, and watched at a third', async () => {
  const { token } = server;
  const url = `http://127.0.0.1:${ports.get('agentchannel')}/of/agentchannel`;
  await bench.agent({ url, token }, { tags: ['linux'] });
  const id = await start(on('receptionist'), oneJob('by ports', [sh('echo one'), sh('echo two')]));
  expect(await ended(on('observer'), id)).toBe('DONE');
});

test('links lead to the port and prefix that the client used', async () => {
  const id = await start(on('receptionist'), oneJob('links', [sh('true')], { 'runs-on': 'none' }));
  const page = await on('observer', '/of/observer').call('GET', `/workflows/${id}/status`, {
    query: 'per_page=1',
  });
  const next = new URL(nextLinkOf(page) ?? '');
  expect(next.port).toBe(String(ports.get('observer')));
  expect(next.pathname).toBe(`/of/observer/workflows/${id}/status`);
});

test('a server ends in order while connections to such ports are open and idle', async () => {
  const other = await freePort();
  const all = NAMES.map((name) => ({ name, port: other }));
  const stopping = await bench.server({ config: { servicePorts: true, services: all } });
  const api = createApi(`http://127.0.0.1:${other}`, stopping.token);
  expect((await api.call('GET', '/agents')).code).toBe(200);
  await stopping.child.kill('SIGTERM');
  expect(stopping.child.stderr).not.toMatch(/"level":"(?:error|fatal)"/);
});

test('a port that is taken keeps the server from starting, and is named', async () => {
  const taken = createServer();
  const port = await freePort();
  await new Promise<void>((resolve) => taken.listen(port, '127.0.0.1', resolve));
  const services = NAMES.map((name) => ({ name, port }));
  const cli = startCli(
    [
      'server',
      '--port',
      '0',
      '--data-dir',
      bench.path('taken'),
      '--service-ports',
      '--services',
      JSON.stringify(services),
    ],
    { cwd: bench.folder },
  );
  expect(await cli.ended).toBe(2);
  expect(cli.stderr()).toContain(`Cannot listen on 127.0.0.1, port ${port}: it is taken.`);
  expect(cli.stderr()).toContain('give the service of that port another one in `services`');
  taken.close();
});

test('a prefix that hides paths of the interface keeps the server from starting', async () => {
  const cli = startCli(
    [
      'server',
      '--port',
      '0',
      '--data-dir',
      bench.path('prefix'),
      '--services',
      '[{"name": "agentchannel", "prefix": "/agents"}]',
    ],
    { cwd: bench.folder },
  );
  expect(await cli.ended).toBe(2);
  expect(cli.stderr()).toContain(
    'the prefix /agents of agentchannel begins as paths of the interface do',
  );
});

test.each([
  [true, 'RUNNING'],
  [false, 'PENDING'],
])('with pendingAsRunning %s a workflow that waits is %s', async (pendingAsRunning, expected) => {
  const asked = await bench.server({ config: { pendingAsRunning } });
  const id = await start(asked, oneJob('waits', [sh('true')], { 'runs-on': 'none' }));
  const answer = await asked.call('GET', `/workflows/${id}/status`);
  expect(bodyOf(answer)).toMatchObject({ details: { status: expected } });
});
