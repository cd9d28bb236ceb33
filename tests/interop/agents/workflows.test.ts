/** Whole workflows on existing agents. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Api } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import {
  allEvents,
  ended,
  logTexts,
  type Manifest,
  oneJob,
  only,
  sh,
  start,
  startedId,
} from '../../support/runs.ts';
import { type ServerChild, Workbench } from '../../support/workbench.ts';
import { featuresOf } from '../feature.ts';
import { startAgent } from './agent-program.ts';
import { AGENTS } from './area.ts';
import { heldStep } from './held-step.ts';

let bench: Workbench;
let server: ServerChild;
const feature = featuresOf(AGENTS);

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
});

afterAll(() => bench.close());

/** Starts a job on the environment with a tag. */
const startOn = (tag: string, steps: readonly Manifest[], job: Manifest = {}): Promise<string> =>
  start(server, oneJob(tag, steps, { 'runs-on': ['linux', tag], ...job }));

/** The content of what was attached, by name. */
async function attachedBytes(api: Api, id: string): Promise<Readonly<Record<string, Uint8Array>>> {
  const found = only(await allEvents(api, id), 'ExecutionResult').flatMap(({ metadata }) =>
    Object.entries(metadata.attachments ?? {}),
  );
  const headers = { authorization: `Bearer ${server.token}` };
  const files = found.map(async ([path, { uuid }]) => {
    const answer = await fetch(`${api.url}/workflows/${id}/files/${uuid}`, { headers });
    return [
      path.split('_').slice(2).join('_'),
      new Uint8Array(await answer.arrayBuffer()),
    ] as const;
  });
  return Object.fromEntries(await Promise.all(files));
}

feature('runs the steps of a job, and tells their output and exit codes', async (run) => {
  const { tag } = await startAgent(bench, server, run);
  const id = await startOn(tag, [
    sh('echo "naïve <$((6 * 7))>"; echo to stderr >&2'),
    sh('exit 3', { 'continue-on-error': true }),
    sh("printf 'no line end'"),
    sh('echo never', { if: 'failure()' }),
  ]);
  expect(await ended(server, id)).toBe('DONE');
  const texts = await logTexts(server, id);
  expect(texts).toEqual(
    expect.arrayContaining(['naïve <42>', 'to stderr', 'Status code was: 3', 'no line end']),
  );
  expect(texts).not.toContain('never');
});

feature('carries variables and outputs from step to step', async (run) => {
  const { tag } = await startAgent(bench, server, run);
  const steps = [
    sh('export PLAIN=one; echo "export LATER=\'two words\'" >> "$OPENTF_VARIABLES"'),
    sh('echo "[$GIVEN] [$LATER]"; echo "::set-output name=answer::42"', { id: 'said' }),
    sh(`echo "<\${{ steps.said.outputs.answer }}> <\${{ variables.LATER }}>"`),
  ];
  const id = await startOn(tag, steps, { variables: { GIVEN: "it's given" } });
  expect(await ended(server, id)).toBe('DONE');
  const texts = await logTexts(server, id);
  expect(texts).toEqual(expect.arrayContaining(["[it's given] [two words]", '<42> <two words>']));
});

feature(
  'sends attachments byte for byte, also empty ones and those with blanks in their names',
  async (run) => {
    const { tag } = await startAgent(bench, server, run);
    const bytes = `node -e 'process.stdout.write(Buffer.from(Array.from({ length: 300000 }, (_, i) => i % 251)))'`;
    const id = await startOn(tag, [
      sh(`mkdir 'the out'; ${bytes} > 'the out/all bytes.bin'; printf '' > empty; printf x > part
echo "::attach::the out/all bytes.bin"; echo "::attach type=text/plain::empty"; echo "::attach::$PWD/part"`),
    ]);
    expect(await ended(server, id)).toBe('DONE');
    const files = await attachedBytes(server, id);
    expect(Object.keys(files).sort()).toEqual(['all bytes.bin', 'empty', 'part']);
    const expected = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251);
    expect(Buffer.compare(files['all bytes.bin'] ?? new Uint8Array(), expected)).toBe(0);
    expect(files.empty).toHaveLength(0);
    expect(files.part).toEqual(new Uint8Array([0x78]));
  },
);

feature('uploads files in one job, and downloads them in the next', async (run) => {
  const { tag } = await startAgent(bench, server, run);
  const job = (steps: readonly Manifest[], more: Manifest = {}): Manifest => ({
    'runs-on': ['linux', tag],
    steps,
    ...more,
  });
  const id = await start(server, {
    metadata: { name: tag },
    jobs: {
      makes: job([sh('echo made > "the list.txt"; echo "::upload::$PWD/the list.txt"')]),
      takes: job(
        [sh('mkdir in; echo "::download file=the list.txt::in/it.txt"'), sh('cat in/it.txt')],
        { needs: 'makes' },
      ),
    },
  });
  expect(await ended(server, id)).toBe('DONE');
  expect(await logTexts(server, id)).toContain('made');
});

