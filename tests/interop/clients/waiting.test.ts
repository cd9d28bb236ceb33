/** `opentf-ready` and `opentf-done`. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { need } from '../../support/found-tool.ts';
import { ended, start } from '../../support/runs.ts';
import { type ServerChild, Workbench } from '../../support/workbench.ts';
import { type FeatureRun, featuresOf } from '../feature.ts';
import { installed } from '../installation.ts';
import { type Ended, Program } from '../program.ts';
import { labelOf, type Subject } from '../subjects.ts';
import { WAITING_AREA } from './area.ts';
import { initServices, openEngine } from './container-engine.ts';
import { openForwarder } from './forwarder.ts';
import { answerOf } from './recorded-client.ts';
import { publish, UNKNOWN, waiting } from './sample-events.ts';

let bench: Workbench;
let idle: ServerChild;
let busy: ServerChild;
const feature = featuresOf(WAITING_AREA);

beforeAll(async () => {
  bench = await Workbench.open();
  [idle, busy] = await Promise.all([bench.server(), bench.server()]);
  await start(busy, waiting());
});

afterAll(() => bench.close());

type Place = Pick<ServerChild, 'url' | 'token'>;
type Env = Readonly<Record<string, string>>;

/** Starts one of the programs for a server. */
function launch(
  command: string,
  { url, token }: Place,
  { program, id }: FeatureRun<Subject>,
  words: readonly string[],
  env: Env = {},
): Program {
  const { protocol, hostname, port } = new URL(url);
  const place = ['--host', `${protocol}//${hostname}`, '--port', port, '--token', token];
  return new Program(program, command, [...place, ...words], { home: bench.path(id), env });
}

const runTo = (
  command: string,
  place: Place,
  run: FeatureRun<Subject>,
  ...words: readonly string[]
): Promise<Ended> => launch(command, place, run, words).whenEnded;

const SERVICES = 'arranger,Observer,agentchannel,localstore,insightcollector,qualitygate';

feature('opentf-ready ends with 0 once the expected services are there', async (run) => {
  const known = `${SERVICES},receptionist,killswitch`;
  expect((await runTo('opentf-ready', idle, run, '--services', known)).code).toBe(0);
});

/** The library by which it asks an engine of containers; its package leaves it to its users to install it. */
const LIBRARY = { program: 'docker', version: '7.2.0' };

/** Where Python finds it. */
async function libraryPath({ context }: FeatureRun<Subject>): Promise<string> {
  const { folder } = need(await installed(LIBRARY), labelOf(LIBRARY), context);
  const [python] = (await readdir(join(folder, 'lib'))).filter((name) => /^python3/.test(name));
  return join(folder, 'lib', python ?? '', 'site-packages');
}

// For images that others make.
feature(
  '8.71: opentf-ready waits for a container, and for the services that it names',
  async (run) => {
    const engine = await openEngine('the-container', bench.path('engine'), run.context);
    const env = { PYTHONPATH: await libraryPath(run), DOCKER_HOST: engine.host };
    const ready = launch(
      ...(['opentf-ready', idle, run] as const),
      ['--container_id', 'the-container', '--debug'],
      env,
    );
    const asked = (path: string, times = 1) =>
      eventually(`${path} of the container`, () => {
        const found = engine.asked.filter((one) => one.includes(path));
        return found.length >= times ? found.length : null;
      });
    await asked('/json');
    expect(engine.asked.filter((path) => path.includes('/archive'))).toEqual([]);
    engine.run();
    await asked('/archive');
    const services = [...SERVICES.split(','), 'receptionist', 'killswitch'];
    await engine.place({ services, checksum: 'wrong' });
    const looks = await asked('/archive');
    await asked('/archive', looks + 2);
    await engine.place(initServices(services));
    expect((await ready.whenEnded).code).toBe(0);
  },
);

feature('opentf-ready ends with 1 when they are not in time', async (run) => {
  const words = ['--services', `${SERVICES},nobody`, '--timeout', '2'];
  const { code, stderr } = await runTo('opentf-ready', idle, run, ...words);
  expect([code, stderr]).toEqual([1, expect.stringContaining('Timeout exceeded')]);
});

feature('opentf-done ends with 0 once nothing runs', async (run) => {
  const server = await bench.server();
  const id = await start(server, waiting());
  const forwarder = await openForwarder(server);
  run.context.onTestFinished(() => forwarder.close());
  const through = { url: forwarder.url, token: server.token };
  const done = launch('opentf-done', through, run, ['--polling_delay', '1']);
  await eventually('a first look', () => forwarder.exchanges.length > 0);
  await server.call('DELETE', `/workflows/${id}`);
  expect((await done.whenEnded).code).toBe(0);
});

feature('8.51: opentf-done waits for workers on a workflow that is over', async (run) => {
  const server = await bench.server();
  const id = await start(server, waiting());
  const worker = (status: string) =>
    publish(server, 'Notification', id, { spec: { worker: { worker_id: UNKNOWN, status } } });
  await worker('setup');
  await server.call('DELETE', `/workflows/${id}`);
  expect(await ended(server, id)).toBe('FAILED');
  const forwarder = await openForwarder(server);
  run.context.onTestFinished(() => forwarder.close());
  const through = { url: forwarder.url, token: server.token };
  const done = launch('opentf-done', through, run, ['--polling_delay', '1']);
  await eventually('a second look', () => forwarder.exchanges.length > 1);
  for (const exchange of forwarder.exchanges) {
    expect(answerOf(exchange)).toMatchObject({ details: { items: [], status: 'BUSY' } });
  }
  await worker('teardown');
  expect((await done.whenEnded).code).toBe(0);
  expect(answerOf(forwarder.exchanges.at(-1))).toMatchObject({ details: { status: 'IDLE' } });
});

feature('opentf-done ends with 1 when something still runs after its time', async (run) => {
  const words = ['--polling_delay', '1', '--timeout', '1'];
  expect((await runTo('opentf-done', busy, run, ...words)).code).toBe(1);
});

feature(
  'opentf-ready and opentf-done work with an empty token where none is needed',
  async (run) => {
    const { url } = await bench.server({ config: { auth: { insecureLogin: true } } });
    const place = { url, token: '' };
    expect((await runTo('opentf-ready', place, run, '--services', SERVICES)).code).toBe(0);
    expect((await runTo('opentf-done', place, run)).code).toBe(0);
  },
);

feature('opentf-done ends with 2 when its token is refused', async (run) => {
  const refused = { url: idle.url, token: 'none' };
  expect((await runTo('opentf-done', refused, run)).code).toBe(2);
});
