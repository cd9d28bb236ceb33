import { afterAll, expect, test } from 'vitest';
import { ImportBench, serviceFile } from './testing.ts';

const bench = new ImportBench();
afterAll(() => bench.close());

const policy = (retentionPeriod: string, scope?: string) => ({
  ...{ name: retentionPeriod, retentionPeriod },
  ...(scope && { scope }),
});
const NIGHTLY = "metadata.name == 'nightly'";

test.each([
  ['the longest time holds', [policy('1d'), policy('12h', NIGHTLY)], { minutes: 1440 }],
  [
    'a scope with a longer time holds for all',
    [policy('1h30m'), policy('2d', NIGHTLY)],
    { minutes: 2880 },
  ],
  ['true is a scope of all', [policy('20m', 'true')], { minutes: 20 }],
  ['forever is a hundred years', [policy('forever')], { minutes: 52_560_000, runs: 1_000_000_000 }],
  [
    'what is kept for ever in a scope is not kept here',
    [policy('1h'), policy('forever', NIGHTLY)],
    { minutes: 60 },
  ],
])('%s', async (_what, retentionPolicy, retention) => {
  expect((await bench.import({ 'retention.yaml': { retentionPolicy } })).config).toEqual({
    retention,
  });
});

test('other retention times are reported', async () => {
  const retentionPolicy = [
    policy('1h'),
    policy('forever', NIGHTLY),
    policy('30m', NIGHTLY),
    policy('1w'),
  ];
  const { lines } = await bench.import({ 'retention.yaml': { retentionPolicy } });
  const kept = 'here one time holds for all runs, which are kept 60 minutes.';
  expect(lines.filter((line) => line.includes('retentionPolicy'))).toEqual([
    'retention.yaml: retentionPolicy.1h -> retention.minutes',
    `retention.yaml: retentionPolicy.30m: It is for some runs; ${kept}`,
    'retention.yaml: retentionPolicy.1w: It is no time. What to do: write it as forever, or as days, hours and minutes: 1d12h30m.',
    `retention.yaml: retentionPolicy.forever: It keeps some runs for ever; ${kept} What to do: raise retention.minutes and retention.runs if the disk has room for all runs.`,
  ]);
});

test('a service without settings is reported to have kept runs an hour', async () => {
  const { lines, config } = await bench.import({
    'observer.yaml': serviceFile({ host: 'localhost' }),
  });
  expect(lines).toContain(
    'observer: retention_period_minutes: Nothing sets it: existing servers kept runs 60 minutes then, this one keeps them a week. What to do: set retention.minutes for another time.',
  );
  expect(config).toEqual({ host: 'localhost' });
});

test('policies that are no list are reported', async () => {
  const { lines } = await bench.import({ 'retention.yaml': { retentionPolicy: { a: 1 } } });
  expect(lines).toContain(
    'retention.yaml: retentionPolicy: It is no list of policies. What to do: correct it and import it again.',
  );
});

test('a number of runs stays', async () => {
  const file = serviceFile({ retention_period_minutes: 60, max_retention_workflow_count: 50 });
  const { config } = await bench.import({ 'observer.yaml': file });
  expect(config).toEqual({ retention: { minutes: 60, runs: 50 } });
});
