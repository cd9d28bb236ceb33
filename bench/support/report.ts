/** The figures of a benchmark, and their table. */
import { cpus, totalmem } from 'node:os';
import { median, spread } from './statistics.ts';

/** A bound that a figure keeps, or does not. */
export interface Promised {
  readonly atMost?: number;
  readonly atLeast?: number;
}

export interface Figure {
  readonly what: string;
  /** Median of the rounds. */
  readonly value: number;
  readonly unit: string;
  /** Half the distance between the quarters of the rounds, relative to the median; null for a single round. */
  readonly spread: number | null;
  /** Some figures have an older promise and a newer one; empty without a promise. */
  readonly promised: readonly Promised[];
}

export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGiB: number;
  readonly node: string;
  /** Running and waiting processes in the last minute, before the benchmark added its own. */
  readonly loadBefore: number;
}

export interface Report {
  readonly benchmark: string;
  readonly machine: Machine;
  readonly figures: readonly Figure[];
}

/** A figure from the values of several rounds. */
export function figure(
  what: string,
  values: readonly number[],
  unit: string,
  ...promised: readonly (Promised | null | undefined)[]
): Figure {
  return {
    what,
    value: median(values),
    unit,
    promised: promised.filter((each) => each !== null && each !== undefined),
    spread: values.length > 1 ? spread(values) : null,
  };
}

export function describeMachine(loadBefore: number): Machine {
  const all = cpus();
  return {
    cores: all.length,
    cpu: all[0]?.model.trim() ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    loadBefore,
  };
}

export function keepsPromise(value: number, promised: Promised): boolean {
  const { atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY } = promised;
  return value <= atMost && value >= atLeast;
}

export function renderReport({ benchmark, machine, figures }: Report): string {
  const { cores, cpu, memoryGiB, node, loadBefore } = machine;
  return [
    `${benchmark}: ${cores} x ${cpu}, ${memoryGiB} GiB, Node ${node}, load before ${loadBefore.toFixed(2)}`,
    ...renderFigures(figures),
    '',
  ].join('\n');
}

/** A line for each figure. */
export function renderFigures(figures: readonly Figure[]): readonly string[] {
  const rows = figures.map(rowOf);
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) => `  ${alignRow(row, widths)}`.trimEnd());
}

type Row = readonly [what: string, value: string, spread: string, promise: string];

function alignRow([what, value, around, promise]: Row, widths: readonly number[]): string {
  const [first = 0, second = 0, third = 0] = widths;
  return `${what.padEnd(first)}  ${value.padStart(second)}  ${around.padEnd(third)}  ${promise}`;
}

function rowOf(each: Figure): Row {
  return [
    each.what,
    `${formatNumber(each.value)} ${each.unit}`,
    each.spread === null ? '' : `±${Math.round(each.spread * 100)} %`,
    promiseText(each),
  ];
}

function promiseText({ value, unit, promised }: Figure): string {
  return promised
    .map((each) => `${keepsPromise(value, each) ? 'kept' : 'NOT KEPT'}: ${boundText(each, unit)}`)
    .join('; ');
}

const boundText = ({ atMost, atLeast }: Promised, unit: string): string =>
  atMost === undefined ? `at least ${atLeast} ${unit}` : `at most ${atMost} ${unit}`;

function formatNumber(value: number): string {
  return Math.abs(value) >= 100 ? String(Math.round(value)) : value.toFixed(2);
}