feature('gets the resource files of its workflow', async (run) => {
  const { tag } = await startAgent(bench, server, run);
  const steps = [
    sh('mkdir below; echo "::put file=data::a b.csv"; echo "::put file=data::below/"'),
    sh('cat "a b.csv" below/data; ls -A'),
  ];
  const manifest = {
    ...oneJob(tag, steps, { 'runs-on': ['linux', tag] }),
    resources: { files: ['data'] },
  };
  const form = new FormData();
  form.set('workflow', new Blob([JSON.stringify(manifest)]));
  form.set('data', new Blob(['1;2\n']), 'data');
  const id = startedId(await server.call('POST', '/workflows', { body: form }));
  expect(await ended(server, id)).toBe('DONE');
  const texts = await logTexts(server, id);
  expect(texts.filter((text) => text === '1;2')).toHaveLength(2);
  expect(texts).toEqual(expect.arrayContaining(['a b.csv', 'below']));
});

feature(
  'is asked for a file that is not there, and its step fails with a line that says so',
  async (run) => {
    const { tag } = await startAgent(bench, server, run);
    const id = await startOn(tag, [sh('echo "::attach::$PWD/none.txt"'), sh('echo not reached')]);
    expect(await ended(server, id)).toBe('FAILED');
    const texts = await logTexts(server, id);
    expect(texts.join('\n')).toMatch(/Could not read \/.*none\.txt: .*No such file or directory/);
    expect(texts).not.toContain('not reached');
  },
);

feature('ends its step, and gets no further one, when its workflow is cancelled', async (run) => {
  const { tag } = await startAgent(bench, server, run);
  const held = heldStep(bench, run);
  const id = await startOn(tag, [held.step, sh('echo not reached')]);
  await held.begun();
  await server.call('DELETE', `/workflows/${id}`);
  await held.release();
  expect(await ended(server, id)).toBe('FAILED');
  expect(await logTexts(server, id)).not.toContain('not reached');
  // The environment is free again.
  expect(await ended(server, await startOn(tag, [sh('true')]))).toBe('DONE');
});

feature('stops its step at once when its workflow is cancelled', async (run) => {
  const { tag } = await startAgent(bench, server, run);
  const held = heldStep(bench, run);
  const id = await startOn(tag, [held.step, sh('echo not reached')]);
  await held.begun();
  await server.call('DELETE', `/workflows/${id}`);
  // Nobody releases the step.
  expect(await ended(server, id)).toBe('FAILED');
  expect(await logTexts(server, id)).not.toContain('not reached');
  expect(await ended(server, await startOn(tag, [sh('true')]))).toBe('DONE');
});

feature('shows what a step prints while it runs', async (run) => {
  const options = ['--async_log_interval', '1'];
  const { tag } = await startAgent(bench, server, run, { options });
  const stop = bench.path('stop');
  const loop = `until [ -e '${stop}' ]; do echo tick; sleep 0.1; done; echo over`;
  run.context.onTestFinished(() => writeFile(stop, ''));
  const id = await startOn(tag, [sh(loop)]);
  await eventually('a tick', async () => (await logTexts(server, id)).includes('tick'));
  await writeFile(stop, '');
  expect(await ended(server, id)).toBe('DONE');
});

feature('reads what steps print in the encoding that it is told', async (run) => {
  const { tag } = await startAgent(bench, server, run, { options: ['--encoding', 'latin-1'] });
  const id = await startOn(tag, [sh("printf 'caf\\351\\n'")]);
  expect(await ended(server, id)).toBe('DONE');
  expect(await logTexts(server, id)).toContain('café');
});

feature('works in folders with blanks in their names', async (run) => {
  const workspace = 'the work space';
  const { tag, folder } = await startAgent(bench, server, run, {
    workspace,
    scripts: 'my scripts',
  });
  const steps = [
    sh(
      'echo "in $PWD"; echo a > made; echo "::attach::made"; echo "export KEPT=1" >> "$OPENTF_VARIABLES"',
    ),
    sh('cat made; echo "kept $KEPT"'),
  ];
  const id = await startOn(tag, steps);
  expect(await ended(server, id)).toBe('DONE');
  const texts = await logTexts(server, id);
  expect(texts.some((text) => text.startsWith(`in ${join(folder, workspace)}/`))).toBe(true);
  expect(texts).toEqual(expect.arrayContaining(['a', 'kept 1']));
  expect(Object.keys(await attachedBytes(server, id))).toEqual(['made']);
});
