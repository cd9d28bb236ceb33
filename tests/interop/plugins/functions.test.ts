// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Providers and generators: what they answer becomes part of the run. */
import { afterAll, beforeAll, expect } from 'vitest';
import { need } from '../../support/found-tool.ts';
import {
  allEvents,
  ended,
  logOf,
  logTexts,
  type Manifest,
  oneJob,
  only,
  sh,
  start,
} from '../../support/runs.ts';
import { type ServerChild, Workbench } from '../../support/workbench.ts';
import { featuresOf } from '../feature.ts';
import { installed } from '../installation.ts';
import { labelOf } from '../subjects.ts';
import { otherGeneration, PLUGIN_AREA } from './area.ts';
import { type PluginProgram, type PluginRun, startPlugin } from './plugin-program.ts';

let bench: Workbench;
let server: ServerChild;
const feature = featuresOf(PLUGIN_AREA);

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  await Promise.all(
    ['one', 'two', 'three'].map((name) => bench.agent(server, { tags: ['linux'], name })),
  );
});

afterAll(() => bench.close());

const greet = ({ prefix }: PluginProgram, who: string): Manifest => ({
  uses: `${prefix}/greet@v1`,
  with: { who },
});

const greeting = (who: string, { subject }: PluginRun) =>
  `greetings ${who}, asked in opentestfactory.org/${subject.asks}`;

feature('answers a step with steps, which attach files and set variables', async (run) => {
  const plugin = await startPlugin(bench, server, run, 'provider');
  // The plugin hands the id back.
  const steps = [{ ...greet(plugin, 'all'), id: "greet / 'all'" }, sh('echo "greeted $GREETED"')];
  const variables = { PLAIN: 'a b', SAME: { value: '$HOME', verbatim: true } };
  const id = await start(server, { ...oneJob(run.id, steps), variables });
  expect(await ended(server, id)).toBe('DONE');
  const texts = (await logTexts(server, id)).map((text) => text.trim());
  expect(texts).toEqual(expect.arrayContaining([greeting('all', run), 'greeted all']));
  const results = only(await allEvents(server, id), 'ExecutionResult');
  const [attached] = results.flatMap(({ metadata }) => Object.values(metadata.attachments ?? {}));
  const file = await server.call('GET', `/workflows/${id}/files/${attached?.uuid}`);
  expect(file.text).toBe('dear all\n');
});

feature('answers a step on an environment that the job names no tags for', async (run) => {
  const plugin = await startPlugin(bench, server, run, 'provider');
  const id = await start(server, {
    metadata: { name: run.id },
    jobs: { main: { steps: [greet(plugin, 'anyone')] } },
  });
  expect(await ended(server, id)).toBe('DONE');
});

feature('refuses a call or fails at it, and the run ends with what it says', async (run) => {
  const plugin = await startPlugin(bench, server, run, 'provider');
  const endWith = async (who: string, status: string, text: string) => {
    const id = await start(server, oneJob(run.id, [greet(plugin, who)]));
    expect(await ended(server, id)).toBe(status);
    expect(await logOf(server, id)).toContain(text);
  };
  await endWith('nobody', 'FAILED', 'There is nobody to greet.');
  await endWith('everybody', 'FAILED', 'Unexpected execution error: too many.');
  await endWith('them', 'DONE', 'greetings them');
});

feature('takes publications without a token from its own machine', async (run) => {
  const plugin = await startPlugin(bench, server, run, 'provider', { trustsMachine: true });
  const id = await start(server, oneJob(run.id, [greet(plugin, 'me')]));
  expect(await ended(server, id)).toBe('DONE');
});

feature('works in one run with a plugin of another generation', async (run) => {
  const subject = otherGeneration(run.subject);
  const program = need(await installed(subject), labelOf(subject), run.context);
  const runs: readonly PluginRun[] = [run, { ...run, subject, program }];
  const plugins = await Promise.all(
    runs.map((other) => startPlugin(bench, server, other, 'provider')),
  );
  const id = await start(
    server,
    oneJob(
      run.id,
      plugins.map((plugin) => greet(plugin, 'you')),
    ),
  );
  expect(await ended(server, id)).toBe('DONE');
  const texts = (await logTexts(server, id)).map((text) => text.trim());
  expect(texts.filter((text) => text.startsWith('greetings'))).toEqual(
    runs.map((other) => greeting('you', other)),
  );
});

feature('gives a bundle its jobs', async (run) => {
  const { prefix } = await startPlugin(bench, server, run, 'generator');
  const bundle = { generator: `${prefix}/parts@v1`, with: { count: 2, tags: ['linux'] } };
  const id = await start(server, { metadata: { name: run.id }, jobs: { bundle } });
  expect(await ended(server, id)).toBe('DONE');
  const texts = (await logTexts(server, id)).map((text) => text.trim());
  expect(texts.filter((text) => text.startsWith('part '))).toEqual(['part 1', 'part 2']);
});

feature('gives a bundle outputs, with and without descriptions', async (run) => {
  const { prefix } = await startPlugin(bench, server, run, 'generator');
  const bundle = { generator: `${prefix}/parts@v1`, with: { count: 2, tags: ['linux'] } };
  const read = 'outputs ${{ needs.bundle.outputs.plain }} ${{ needs.bundle.outputs.described }}';
  const after = { needs: 'bundle', 'runs-on': 'linux', steps: [sh(`echo "${read}"`)] };
  const id = await start(server, { metadata: { name: run.id }, jobs: { bundle, after } });
  expect(await ended(server, id)).toBe('DONE');
  expect((await logTexts(server, id)).map((text) => text.trim())).toContain('outputs 1 2');
});

feature('gives a bundle no jobs, and the run ends with what it says', async (run) => {
  const { prefix } = await startPlugin(bench, server, run, 'generator');
  const bundle = { generator: `${prefix}/parts@v1`, with: { tags: ['linux'] } };
  const id = await start(server, { metadata: { name: run.id }, jobs: { bundle } });
  expect(await ended(server, id)).toBe('FAILED');
  expect(await logOf(server, id)).toContain('Unexpected execution error: nothing to generate.');
});
