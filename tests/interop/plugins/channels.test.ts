/** Handlers of channels: jobs run on the environments that they offer. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { createGate } from '../../support/gate.ts';
import {
  allEvents,
  ended,
  logTexts,
  oneJob,
  only,
  sh,
  start,
  startedId,
} from '../../support/runs.ts';
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
  await bench.agent(server, { tags: ['linux', 'agent'] });
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

feature('downloads the artifacts that its own steps and those of agents uploaded', async (run) => {
  await startChannel(run);
  const job = (tag: string, ...steps: ReturnType<typeof sh>[]) => ({ 'runs-on': tag, steps });
  const id = await start(server, {
    metadata: { name: run.id },
    jobs: {
      elsewhere: job('agent', sh('echo far > far.txt; echo "::upload::`pwd`/far.txt"')),
      here: {
        ...job(
          run.id,
          sh('mkdir got; echo near > near.txt; echo "::upload::`pwd`/near.txt"'),
          sh('echo "::download::got"; echo "::download file=far.txt::far-again.txt"'),
          sh('cat got/far.txt got/near.txt far-again.txt'),
        ),
        needs: 'elsewhere',
      },
    },
  });
  const state = await ended(server, id);
  const texts = (await logTexts(server, id)).filter((text) => /^(far|near)$/.test(text));
  expect(texts).toEqual(['far', 'near', 'far']);
  expect(state).toBe('DONE');
  // The server removes the files that it gave to the plugin. The plugin's own files stay.
  const left = await eventually('the last file', async () => {
    const names = (await readdir('/tmp')).filter((name) => name.startsWith(id));
    return names.length === 1 ? names : null;
  });
  expect(left).toEqual([expect.stringMatching(/_WR_near\.txt$/)]);
  await rm(join('/tmp', left[0] ?? ''));
});

feature('puts the files of a workflow on its environment', async (run) => {
  await startChannel(run);
  const form = new FormData();
  const manifest = {
    ...jobOn(run, sh('echo "::put file=seed::seed.txt"'), sh('cat seed.txt')),
    resources: { files: ['seed'] },
  };
  form.append('workflow', new Blob([JSON.stringify(manifest)]), 'workflow.yaml');
  form.append('seed', new Blob(['planted\n']), 'seed');
  const id = startedId(await server.call('POST', '/workflows', { body: form }));
  const state = await ended(server, id);
  expect(await logTexts(server, id)).toContain('planted');
  expect(state).toBe('DONE');
  await eventually('nothing is left', async () =>
    (await readdir('/tmp')).every((name) => !name.includes(id)),
  );
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
