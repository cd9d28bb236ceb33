/** Pools of the operator, and what runs in their pods. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { ended, logTexts, oneJob, sh, start, startedId } from '../../support/runs.ts';
import { type ServerChild, Workbench } from '../../support/workbench.ts';
import { featuresOf } from '../feature.ts';
import { OPERATORS } from './area.ts';
import { startPool } from './operator-program.ts';

/** The operator gets each command five seconds late. */
const PATIENT = { withinMs: 180_000 };

let bench: Workbench;
let server: ServerChild;
const feature = featuresOf(OPERATORS);

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
});

afterAll(() => bench.close());

feature(
  'runs a job in a pod of its own, with variables and files in both directions, and removes the pod',
  async (run) => {
    const { tag, pods } = await startPool(bench, server, run);
    const steps = [
      sh('echo "export KEPT=1" >> "$OPENTF_VARIABLES"; echo "::put file=data::in.csv"'),
      sh('cat in.csv; echo "kept $KEPT"; cp in.csv out.csv; echo "::attach::out.csv"'),
    ];
    const manifest = { ...oneJob(tag, steps, { 'runs-on': tag }), resources: { files: ['data'] } };
    const form = new FormData();
    form.set('workflow', new Blob([JSON.stringify(manifest)]));
    form.set('data', new Blob(['1;2\n']), 'data');
    const id = startedId(await server.call('POST', '/workflows', { body: form }));
    expect(await ended(server, id, PATIENT)).toBe('DONE');
    expect(await logTexts(server, id)).toEqual(expect.arrayContaining(['1;2', 'kept 1']));
    await eventually('the pod is gone', async () => (await readdir(pods)).length === 0);
  },
);

feature('runs the jobs that wait for one agent one after the other', async (run) => {
  const { tag, agents } = await startPool(bench, server, run);
  const job = (name: string) => ({ 'runs-on': tag, steps: [sh(`echo ${name} ran`)] });
  const id = await start(server, {
    metadata: { name: tag },
    jobs: { one: job('one'), two: job('two') },
  });
  expect(await ended(server, id, PATIENT)).toBe('DONE');
  expect(await logTexts(server, id)).toEqual(expect.arrayContaining(['one ran', 'two ran']));
  await eventually('its agent is idle', async () => {
    const [agent] = await agents();
    return agent?.status.phase === 'IDLE';
  });
});

feature('keeps agents reachable that have nothing to do', async (run) => {
  const { agents } = await startPool(bench, server, run, 2);
  await eventually('it has told of both twice', async () =>
    (await agents()).every(({ status }) => status.communicationCount >= 2),
  );
  expect((await agents()).map(({ status }) => status.phase)).toEqual(['IDLE', 'IDLE']);
});

feature('registers its pool anew with a server that does not know it', async (run) => {
  const { tag, agents } = await startPool(bench, server, run, 2);
  const before = (await agents()).map(({ metadata }) => metadata.agent_id);
  expect(before).toHaveLength(2);
  for (const id of before) await server.call('DELETE', `/agents/${id}`);
  await eventually('both are there again', async () => (await agents()).length === 2);
  const id = await start(server, oneJob(tag, [sh('true')], { 'runs-on': tag }));
  expect(await ended(server, id, PATIENT)).toBe('DONE');
});

feature('works on with its agents when the server is killed and started again', async (run) => {
  const first = await bench.server();
  run.context.onTestFinished(() => first.child.kill('SIGKILL'));
  const { tag } = await startPool(bench, first, run);
  const begun = bench.path('begun');
  const step = sh(`touch '${begun}'; echo done`);
  const id = await start(first, oneJob(tag, [step, sh('echo later')], { 'runs-on': tag }));
  await eventually('the step has begun', () => existsSync(begun));
  await first.child.kill('SIGKILL');
  const port = Number(new URL(first.url).port);
  const next = await bench.server({ port, dataDir: first.dataDir });
  run.context.onTestFinished(() => next.child.kill('SIGKILL'));
  expect(await ended(next, id, PATIENT)).toBe('DONE');
  expect(await logTexts(next, id)).toEqual(expect.arrayContaining(['done', 'later']));
});

feature('de-registers its agents when the pool is deleted', async (run) => {
  const { agents, program } = await startPool(bench, server, run, 2);
  expect(await agents()).toHaveLength(2);
  await program.interrupt();
  await eventually('both are gone', async () => (await agents()).length === 0);
});
