/** The text format of Prometheus, version 0.0.4. */
import type { Histogram } from '../../runtime/meters.ts';
import type { Definition } from './definitions.ts';

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export type Labels = Readonly<Record<string, string>>;

/** A value of a metric, as its type has them. */
export type Reading =
  | { readonly labels?: Labels; readonly value: number }
  | { readonly labels?: Labels; readonly histogram: Histogram }
  | {
      readonly labels?: Labels;
      readonly summary: { readonly sum: number; readonly count: number };
    };

/** One metric with all its lines; empty without values. */
export function exposeMetric(
  name: string,
  { type, help }: Definition,
  readings: readonly Reading[],
): string {
  if (readings.length === 0) return '';
  const lines = readings.flatMap((reading) => linesOf(name, reading));
  return [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

function linesOf(name: string, reading: Reading): readonly string[] {
  const { labels = {} } = reading;
  if ('value' in reading) return [line(name, labels, reading.value)];
  if ('summary' in reading) return sumLines(name, labels, reading.summary);
  const { histogram } = reading;
  const counts = histogram.cumulative();
  const buckets = [...histogram.bounds.map(String), '+Inf'].map((le, index) =>
    line(`${name}_bucket`, { ...labels, le }, counts[index] ?? 0),
  );
  return [...buckets, ...sumLines(name, labels, { sum: histogram.sum, count: counts.at(-1) ?? 0 })];
}

const sumLines = (
  name: string,
  labels: Labels,
  { sum, count }: { readonly sum: number; readonly count: number },
): readonly string[] => [line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, count)];

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escapeLabel(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${numberText(value)}`;
}

/** The number format of Go. */
function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  return String(value);
}

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

const escapeLabel = (text: string): string => escapeHelp(text).replaceAll('"', '\\"');
