/** An agent with several slots: its jobs run side by side, as separate as those of several agents. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { bodyOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { ended, logged, logOf, oneJob, sh, start } from '../support/runs.ts';
import { type AgentChild, type ServerChild, Workbench } from '../support/workbench.ts';

const AWAY_SECONDS = 3;
const CONFIG = {
  agents: { disconnectGraceSeconds: AWAY_SECONDS, absenceSeconds: AWAY_SECONDS },
} as const;

let bench: Workbench;
let server: ServerChild;
let agent: AgentChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server({ config: CONFIG });
});

beforeEach(async () => {
  agent = await bench.agent(server, { tags: ['linux'], name: 'many', slots: 2 });
  return () => agent.child.kill('SIGTERM');
});

afterAll(() => bench.close());

/** Prints its name, and goes on when the gate is there. */
const waiting = (name: string, gate: string) =>
  oneJob(name, [
    sh(`echo ${name} began; until [ -e ${gate} ]; do sleep 0.05; done; echo ${name} over`),
  ]);

async function startBoth(gate: string): Promise<readonly [string, string]> {
  const ids = [
    await start(server, waiting('one', gate)),
    await start(server, waiting('two', gate)),
  ] as const;
  await logged(server, ids[0], 'one began');
  await logged(server, ids[1], 'two began');
  return ids;
}

interface ListedAgent {
  readonly metadata: { readonly name: string; readonly agent_id: string };
  readonly status: { readonly phase: string };
}

const listed = async () =>
  bodyOf(await server.call('GET', '/agents')).items as readonly ListedAgent[];

test('the slots are environments with names and directories of their own', async () => {
  const gate = bench.path('gate');
  const at = (other: string, own: string) =>
    sh(`pwd; touch ${gate}-${own}; until [ -e ${gate}-${other} ]; do sleep 0.05; done`);
  const id = await start(server, {
    metadata: { name: 'both' },
    jobs: {
      one: { 'runs-on': 'linux', steps: [at('two', 'one')] },
      two: { 'runs-on': 'linux', steps: [at('one', 'two')] },
    },
  });
  expect(await ended(server, id)).toBe('DONE');
  const log = await logOf(server, id);
  for (const slot of ['slot-1', 'slot-2']) expect(log).toContain(`${agent.workspaceDir}/${slot}/`);
  const names = (await listed()).map(({ metadata }) => metadata.name);
  expect(names).toEqual(expect.arrayContaining(['many-1', 'many-2']));
});

test('a cancelled job ends alone', async () => {
  const gate = bench.path('gate');
  const [one, two] = await startBoth(gate);
  await server.call('DELETE', `/workflows/${one}`);
  expect(await ended(server, one)).toBe('FAILED');
  writeFileSync(gate, '');
  expect(await ended(server, two)).toBe('DONE');
  expect(await logOf(server, two)).toContain('two over');
});

test('the jobs of a killed process are reported one by one', async () => {
  const gate = bench.path('gate');
  const [one, two] = await startBoth(gate);
  await agent.child.kill('SIGKILL');
  // Nobody ends the shells of a killed agent.
  writeFileSync(gate, '');
  expect(await ended(server, one)).toBe('FAILED');
  expect(await ended(server, two)).toBe('FAILED');
  const lost = /Agent "(many-\d)" \(\S+\) was lost: its connection broke/;
  const names = [await logOf(server, one), await logOf(server, two)].map(
    (log) => lost.exec(log)?.[1],
  );
  expect(names.sort()).toEqual(['many-1', 'many-2']);
  const again = await bench.agent(server, { tags: ['linux'], name: 'again', slots: 2 });
  const next = await start(server, oneJob('next', [sh('echo here')]));
  expect(await ended(server, next)).toBe('DONE');
  await again.child.kill('SIGTERM');
});

test('the jobs of all slots go on after a restart of the server, and run once', async () => {
  const [gate, marks] = [bench.path('gate'), bench.path('marks')];
  const job = (name: string) => {
    const script = `echo ${name} >> ${marks}; until [ -e ${gate} ]; do sleep 0.05; done; echo ${name} over`;
    return oneJob(name, [sh(script), sh(`echo ${name} again >> ${marks}`)]);
  };
  const one = await start(server, job('one'));
  const two = await start(server, job('two'));
  await eventually(
    'both jobs',
    () => existsSync(marks) && readFileSync(marks, 'utf8').split('\n').length === 3,
  );
  await server.child.kill('SIGKILL');
  const { dataDir, url } = server;
  server = await bench.server({ config: CONFIG, dataDir, port: Number(new URL(url).port) });
  writeFileSync(gate, '');
  expect(await ended(server, one)).toBe('DONE');
  expect(await ended(server, two)).toBe('DONE');
  const lines = readFileSync(marks, 'utf8').trim().split('\n').sort();
  expect(lines).toEqual(['one', 'one again', 'two', 'two again']);
});

test('slots whose registration is lost register again', async () => {
  const [one] = agent.id.split(',');
  await server.call('DELETE', `/agents/${one}`);
  await eventually('another registration of the slot', async () => {
    const again = (await listed()).filter(({ metadata }) => metadata.name === 'many-1');
    return again.some(
      ({ metadata, status }) => metadata.agent_id !== one && status.phase === 'IDLE',
    );
  });
  const gate = bench.path('gate');
  const [first, second] = await startBoth(gate);
  writeFileSync(gate, '');
  expect(await ended(server, first)).toBe('DONE');
  expect(await ended(server, second)).toBe('DONE');
});

test('a stopped agent takes all registrations back', async () => {
  await agent.child.kill('SIGTERM');
  const ids = (await listed()).map(({ metadata }) => metadata.agent_id);
  for (const id of agent.id.split(',')) expect(ids).not.toContain(id);
});

test('jobs that leave processes behind harm none of the jobs that follow', async () => {
  const own = await bench.agent(server, { tags: ['own'], slots: 2, ownsProcess: true });
  const leaves = [sh('(setsid sleep 600 &) > /dev/null 2>&1; echo first'), sh('echo second')];
  const jobs = Array.from({ length: 16 }, (_, index) => [
    `job${index}`,
    { 'runs-on': 'own', steps: leaves },
  ]);
  const id = await start(server, {
    metadata: { name: 'leaves' },
    jobs: Object.fromEntries(jobs),
  });
  expect(await ended(server, id)).toBe('DONE');
  const log = await logOf(server, id);
  expect(log.match(/\] second$/gm)).toHaveLength(16);
  await own.child.kill('SIGTERM');
});
