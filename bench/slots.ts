/**
 * Measures 1 000 jobs in a row on one agent. Also the memory of an agent with one slot and with 16, after jobs and when it is idle. All of
 * its processes count.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchmarkContext, repeat, runBenchmark } from './support/benchmark.ts';
import { runToEnd } from './support/follow.ts';
import { withOwnAgent } from './support/own-agent.ts';
import { familyMiB } from './support/process-memory.ts';
import { type Figure, figure } from './support/report.ts';
import { startEntry, startServerProcess } from './support/server-process.ts';
import { chain, sideBySide } from './support/workflows.ts';

const AGENT = new URL('./support/agent-entry.ts', import.meta.url);
const MANY = 16;
/** By then, the waiting shells and the process that starts them have ended. */
const IDLE_MS = 20_000;
const AT_MOST_TIMES = { atMost: 1.5 };

await runBenchmark('slots', measure);

async function measure(context: BenchmarkContext): Promise<readonly Figure[]> {
  const { folder, scale } = context;
  const jobs = scale(1_000, 3);
  const [first = 0, ...later] = await withOwnAgent(join(folder, 'row'), (server) =>
    repeat(scale(4, 2), async () => (await runToEnd(server, chain(jobs))).elapsedMs),
  );
  // The first process of each kind compiles its sources, which takes more memory.
  await memoryOf(MANY, { ...context, folder: join(folder, 'first') });
  const one = await memoryOf(1, context);
  const many = await memoryOf(MANY, context);
  const memory = ([what, key]: readonly [string, keyof Memory]) => [
    figure(`memory with one slot, ${what}`, [one[key]], 'MiB'),
    figure(`memory with ${MANY} slots, ${what}`, [many[key]], 'MiB'),
    figure(`as many times, ${what}`, [many[key] / one[key]], 'times', AT_MOST_TIMES),
  ];
  return [
    figure(`${jobs} jobs in a row, first run of a new server`, [first], 'ms'),
    figure(`${jobs} jobs in a row`, later, 'ms', { atMost: 6_000 }),
    ...memory(['after jobs', 'busy']),
    ...memory(['idle', 'idle']),
  ];
}

interface Memory {
  readonly busy: number;
  readonly idle: number;
}

async function memoryOf(slots: number, { folder, scale }: BenchmarkContext): Promise<Memory> {
  const server = await startServerProcess(join(folder, `data-${slots}`));
  const workspace = join(folder, `workspace-${slots}`);
  await mkdir(workspace, { recursive: true });
  const agent = await startEntry(AGENT, [
    ...[server.url.href, server.token, workspace],
    String(slots),
  ]);
  try {
    await runToEnd(server, sideBySide(scale(200, MANY)));
    const busy = familyMiB(agent.pid);
    await sleep(scale(IDLE_MS, 0));
    return { busy, idle: familyMiB(agent.pid) };
  } finally {
    await agent.stop();
    await server.stop();
  }
}
