/** Many waiting jobs, and many agents. */
import { setTimeout as sleep } from 'node:timers/promises';
import { POLL_WAIT_SECONDS } from '../../agent/src/limits.ts';
import { allEnded } from './all-ended.ts';
import { asked, FOREVER, processorOf } from './asked.ts';
import { HttpSocket } from './http-socket.ts';
import { startRuns } from './load.ts';
import { figure } from './report.ts';
import { type ServerProcess, startEntry, startServerProcess } from './server-process.ts';
import { registerAgent, startSyntheticAgents } from './synthetic-agent.ts';
import { growthFigures, inTenths } from './tenths.ts';
import { oneStepOn } from './workflows.ts';

const MIB = 2 ** 20;
const TAG_SETS = 50;
/** One namespace may have so many waiting jobs only where operators allow it. */
const ROOM = { runs: 1e7, runsWhenBusy: 1e7, liveRunsBytes: 3 * 2 ** 30 };
const WAITING_AGENTS = new URL('./waiting-agents-entry.ts', import.meta.url);

/** Jobs with 50 sets of tags wait, and then an agent for each set does them. */
export async function* manyJobs(what: string, count: number, dataDir: string) {
  const server = await startServerProcess(dataDir, { retention: FOREVER, limits: ROOM });
  const processorMs = processorOf(server);
  const tags = Array.from({ length: Math.min(TAG_SETS, count / 20) }, (_, index) => `set${index}`);
  const starting = await inTenths(count, processorMs, async (from, to) => {
    for (const tag of tags) await startRuns(server, oneStepOn(tag), (to - from) / tags.length);
  });
  yield* growthFigures(`${what}: accepted`, starting);
  const noticed = await whenIdle(processorMs);
  yield figure(`${what}: notices that they wait, each`, [(noticed * 1000) / count], 'us');
  const { rssBytes } = await server.usage();
  yield figure(`${what}: memory of the server`, [rssBytes / MIB], 'MiB');
  yield* await asked(server, `${what}: status of the orchestrator`, '/workflows/status');
  yield* await asked(server, `${what}: metrics`, '/metrics');
  let ended = 0;
  const confirmed = (commandId: string) => {
    // The release of an environment ends a run that has one job.
    if (commandId.endsWith('/-2')) ended += 1;
  };
  const before = await processorMs();
  const agents = await Promise.all(
    tags.map((tag) => startSyntheticAgents(1, { server, tags: [tag], observer: { confirmed } })),
  );
  const done = await inTenths(count, processorMs, async (_, to) => {
    while (ended < to) await sleep(LOOK_MS);
  });
  const doing = ((await processorMs()) - before) * 1000;
  yield figure(`${what}: placed, run and ended, each`, [doing / count], 'us');
  yield* growthFigures(`${what}: placed, run and ended`, done);
  await allEnded(server);
  for (const each of agents) each.stop();
  await server.stop();
}

const LOOK_MS = 20;
const IDLE_MS = 1_000;

/** Waits until the server has nothing to do; resolves with the processor time of that. */
async function whenIdle(processorMs: () => Promise<number>): Promise<number> {
  const first = await processorMs();
  for (let last = first; ; ) {
    await sleep(IDLE_MS);
    const now = await processorMs();
    if (now - last < IDLE_MS / 20) return now - first;
    last = now;
  }
}

export async function* manyAgents(what: string, count: number, dataDir: string) {
  const server = await startServerProcess(dataDir);
  const processorMs = processorOf(server);
  const { url, token } = server;
  const some: ServerProcess[] = [];
  const registering = await inTenths(count, processorMs, async (from, to) => {
    some.push(await startEntry(WAITING_AGENTS, [url.href, token, String(to - from)]));
  });
  yield* growthFigures(`${what}: registered`, registering);
  yield* await asked(server, `${what}: list of agents`, '/agents');
  yield* await asked(server, `${what}: list of channels`, '/channels');
  yield* await asked(server, `${what}: metrics`, '/metrics');
  // In this time the server answers each poll once.
  const windowMs = Math.min(POLL_WAIT_SECONDS * 1000, count * 50);
  const before = await processorMs();
  await sleep(windowMs);
  const waiting = (((await processorMs()) - before) * 60_000) / windowMs / count;
  yield figure(`${what}: waiting, each, a minute`, [waiting], 'ms');
  const existing = await inTenths(count, processorMs, async (from, to) => {
    await registerExisting(server, from, to);
  });
  for (const each of some) await each.stop();
  await server.stop();
  yield* growthFigures(`${what}: as many existing ones registered`, existing);
}

/** Existing agents sleep between their polls; these only register. */
async function registerExisting(server: ServerProcess, from: number, to: number): Promise<void> {
  const socket = new HttpSocket(server.url);
  for (let number = from; number < to; number += 1) {
    const said = { metadata: { version: '2.0.0' }, spec: {} };
    await registerAgent(socket, { server, name: `existing${number}` }, said);
  }
  socket.close();
}
