/** Measures many requests, in rounds. */
import { type BenchmarkContext, repeat, timed } from './benchmark.ts';
import { type Figure, figure, type Promised } from './report.ts';
import { quantile } from './statistics.ts';

/** A round of slow requests ends after this time, with a few requests at least. */
const ROUND_MS = 2_000;
const ROUND_REQUESTS_MIN = 3;

export interface LatencyRounds {
  readonly rounds: number;
  readonly requests: number;
}

/** Milliseconds that each call took, round by round. The round before the first, of a tenth of the calls, does not count. */
export async function latencyRounds(
  { scale }: BenchmarkContext,
  { rounds, requests }: LatencyRounds,
  ask: () => Promise<unknown>,
): Promise<readonly (readonly number[])[]> {
  await latenciesOf(scale(Math.ceil(requests / 10), 1), ask);
  return repeat(scale(rounds, 1), () => latenciesOf(scale(requests, 3), ask));
}

async function latenciesOf(
  requests: number,
  ask: () => Promise<unknown>,
): Promise<readonly number[]> {
  const latencies: number[] = [];
  const begin = performance.now();
  while (latencies.length < requests) {
    const isLate = performance.now() - begin > ROUND_MS;
    if (isLate && latencies.length >= ROUND_REQUESTS_MIN) break;
    latencies.push(await timed(ask));
  }
  return latencies;
}

/** Two figures, each the median of the rounds. */
export function latencyFigures(
  what: string,
  rounds: readonly (readonly number[])[],
  promised: { readonly p50?: Promised; readonly p99?: Promised } = {},
): readonly Figure[] {
  const of = (q: number) => rounds.map((latencies) => quantile(latencies, q));
  return [
    figure(`${what}: p50`, of(0.5), 'ms', promised.p50 ?? null),
    figure(`${what}: p99`, of(0.99), 'ms', promised.p99 ?? null),
  ];
}
