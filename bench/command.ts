/**
 * Measures `tutti run --wait` against the bare command. The workflow prints one word, on a running server with an idle agent of ours. For
 * comparison: the command line alone, and the run alone, followed by a running client.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { type BenchmarkContext, repeat, runBenchmark, timed } from './support/benchmark.ts';
import { runToEnd } from './support/follow.ts';
import { withOwnAgent } from './support/own-agent.ts';
import { type Figure, figure } from './support/report.ts';
import type { ServerProcess } from './support/server-process.ts';
import { median } from './support/statistics.ts';

const TUTTI = fileURLToPath(new URL('../cli/bin/tutti.js', import.meta.url));
const COMMAND = 'echo hello';
const WORKFLOW = {
  metadata: { name: 'hello' },
  jobs: { only: { 'runs-on': 'linux', steps: [{ run: COMMAND }] } },
};

await runBenchmark('command', measure);

async function measure(context: BenchmarkContext): Promise<readonly Figure[]> {
  const { folder, scale } = context;
  const file = join(folder, 'hello.yaml');
  // Users write YAML, which takes longer to read than JSON.
  await writeFile(file, stringify(WORKFLOW));
  const { waited, followed } = await withOwnAgent(folder, (server) =>
    onServer(context, server, file),
  );
  const rounds = scale(20, 1);
  const cache = join(folder, 'cache');
  const bare = await repeat(rounds, () => elapsedMs('bash', ['-c', COMMAND], cache));
  const version = await repeat(rounds, () =>
    elapsedMs(process.execPath, [TUTTI, '--version'], cache),
  );
  const node = await repeat(rounds, () => elapsedMs(process.execPath, ['-e', '0'], cache));
  const over = waited.map((each) => each - median(bare));
  return [
    figure('tutti run --wait, over the bare command', over, 'ms', { atMost: 150 }),
    figure('tutti run --wait', waited, 'ms'),
    figure('bare command', bare, 'ms'),
    figure('the run alone, by a client that is there', followed, 'ms'),
    figure('tutti --version', version, 'ms'),
    figure('bare node', node, 'ms'),
  ];
}

async function onServer({ folder, scale }: BenchmarkContext, server: ServerProcess, file: string) {
  const cache = join(folder, 'cache');
  const args = [TUTTI, 'run', file, '--wait', '--server', server.url.href, '--token', server.token];
  // The first runs compile the sources of the command line, the server and the agent.
  await repeat(scale(3, 1), () => elapsedMs(process.execPath, args, cache));
  const waited = await repeat(scale(20, 1), () => elapsedMs(process.execPath, args, cache));
  const followed = await repeat(
    scale(20, 1),
    async () => (await runToEnd(server, WORKFLOW)).elapsedMs,
  );
  return { waited, followed };
}

function elapsedMs(program: string, args: readonly string[], cache: string): Promise<number> {
  return timed(async () => {
    const child = spawn(program, args, {
      env: { ...process.env, XDG_CACHE_HOME: cache },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.stdout.resume();
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}.`);
  });
}
