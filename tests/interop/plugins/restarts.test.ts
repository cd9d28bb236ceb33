/** Plugins and servers that end under each other. */
import { afterAll, beforeAll, expect } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { ended, type Manifest, oneJob, start } from '../../support/runs.ts';
import { type ServerChild, Workbench } from '../../support/workbench.ts';
import { featuresOf } from '../feature.ts';
import { PLUGIN_AREA } from './area.ts';
import { type PluginProgram, startPlugin } from './plugin-program.ts';

let bench: Workbench;
let server: ServerChild;
const feature = featuresOf(PLUGIN_AREA);

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
});

afterAll(() => bench.close());

const greet = ({ prefix }: PluginProgram): Manifest =>
  oneJob(prefix, [{ uses: `${prefix}/greet@v1`, with: { who: 'again' } }], {
    'runs-on': 'inception',
  });

const idsOf = async (plugin: PluginProgram) =>
  (await plugin.subscriptions()).map(({ metadata }) => Object(metadata).subscription_id);

feature('goes on with its subscription when it is killed and started again', async (run) => {
  const plugin = await startPlugin(bench, server, run, 'provider');
  plugin.program.signal('SIGKILL');
  await plugin.program.whenEnded;
  const waits = await start(server, greet(plugin));
  const again = await plugin.again();
  expect(await ended(server, waits)).toBe('DONE');
  await again.program.interrupt();
  await eventually('its own subscription is gone', async () => (await idsOf(again)).length < 2);
});

feature('works on when the server is killed and started again', async (run) => {
  const own = await bench.server();
  run.context.onTestFinished(() => own.child.kill('SIGKILL'));
  const plugin = await startPlugin(bench, own, run, 'provider');
  await own.child.kill('SIGKILL');
  const port = Number(new URL(own.url).port);
  const next = await bench.server({ port, dataDir: own.dataDir });
  run.context.onTestFinished(() => next.child.kill('SIGKILL'));
  expect(await ended(next, await start(next, greet(plugin)))).toBe('DONE');
});

feature('cancels its subscription when it is interrupted', async (run) => {
  const plugin = await startPlugin(bench, server, run, 'provider');
  await plugin.program.interrupt();
  await eventually('it is gone', async () => (await plugin.subscriptions()).length === 0);
});
