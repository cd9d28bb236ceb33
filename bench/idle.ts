/**
 * What 5 000 waiting agents cost the server: its memory, and its processor time over the 50 seconds after which every poll is
 * answered and opened again, which is when it has most. The agents are in another process.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchmarkContext, runBenchmark } from './support/benchmark.ts';
import { type Figure, figure } from './support/report.ts';
import { startEntry, startServerProcess, type Usage } from './support/server-process.ts';

const AGENTS = new URL('./support/agents-entry.ts', import.meta.url);
const MIB = 2 ** 20;
const SAMPLES = 50;

await runBenchmark('idle', measure);

async function measure({ folder, scale }: BenchmarkContext): Promise<readonly Figure[]> {
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
