/** Handlers of channels: jobs run on the environments that they offer. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { createGate } from '../../support/gate.ts';
import { allEvents, ended, logTexts, oneJob, only, sh, start } from '../../support/runs.ts';
import { type ServerChild, Workbench } from '../../support/workbench.ts';
import { featuresOf } from '../feature.ts';
import { PLUGIN_AREA } from './area.ts';
import { type PluginProgram, type PluginRun, startPlugin } from './plugin-program.ts';

let bench: Workbench;
let server: ServerChild;
const feature = featuresOf(PLUGIN_AREA);

beforeAll(async () => {
  bench = await Workbench.open();
  // Where toolkits leave files.
  server = await bench.server({ config: { pluginFiles: '/tmp' } });
});

afterAll(() => bench.close());

const startChannel = (run: PluginRun): Promise<PluginProgram> =>
  startPlugin(bench, server, run, 'channel', {
    env: { CHANNEL_ID: randomUUID(), CHANNEL_TAGS: `linux,${run.id}` },
  });

const jobOn = (run: PluginRun, ...steps: ReturnType<typeof sh>[]) =>
  oneJob(run.id, steps, { 'runs-on': ['linux', run.id] });

feature('offers an environment, and jobs run on it', async (run) => {
  const { program } = await startChannel(run);
  const id = await start(
    server,
    jobOn(
      run,
      sh('echo "export KEPT=1" >> "$OPENTF_VARIABLES"; echo "::set-output name=word::said"', {
        id: 'say',
      }),
      sh('echo "kept $KEPT, $WORD $PLAIN"', {
        variables: { PLAIN: 'a b', WORD: `\${{ steps.say.outputs.word }}` },
      }),
      sh('false', { 'continue-on-error': true }),
    ),
  );
  expect(await ended(server, id)).toBe('DONE');
  const texts = await logTexts(server, id);
  expect(texts).toEqual(expect.arrayContaining(['kept 1, said a b', 'Status code was: 1']));
  const asked = `opentestfactory.org/${run.subject.asks}`;
  const commands = program.stdout.split('\n').filter((line) => line.startsWith('command'));
  expect(commands).toEqual([0, 1, 2, -2].map((sequence) => `command ${sequence} ${asked}`));
});

feature('attaches files, which it leaves where the server reads them', async (run) => {
  await startChannel(run);
  const step = sh('echo content > a.txt; echo "::attach::`pwd`/a.txt"');
  const id = await start(server, jobOn(run, step));
  expect(await ended(server, id)).toBe('DONE');
  const results = only(await allEvents(server, id), 'ExecutionResult');
  const files = results.flatMap(({ metadata }) => Object.entries(metadata.attachments ?? {}));
  run.context.onTestFinished(async () => {
    for (const [path] of files) await rm(path, { force: true });
  });
  const [[, attached] = []] = files;
  const file = await server.call('GET', `/workflows/${id}/files/${attached?.uuid}`);
  expect(file.text).toBe('content\n');
});

feature('takes the jobs that wait for it one after the other', async (run) => {
  const { program } = await startChannel(run);
  const gate = createGate(bench);
  run.context.onTestFinished(() => gate.open());
  const ids = [
    await start(server, jobOn(run, gate.step)),
    await start(server, jobOn(run, sh('true'))),
  ];
  await eventually('the first command', () => program.stdout.includes('command 0'));
  await gate.open();
  for (const id of ids) expect(await ended(server, id)).toBe('DONE');
  const begun = [...program.stdout.matchAll(/command (0|-2)/g)].map(([, sequence]) => sequence);
  expect(begun).toEqual(['0', '-2', '0', '-2']);
});

feature('stops its command when the workflow is cancelled', async (run) => {
  const { program } = await startChannel(run);
  const begun = bench.path('begun');
  const id = await start(server, jobOn(run, sh(`touch '${begun}'; exec sleep 300`)));
  await eventually('the step has begun', () => existsSync(begun));
  await server.call('DELETE', `/workflows/${id}`);
  expect(await ended(server, id)).toBe('FAILED');
  await eventually('it is released', () => program.stdout.includes('command -2'));
});
