/**
 * Measures publications per second over 50 connections, each answered once it is durable for its subscriptions. It also measures
 * publications delivered to their inboxes, from the first request to the last delivery. The inboxes run in another process. For
 * comparison: a bare server that forwards each publication and stores nothing.
 */
import { join } from 'node:path';
import { type BenchmarkContext, repeat, runBenchmark } from './support/benchmark.ts';
import type { Target } from './support/exchange.ts';
import {
  deliveredAt,
  publications,
  publish,
  type Subscribed,
  subscribe,
} from './support/inboxes.ts';
import { type Figure, figure, type Promised } from './support/report.ts';
import { startEntry, startServerProcess } from './support/server-process.ts';

const INBOXES = new URL('./support/inboxes-entry.ts', import.meta.url);
const FORWARDER = new URL('./support/bare-forwarder.ts', import.meta.url);
const CONNECTIONS = 50;

interface Case extends Subscribed {
  readonly promised?: Promised;
}

/** Per second. */
interface Rates {
  readonly accepted: number;
  readonly delivered: number;
}

await runBenchmark('publications', measure);

async function measure(context: BenchmarkContext): Promise<readonly Figure[]> {
  const many = context.scale(1_000, 20);
  const cases: readonly Case[] = [
    { subscriptions: 0, audience: 'one' },
    { subscriptions: 10, audience: 'one' },
    { subscriptions: 10, audience: 'one', takesLists: true, promised: { atLeast: 10_000 } },
    { subscriptions: 10, audience: 'all' },
    { subscriptions: 10, audience: 'all', takesLists: true },
    { subscriptions: many, audience: 'one' },
  ];
  const figures: Figure[] = [];
  for (const one of cases) figures.push(...(await figuresOf(context, one)));
  return [...figures, figure('bare forwarding', await bareRates(context), 'publications/s')];
}

async function figuresOf(context: BenchmarkContext, one: Case): Promise<readonly Figure[]> {
  const { subscriptions, audience, takesLists = false, promised = null } = one;
  const inboxes = await startEntry(INBOXES);
  const data = join(context.folder, `data-${subscriptions}-${audience}-${takesLists}`);
  // One subject has all subscriptions.
  const server = await startServerProcess(data, { limits: { subjectShare: 1 } });
  await subscribe(server, inboxes, one);
  const each = deliveriesOfEach(one);
  const rates = await measureRates(context, server, inboxes, one);
  await server.stop();
  await inboxes.stop();
  const lists = takesLists ? ', in lists' : '';
  const what = `${subscriptions} subscriptions, each for ${each} of them${lists}`;
  const accepted = rates.map((rate) => rate.accepted);
  const delivered = rates.map((rate) => rate.delivered);
  if (each === 0) return [figure('no subscriptions: accepted', accepted, 'publications/s')];
  return [
    figure(`${what}: accepted`, accepted, 'publications/s', promised),
    figure(`${what}: accepted and delivered`, delivered, 'publications/s', promised),
    ...(each > 1 ? [figure(`${what}: deliveries`, timesEach(delivered, each), 'per s')] : []),
  ];
}

function timesEach(rates: readonly number[], each: number): readonly number[] {
  return rates.map((rate) => rate * each);
}

function deliveriesOfEach({ subscriptions, audience }: Case): number {
  return audience === 'all' ? subscriptions : Math.min(1, subscriptions);
}

async function measureRates(
  { scale }: BenchmarkContext,
  server: Target,
  inboxes: Target,
  one: Case,
): Promise<readonly Rates[]> {
  const each = deliveriesOfEach(one);
  const count = scale(each > 1 ? 2_000 : 10_000, 100);
  const requests = publications(server.token, one.subscriptions, one.audience);
  let expected = 0;
  // The first round, in which the code is still being compiled, does not count.
  const all = await repeat(scale(6, 2), async () => {
    const begin = performance.timeOrigin + performance.now();
    const perSecond = (end: number) => (count * 1000) / (end - begin);
    await publish(server.url, requests, { count, connections: CONNECTIONS });
    const accepted = perSecond(performance.timeOrigin + performance.now());
    expected += count * each;
    const lastAtMs = await deliveredAt(inboxes, expected);
    return { accepted, delivered: each === 0 ? 0 : perSecond(lastAtMs) };
  });
  return all.slice(1);
}

async function bareRates(context: BenchmarkContext): Promise<readonly number[]> {
  const inboxes = await startEntry(INBOXES);
  const bare = await startEntry(FORWARDER, [inboxes.url.href]);
  const one: Case = { subscriptions: 1, audience: 'one' };
  const rates = await measureRates(context, bare, inboxes, one);
  await bare.stop();
  await inboxes.stop();
  return rates.map(({ delivered }) => delivered);
}
