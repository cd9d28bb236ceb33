/** Publishers: what they hear of runs, and what they tell. */
import { afterAll, beforeAll, expect } from 'vitest';
import { bodyOf } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { allEvents, ended, oneJob, only, sh, start, workersEnded } from '../../support/runs.ts';
import { type ServerChild, Workbench } from '../../support/workbench.ts';
import { featuresOf } from '../feature.ts';
import { PLUGIN_AREA } from './area.ts';
import { type PluginRun, startPlugin } from './plugin-program.ts';

let bench: Workbench;
let server: ServerChild;
const feature = featuresOf(PLUGIN_AREA);

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  await bench.agent(server, { tags: ['linux'] });
});

afterAll(() => bench.close());

const startPublisher = (run: PluginRun) =>
  startPlugin(bench, server, run, 'publisher', { env: { PUBLISHED: run.id } });

feature('hears of the end of a run, and publishes notifications about it', async (run) => {
  await startPublisher(run);
  const id = await start(server, oneJob(run.id, [sh('true')]));
  expect(await ended(server, id)).toBe('DONE');
  await eventually('its notification', async () => {
    const notifications = only(await allEvents(server, id), 'Notification');
    return notifications.some(({ spec }) => spec.logs?.includes(`published ${run.id}`));
  });
  await workersEnded(server, id);
});

feature(
  'publishes a workflow, which those get who asked for it, and which starts nothing',
  async (run) => {
    const { program } = await startPublisher(run);
    const id = await start(server, oneJob(run.id, [sh('true')]));
    expect(await ended(server, id)).toBe('DONE');
    const line = new RegExp(`^Workflow opentestfactory\\.org/\\S+ after ${run.id}$`, 'm');
    await eventually('its own workflow', () => line.test(program.stdout));
    // Its inbox may have the workflow before it has the answer.
    const answer = 'answered Publication received.';
    await eventually('the answer', () => program.stdout.includes(answer));
    const query = `fieldSelector=metadata.name==after ${run.id}`.replaceAll(' ', '%20');
    const listed = bodyOf(await server.call('GET', '/workflows', { query }));
    expect(listed).toMatchObject({ details: { items: [] } });
  },
);
