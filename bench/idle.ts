/**
 * Measures the cost of 5 000 and 10 000 waiting agents: memory, and processor time over 50 seconds. In that time every poll is
 * answered and opened again, the most work for the server. It also measures the return of 10 000 agents after a restart. The
 * agents run in another process. The 5 000 keep a second connection each, as agents do after work. For comparison: a bare HTTP
 * server that holds as many requests.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchmarkContext, runBenchmark } from './support/benchmark.ts';
import { type Figure, figure } from './support/report.ts';
import {
  lastHeld,
  lastListed,
  restartUnderAgents,
  type Waited,
  type WaitedAt,
} from './support/returning-agents.ts';
import { startEntry, startServerProcess, type Usage } from './support/server-process.ts';

const AGENTS = new URL('./support/agents-entry.ts', import.meta.url);
const HOLDER = new URL('./support/bare-holder.ts', import.meta.url);
const MIB = 2 ** 20;
const SAMPLES = 50;

await runBenchmark('idle', measure);

async function measure(context: BenchmarkContext): Promise<readonly Figure[]> {
  return [...(await waiting(context)), ...(await returning(context))];
}

async function waiting({ folder, scale }: BenchmarkContext): Promise<readonly Figure[]> {
  const count = scale(5_000, 100);
  const windowMs = scale(50_000, 1_000);
  const server = await startServerProcess(join(folder, 'data'));
  const alone = await server.usage();
  const agents = await startEntry(AGENTS, [server.url.href, server.token, String(count)]);
  const before = await server.usage();
  const during: Usage[] = [];
  while (during.length < SAMPLES) {
    await sleep(windowMs / SAMPLES);
    during.push(await server.usage());
  }
  const after = during.at(-1) ?? before;
  await agents.stop();
  await server.stop();
  const memory = during.map(({ rssBytes }) => rssBytes / MIB);
  const share = ((after.cpuMs - before.cpuMs) / windowMs) * 100;
  return [
    figure('memory without agents', [alone.rssBytes / MIB], 'MiB'),
    figure(`memory with ${count} agents`, memory, 'MiB', { atMost: 400 }),
    figure(`memory with ${count} agents, at most`, [Math.max(...memory)], 'MiB', { atMost: 400 }),
    figure(`processor with ${count} agents`, [share], '% of a core', { atMost: 5 }),
  ];
}

async function returning({ folder, scale }: BenchmarkContext): Promise<readonly Figure[]> {
  const count = scale(10_000, 200);
  const dataDir = join(folder, 'returning');
  const ours: WaitedAt = {
    start: (port) => startServerProcess(dataDir, { port }),
    lastComer: lastListed,
  };
  const bare: WaitedAt = {
    start: (port) => startEntry(HOLDER, [String(port)]),
    lastComer: lastHeld,
  };
  const windowMs = scale(50_000, 1_000);
  const atServer = await restartUnderAgents(ours, { count, windowMs, samples: SAMPLES });
  const short = { count, windowMs: scale(5_000, 500), samples: 10 };
  const atBare = await restartUnderAgents(bare, short);
  const memory = memoryOf(atServer);
  const share = processorShare(atServer, windowMs);
  const what = `with ${count} agents`;
  return [
    figure(`memory ${what}`, memory, 'MiB', { atMost: 600 }),
    figure(`memory ${what}, at most`, [Math.max(...memory)], 'MiB', { atMost: 600 }),
    figure(`processor ${what}`, [share], '% of a core'),
    figure(`restart ${what}: stop of the server`, [atServer.stopMs], 'ms'),
    figure(`restart ${what}: start to ready`, [atServer.readyMs], 'ms'),
    figure(`restart ${what}: start to all back`, [atServer.backMs], 'ms', { atMost: 10_000 }),
    figure('bare HTTP server, memory', memoryOf(atBare), 'MiB'),
    figure('bare HTTP server, start to all back', [atBare.backMs], 'ms'),
  ];
}

function memoryOf({ during }: Waited): readonly number[] {
  return during.map(({ rssBytes }) => rssBytes / MIB);
}

function processorShare({ before, during }: Waited, windowMs: number): number {
  const after = during.at(-1) ?? before;
  return ((after.cpuMs - before.cpuMs) / windowMs) * 100;
}
