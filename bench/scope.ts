/** Measures test cases per second that a scope is evaluated for, in memory, on one thread. */
import { parseTestScope } from '@tutti/workflow';
import { type BenchmarkContext, repeat, runBenchmark, timed } from './support/benchmark.ts';
import { type Figure, figure } from './support/report.ts';
import { syntheticTestCase } from './support/synthetic-test-cases.ts';

const CASES = 10_000;
const PROMISE = { atLeast: 500_000 };
const SCOPES = [
  "test.outcome == 'failure'",
  "contains(test.runs-on, 'linux')",
  "test.technology == 'junit' && test.outcome != 'success'",
  "startsWith(test.suiteName, 'com.acme') && !(test.job == 'job 1' || test.managed)",
  "test.testCaseName ~= '^adds item [0-9]+7$'",
];

await runBenchmark('scope', measure);

async function measure({ scale }: BenchmarkContext): Promise<readonly Figure[]> {
  const cases = Array.from({ length: scale(CASES, 100) }, (_, number) => syntheticTestCase(number));
  const figures: Figure[] = [];
  for (const text of SCOPES) {
    const rate = () => ratePerSecond(text, cases, scale(50, 1));
    // While the code is still being compiled.
    await rate();
    figures.push(figure(text, await repeat(scale(7, 1), rate), 'cases/s', PROMISE));
  }
  return figures;
}

/** A new scope for each round: its cost is bounded for all test cases of one question together. */
async function ratePerSecond(
  text: string,
  cases: Parameters<NonNullable<ReturnType<typeof parseTestScope>>>[0][],
  rounds: number,
): Promise<number> {
  let taken = 0;
  const elapsedMs = await timed(() => {
    for (let round = 0; round < rounds; round += 1) {
      const scope = parseTestScope(text);
      for (const testCase of cases) if (scope?.(testCase) === true) taken += 1;
    }
  });
  if (taken === 0) throw new Error(`${text} takes no test case.`);
  return (cases.length * rounds * 1000) / elapsedMs;
}
