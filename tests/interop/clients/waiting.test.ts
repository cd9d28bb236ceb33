/** `opentf-ready` and `opentf-done`. */
import { afterAll, beforeAll, expect } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { oneJob, sh, start } from '../../support/runs.ts';
import { type ServerChild, Workbench } from '../../support/workbench.ts';
import { type FeatureRun, featuresOf } from '../feature.ts';
import { type Ended, Program } from '../program.ts';
import type { Subject } from '../subjects.ts';
import { WAITING_AREA } from './area.ts';
import { openForwarder } from './forwarder.ts';

let bench: Workbench;
let idle: ServerChild;
let busy: ServerChild;
const feature = featuresOf(WAITING_AREA);

beforeAll(async () => {
  bench = await Workbench.open();
  [idle, busy] = await Promise.all([bench.server(), bench.server()]);
  await start(busy, oneJob('waiting', [sh('true')], { 'runs-on': 'nowhere' }));
});

afterAll(() => bench.close());

/** Starts one of the programs for a server. */
function launch(
  command: string,
  { url, token }: Pick<ServerChild, 'url' | 'token'>,
  { program, id }: FeatureRun<Subject>,
  ...words: readonly string[]
): Program {
  const { protocol, hostname, port } = new URL(url);
  const place = ['--host', `${protocol}//${hostname}`, '--port', port, '--token', token];
  return new Program(program, command, [...place, ...words], { home: bench.path(id) });
}

const runTo = (...words: Parameters<typeof launch>): Promise<Ended> => launch(...words).whenEnded;

const SERVICES = 'arranger,Observer,agentchannel,localstore,insightcollector,qualitygate';

feature('opentf-ready ends with 0 once the expected services are there', async (run) => {
  const known = `${SERVICES},receptionist,killswitch`;
  expect((await runTo('opentf-ready', idle, run, '--services', known)).code).toBe(0);
});

feature('opentf-ready ends with 1 when they are not in time', async (run) => {
  const words = ['--services', `${SERVICES},nobody`, '--timeout', '2'];
  const { code, stderr } = await runTo('opentf-ready', idle, run, ...words);
  expect([code, stderr]).toEqual([1, expect.stringContaining('Timeout exceeded')]);
});

feature('opentf-done ends with 0 once nothing runs', async (run) => {
  const server = await bench.server();
  const id = await start(server, oneJob('waiting', [sh('true')], { 'runs-on': 'nowhere' }));
  const forwarder = await openForwarder(server);
  run.context.onTestFinished(() => forwarder.close());
  const through = { url: forwarder.url, token: server.token };
  const waiting = launch('opentf-done', through, run, '--polling_delay', '1');
  await eventually('a first look', () => forwarder.exchanges.length > 0);
  await server.call('DELETE', `/workflows/${id}`);
  expect((await waiting.whenEnded).code).toBe(0);
});

feature('opentf-done ends with 1 when something still runs after its time', async (run) => {
  const words = ['--polling_delay', '1', '--timeout', '1'];
  expect((await runTo('opentf-done', busy, run, ...words)).code).toBe(1);
});

feature('opentf-done ends with 2 when its token is refused', async (run) => {
  const refused = { url: idle.url, token: 'none' };
  expect((await runTo('opentf-done', refused, run)).code).toBe(2);
});
