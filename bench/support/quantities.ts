/** The quantities sampled while a server works: whether they stay flat, and their figures. */
import type { ProcessSample } from './process-samples.ts';
import { type Figure, figure } from './report.ts';
import { median, slope } from './statistics.ts';

export interface Sample extends ProcessSample {
  /** Number of ended runs. */
  readonly runs: number;
  readonly seconds: number;
  /** Median of the runs that were followed since the sample before; NaN if there were none. */
  readonly runMs: number;
}

interface Quantity {
  readonly key: Exclude<keyof Sample, 'runs' | 'seconds'>;
  readonly what: string;
  readonly unit: string;
  /** Absent for figures without a limit. */
  readonly atMost?: number;
}

/** Quantities that must be flat, with the allowed growth per 10 000 runs. A mebibyte is 105 bytes for each run. */
const QUANTITIES: readonly Quantity[] = [
  { key: 'rssMiB', what: 'memory', unit: 'MiB', atMost: 2 },
  { key: 'liveHeapMiB', what: 'heap without garbage', unit: 'MiB', atMost: 0.5 },
  { key: 'heapMiB', what: 'heap with garbage', unit: 'MiB' },
  { key: 'openFiles', what: 'open files', unit: 'files', atMost: 0.5 },
  { key: 'threads', what: 'threads', unit: 'threads', atMost: 0.1 },
  { key: 'databaseMiB', what: 'database', unit: 'MiB', atMost: 2 },
  { key: 'walMiB', what: 'write-ahead log', unit: 'MiB', atMost: 1 },
  { key: 'runMs', what: 'one run, followed', unit: 'ms', atMost: 2 },
];

const PARTS = 10;
/** The warm-up. Memory grew for the first three tenths of 200 000 runs, and stayed flat from then on. */
const WARM_UP_PARTS = 3;
const PER_RUNS = 10_000;

/** The samples of each tenth of the runs. */
function tenths(samples: readonly Sample[]): readonly (readonly Sample[])[] {
  const all = samples.at(-1)?.runs ?? 0;
  return Array.from({ length: PARTS }, (_, part) =>
    samples.filter(({ runs }) => runs > (part * all) / PARTS && runs <= ((part + 1) * all) / PARTS),
  );
}

const valuesOf = (samples: readonly Sample[], { key }: Quantity): readonly number[] =>
  samples.map((sample) => sample[key]).filter((value) => !Number.isNaN(value));

/** For each quantity: the first three tenths after the warm-up, the last three, and the growth over all. */
export function soakFigures(samples: readonly Sample[]): readonly Figure[] {
  const parts = tenths(samples).slice(WARM_UP_PARTS);
  const counted = parts.flat();
  return QUANTITIES.flatMap((quantity) => {
    const { key, what, unit, atMost } = quantity;
    const points = counted
      .filter((sample) => !Number.isNaN(sample[key]))
      .map((sample) => ({ x: sample.runs / PER_RUNS, y: sample[key] }));
    return [
      figure(`${what}, after the warm-up`, valuesOf(parts.slice(0, 3).flat(), quantity), unit),
      figure(`${what}, in the end`, valuesOf(parts.slice(-3).flat(), quantity), unit),
      figure(
        `${what}, more with 10 000 runs`,
        [slope(points)],
        unit,
        atMost === undefined ? null : { atMost },
      ),
    ];
  });
}

/** Each tenth: median (lowest to highest). */
export function soakTable(samples: readonly Sample[]): string {
  const head = ['runs', 'seconds', ...QUANTITIES.map(({ what, unit }) => `${what} (${unit})`)];
  const rows = tenths(samples).map((part) => [
    String(part.at(-1)?.runs ?? 0),
    (part.at(-1)?.seconds ?? 0).toFixed(0),
    ...QUANTITIES.map((quantity) => cellOf(valuesOf(part, quantity))),
  ]);
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  return [head, ...rows]
    .map((row) => `  ${row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  ')}`)
    .join('\n');
}

function cellOf(values: readonly number[]): string {
  if (values.length === 0) return '-';
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return `${shown(median(values))} (${shown(low)}-${shown(high)})`;
}

const shown = (value: number): string => (value >= 10 ? value.toFixed(0) : value.toFixed(1));
