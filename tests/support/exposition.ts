/** Reads the text format of Prometheus, and refuses whatever it does not allow. */
import type { Api } from './api.ts';

export interface MetricSample {
  /** With the suffixes of histograms and summaries. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MetricFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly MetricSample[];
}

const HEADS = /^# HELP (\S+) (.+)\n# TYPE (\S+) (counter|gauge|histogram|summary)\n/;
const SAMPLE = /^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-z_]+)="((?:[^"\\]|\\.)*)"(?:,|$)/y;
const SUFFIXES: Readonly<Record<string, RegExp>> = {
  histogram: /_(?:bucket|sum|count)$/,
  summary: /_(?:sum|count)$/,
};

export function parseExposition(text: string): readonly MetricFamily[] {
  if (!text.endsWith('\n')) throw new Error('The last line does not end.');
  return text
    .split(/(?=^# HELP )/m)
    .filter((part) => part !== '')
    .map(parseFamily);
}

function parseFamily(text: string): MetricFamily {
  const [heads, name = '', help = '', typed, type = ''] = HEADS.exec(text) ?? [];
  if (heads === undefined || typed !== name) throw new Error(`Not a metric: ${text}`);
  const samples = text.slice(heads.length, -1).split('\n').map(parseSample);
  const suffix = SUFFIXES[type] ?? /$/;
  const stranger = samples.find((sample) => sample.name.replace(suffix, '') !== name);
  if (stranger !== undefined) throw new Error(`${stranger.name} is none of ${name}.`);
  return { name, type, help, samples };
}

function parseSample(line: string): MetricSample {
  const [, name, labels = '', value = ''] = SAMPLE.exec(line) ?? [];
  const number = value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value);
  if (name === undefined || Number.isNaN(number)) throw new Error(`Not a sample: ${line}`);
  return { name, labels: parseLabels(labels), value: number };
}

function parseLabels(text: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  for (LABEL.lastIndex = 0; LABEL.lastIndex < text.length; ) {
    const at = LABEL.lastIndex;
    const [, name, value] = LABEL.exec(text) ?? [];
    if (name === undefined || value === undefined) throw new Error(`Not labels: ${text.slice(at)}`);
    labels[name] = JSON.parse(`"${value}"`);
  }
  return labels;
}

export interface Scrape {
  readonly families: readonly MetricFamily[];
  /** The sum of the samples that have these labels, and perhaps others; null when there are none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | null;
}

export async function scrape(api: Api): Promise<Scrape> {
  const answer = await api.call('GET', '/metrics');
  if (answer.code !== 200) throw new Error(`${answer.code}: ${answer.text}`);
  const families = parseExposition(answer.text);
  const samples = families.flatMap((family) => family.samples);
  return {
    families,
    value(name, labels = {}) {
      const found = samples.filter(
        (sample) =>
          sample.name === name &&
          Object.entries(labels).every(([label, text]) => sample.labels[label] === text),
      );
      return found.length === 0 ? null : found.reduce((sum, { value }) => sum + value, 0);
    },
  };
}
