// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Publishers: what they hear of runs, and what they tell. */
import { afterAll, beforeAll, expect } from 'vitest';
import { bodyOf } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import {
  allEvents,
  ended,
  type Manifest,
  oneJob,
  only,
  sh,
  start,
  startedId,
  workersEnded,
} from '../../support/runs.ts';
import { reportStep } from '../../support/sample-run.ts';
import { summaryOf } from '../../support/subscriptions.ts';
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

const CALLED = `
metadata: {name: called}
inputs: {word: {description: A word, required: true}}
jobs: {say: {runs-on: linux, steps: [{run: 'echo \${{ inputs.word }}'}]}}
`;

/** A workflow with keys that only v1 knows, and keys of all versions. */
const OF_ALL_VERSIONS: Manifest = {
  metadata: { name: 'of all versions', labels: { team: 'blue' } },
  inputs: { word: { description: 'A word', default: 'hello' } },
  outputs: { said: '${{ jobs.main.outputs.said }}' },
  concurrency: { group: '${{ opentf.workflow }}' },
  'timeout-minutes': 10,
  variables: { PLAIN: 'a b', EXACT: { value: '$HOME', verbatim: true } },
  resources: { files: ['called.yaml'] },
  hooks: [
    { name: 'around', events: [{ channel: 'teardown' }], before: [{ 'keep-workspace': false }] },
  ],
  jobs: {
    main: {
      'runs-on': 'linux',
      'timeout-minutes': '${{ 5 }}',
      steps: [
        sh('echo "::set-output name=said::x"', { id: 'say', shell: 'sh' }),
        sh('echo "export LEFT=1" >> "$OPENTF_VARIABLES"; echo up > up; echo "::upload::$PWD/up"'),
        { uses: 'actions/create-file@v1', with: { data: 'x', format: 'txt', path: 'x.txt' } },
        reportStep([{ name: 'good', seconds: 0.25 }]),
        sh('echo never', { if: 'false' }),
        sh('exit 3', { 'continue-on-error': '${{ true }}' }),
      ],
      outputs: { said: { value: '${{ steps.say.outputs.said }}', description: 'What is said' } },
    },
    crossed: {
      'runs-on': '${{ matrix.os }}',
      strategy: { matrix: { os: ['linux'], flag: [true] }, 'fail-fast': true },
      steps: [sh('true')],
    },
    nested: { jobs: { inner: { steps: [sh('true')] } } },
    called: { uses: './called.yaml', with: { word: '${{ inputs.word }}' } },
  },
};

feature(
  'checks events of all kinds by the schemas of its toolkit, and refuses none',
  async (run) => {
    const { program, subscriptions } = await startPlugin(bench, server, run, 'witness');
    const form = new FormData();
    form.set('workflow', JSON.stringify(OF_ALL_VERSIONS));
    form.set('called.yaml', new Blob([CALLED]), 'called.yaml');
    const id = startedId(await server.call('POST', '/workflows', { body: form }));
    expect(await ended(server, id)).toBe('DONE');
    await workersEnded(server, id);
    const unknown = await start(server, oneJob(run.id, [{ uses: `${run.id}/unknown@v1` }]));
    expect(await ended(server, unknown)).toBe('FAILED');
    const waiting = await start(server, oneJob(run.id, [sh('true')], { 'runs-on': 'nowhere' }));
    await server.call('DELETE', `/workflows/${waiting}`);
    const [, schemas = ''] = /^subscribed to (.*)$/m.exec(program.stdout) ?? [];
    await eventually('an event of each kind', () =>
      schemas.split(' ').every((schema) => program.stdout.includes(`${schema} valid\n`)),
    );
    for (const { metadata } of await subscriptions()) {
      const subscription = String(Object(metadata).subscription_id);
      // The plugin prints before it answers, so the server may not have counted the last answer yet.
      const codes = await eventually(`an answer to ${subscription}`, async () => {
        // Beside codes of answers, a summary has connections that its server did not take in time.
        const answers = Object.keys(await summaryOf(server, subscription));
        const counted = answers.filter((answer) => /^\d+$/.test(answer));
        return counted.length > 0 && counted;
      });
      expect(codes, program.stdout).toEqual(['200']);
    }
  },
);

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
