/** Existing agents and servers that die under each other. */
import { afterAll, beforeAll, expect } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { phaseOf } from '../../support/existing-agent.ts';
import { ended, logTexts, oneJob, sh, start } from '../../support/runs.ts';
import { type ServerChild, Workbench } from '../../support/workbench.ts';
import { agentsNamed } from '../agent-listing.ts';
import { type FeatureRun, featuresOf } from '../feature.ts';
import { startAgent } from './agent-program.ts';
import { AGENTS, type AgentSubject } from './area.ts';
import { heldStep } from './held-step.ts';

let bench: Workbench;
const feature = featuresOf(AGENTS);

beforeAll(async () => {
  bench = await Workbench.open();
});

afterAll(() => bench.close());

/** Agents of the first kind give up while a slow machine starts their server. */
const LASTING = { options: ['--retry', '0'] };

type Run = FeatureRun<AgentSubject>;

/** A server of its own, since it dies. */
async function ownServer(run: Run): Promise<ServerChild> {
  const server = await bench.server();
  run.context.onTestFinished(() => server.child.kill('SIGKILL'));
  return server;
}

/** The same server at the same address, killed and started again; `meanwhile` while it is away. */
async function restarted(
  run: Run,
  server: ServerChild,
  { meanwhile, forgets = false }: { meanwhile?: () => Promise<unknown>; forgets?: boolean } = {},
): Promise<ServerChild> {
  await server.child.kill('SIGKILL');
  await meanwhile?.();
  const port = Number(new URL(server.url).port);
  const next = await bench.server({ port, ...(forgets ? {} : { dataDir: server.dataDir }) });
  run.context.onTestFinished(() => next.child.kill('SIGKILL'));
  return next;
}

const jobOn = (tag: string, ...steps: ReturnType<typeof sh>[]) =>
  oneJob(tag, steps, { 'runs-on': tag });

feature('works on when the server is killed and started again', async (run) => {
  const server = await ownServer(run);
  const { tag } = await startAgent(bench, server, run, LASTING);
  expect(await ended(server, await start(server, jobOn(tag, sh('echo one'))))).toBe('DONE');
  const next = await restarted(run, server);
  expect(await ended(next, await start(next, jobOn(tag, sh('echo two'))))).toBe('DONE');
});

feature('ends a step that ran while the server was killed and started again', async (run) => {
  const server = await ownServer(run);
  const { tag } = await startAgent(bench, server, run, LASTING);
  const held = heldStep(bench, run);
  const id = await start(server, jobOn(tag, held.step, sh('echo later')));
  await held.begun();
  const next = await restarted(run, server);
  await held.release();
  expect(await ended(next, id)).toBe('DONE');
  expect(await logTexts(next, id)).toEqual(expect.arrayContaining(['held', 'free', 'later']));
});

feature('ends a step while the server is away, and sends its result later', async (run) => {
  const server = await ownServer(run);
  const { tag, program } = await startAgent(bench, server, run, LASTING);
  const held = heldStep(bench, run);
  const id = await start(server, jobOn(tag, held.step, sh('echo later')));
  await held.begun();
  const next = await restarted(run, server, {
    meanwhile: async () => {
      await held.release();
      await eventually('its result has nowhere to go', () =>
        program.stderr.includes('Failed to push command result'),
      );
    },
  });
  expect(await ended(next, id)).toBe('DONE');
  expect(await logTexts(next, id)).toEqual(expect.arrayContaining(['held', 'free', 'later']));
});

feature(
  'loses the result of a step that ends while the server is away, and the step fails with a line that says so',
  async (run) => {
    const server = await ownServer(run);
    const { tag, program } = await startAgent(bench, server, run, LASTING);
    const held = heldStep(bench, run);
    const id = await start(server, jobOn(tag, held.step));
    await held.begun();
    const next = await restarted(run, server, {
      meanwhile: async () => {
        await held.release();
        await eventually('it wants to register anew', () =>
          program.stderr.includes('Could not reach'),
        );
      },
    });
    expect(await ended(next, id)).toBe('FAILED');
    expect(await logTexts(next, id)).toContainEqual(
      expect.stringMatching(`Agent "${tag}" .* was lost: `),
    );
    expect(await ended(next, await start(next, jobOn(tag, sh('true'))))).toBe('DONE');
  },
);

feature('registers anew with a server that does not know it', async (run) => {
  const server = await ownServer(run);
  const { id, tag } = await startAgent(bench, server, run, LASTING);
  await server.call('DELETE', `/agents/${id}`);
  await eventually('it is there again', async () => {
    const [agent] = await agentsNamed(server, tag);
    return agent !== undefined && (await phaseOf(server, id)) === null;
  });
  expect(await ended(server, await start(server, jobOn(tag, sh('true'))))).toBe('DONE');
});

feature(
  'is killed under a step, which fails, and works again when it is started again',
  async (run) => {
    const server = await ownServer(run);
    const { tag, program, folder } = await startAgent(bench, server, run, LASTING);
    const held = heldStep(bench, run);
    const id = await start(server, jobOn(tag, held.step, sh('echo later')));
    await held.begun();
    program.signal('SIGKILL');
    await program.whenEnded;
    await startAgent(bench, server, run, { ...LASTING, folder });
    expect(await ended(server, id)).toBe('FAILED');
    const texts = await logTexts(server, id);
    expect(texts).toContainEqual(expect.stringMatching(`Agent "${tag}" .* was lost: `));
    expect(texts).not.toContain('later');
    expect(await ended(server, await start(server, jobOn(tag, sh('true'))))).toBe('DONE');
  },
);
