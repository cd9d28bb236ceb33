/** Plugins that run twice: each start holds their subscriptions. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, expect } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { ended, type Manifest, oneJob, start } from '../../support/runs.ts';
import { type ServerChild, Workbench } from '../../support/workbench.ts';
import { featuresOf } from '../feature.ts';
import { PLUGIN_AREA } from './area.ts';
import { type PluginProgram, type PluginRun, startPlugin } from './plugin-program.ts';

let bench: Workbench;
let server: ServerChild;
const feature = featuresOf(PLUGIN_AREA);

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
});

afterAll(() => bench.close());

const greet = ({ prefix }: PluginProgram): Manifest =>
  oneJob(prefix, [{ uses: `${prefix}/greet@v1`, with: { who: 'all' } }], {
    'runs-on': 'inception',
  });

const answers = async (plugin: PluginProgram): Promise<void> => {
  expect(await ended(server, await start(server, greet(plugin)))).toBe('DONE');
};

const idsOf = async (plugin: PluginProgram) =>
  (await plugin.subscriptions()).map(({ metadata }) => Object(metadata).subscription_id);

feature('goes on when it is started a second time, which fails', async (run) => {
  const plugin = await startPlugin(bench, server, run, 'provider');
  const before = await idsOf(plugin);
  const second = plugin.launch();
  const { stdout, stderr } = await second.whenEnded;
  expect(stdout + stderr).toMatch(/address.*in use/i);
  expect(await idsOf(plugin)).toEqual(before);
  await answers(plugin);
});

/** Passes connections to this address on to the first of the hosts that takes them, at the same port. */
async function openName(run: PluginRun, port: number, hosts: readonly string[]): Promise<string> {
  const name = '127.0.0.9';
  const balancer = createServer((client) => {
    const forward = ([host, ...others]: readonly string[]) => {
      if (host === undefined) return client.destroy();
      const target = connect({ host, port }, () => client.pipe(target).pipe(client));
      target.once('error', () => forward(others));
      return undefined;
    };
    client.on('error', () => client.destroy());
    forward(hosts);
  }).listen(port, name);
  await once(balancer, 'listening');
  run.context.onTestFinished(() => {
    balancer.close();
  });
  return name;
}

feature('shares its subscription with another instance behind the same name', async (run) => {
  const port = await freePort();
  const hosts = ['127.0.0.2', '127.0.0.3'] as const;
  const name = await openName(run, port, hosts);
  const open = (host: string) =>
    startPlugin(bench, server, run, 'provider', { place: { host, port, name } });
  const [one, other] = [await open(hosts[0]), await open(hosts[1])];
  expect(await idsOf(one)).toHaveLength(2);
  await answers(one);
  await one.program.interrupt();
  await eventually('it has left', async () => (await idsOf(other)).length === 1);
  await answers(other);
  await other.program.interrupt();
  await eventually('both have left', async () => (await idsOf(other)).length === 0);
});
