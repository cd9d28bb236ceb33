/** Measures precision and recall of the states of tests in simulated histories, beside simpler rules that other tools document. */
import {
  BrokenTests,
  errorFactors,
  type Judged,
  judge,
  rulesOf,
} from '../packages/test-history/src/testing/judged-history.ts';
import { simulateHistory } from '../packages/test-history/src/testing/simulated-history.ts';
import { type BenchmarkContext, runBenchmark } from './support/benchmark.ts';
import { type Figure, figure, type Promised } from './support/report.ts';

const TESTS = 20_000;
const RUNS = 200;
/** Histories of which the figures are medians. */
const SEEDS = [1, 2, 3, 4, 5];

const KINDS = [
  {
    name: 'right versions',
    outages: 0.02,
    wrongVersions: 0,
    precision: 98,
    regressions: { atLeast: 99.9 },
    broken: { atLeast: 95 },
  },
  {
    name: '30 % wrong versions',
    outages: 0.01,
    wrongVersions: 0.3,
    precision: 93,
    regressions: null,
    broken: null,
  },
] as const;

await runBenchmark('flaky', measure);

async function measure({ scale }: BenchmarkContext): Promise<readonly Figure[]> {
  const [tests, runs] = [scale(TESTS, 500), scale(RUNS, 60)];
  return KINDS.flatMap((kind) => {
    const { outages, wrongVersions } = kind;
    const histories = SEEDS.slice(0, scale(SEEDS.length, 1)).map((seed) =>
      judgedHistory({ seed, tests, runs, outages, wrongVersions }),
    );
    const names = histories[0]?.rules.keys() ?? [];
    return [
      ...[...names].flatMap((rule) => figuresOf(rule, kind, histories)),
      ...otherFigures(kind, histories),
    ];
  });
}

interface History {
  readonly rules: ReadonlyMap<string, Judged>;
  readonly broken: BrokenTests;
  readonly errors: readonly number[];
}

function judgedHistory(options: Parameters<typeof simulateHistory>[0]): History {
  const broken = new BrokenTests();
  let rules: History['rules'] = new Map();
  let errors: readonly number[] = [];
  simulateHistory(options, (run) => {
    broken.add(run);
    if (run.run < options.runs - 1) return;
    rules = new Map([...rulesOf(run)].map(([name, rule]) => [name, judge(run, rule)]));
    errors = errorFactors(run);
  });
  return { rules, broken, errors };
}

/** Nothing is promised of the simpler rules. */
function figuresOf(
  rule: string,
  kind: (typeof KINDS)[number],
  histories: readonly History[],
): readonly Figure[] {
  const percent = (what: string, key: keyof Judged, promised: Promised) => {
    const values = histories.map(({ rules }) => 100 * (rules.get(rule)?.[key] || 0));
    return figure(
      `${kind.name}: ${rule}: ${what}`,
      values,
      '%',
      rule === 'flaky' ? promised : null,
    );
  };
  const regressions = histories.map(
    ({ rules }) => 100 - 100 * (rules.get(rule)?.regressionsCalled ?? 0),
  );
  const whole = rule === 'flaky' ? kind.regressions : null;
  return [
    percent('precision', 'precision', { atLeast: kind.precision }),
    percent('recall, rates of 2 to 5 %', 'recall', { atLeast: 95 }),
    percent('recall, higher rates', 'recallOfOften', { atLeast: 99 }),
    figure(`${kind.name}: ${rule}: regressions not called flaky`, regressions, '%', whole),
  ];
}

function otherFigures(
  { name, broken: recall }: (typeof KINDS)[number],
  histories: readonly History[],
): readonly Figure[] {
  const errorsAt = (part: number) =>
    histories.map(({ errors }) => errors[Math.floor(errors.length * part)] ?? 0);
  const percent = (key: 'precision' | 'recall') => histories.map(({ broken }) => 100 * broken[key]);
  return [
    figure(`${name}: broken: precision`, percent('precision'), '%', { atLeast: 98 }),
    figure(`${name}: broken: recall`, percent('recall'), '%', recall),
    figure(`${name}: error of flake rates: median`, errorsAt(0.5), 'times', { atMost: 1.3 }),
    figure(`${name}: error of flake rates: p90`, errorsAt(0.9), 'times', { atMost: 2 }),
  ];
}
