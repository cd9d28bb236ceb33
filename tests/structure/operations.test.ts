/** The metrics in docs/operate/monitor.md, in the dashboard and in the alerts. */
import { describe, expect, test } from 'vitest';
import { parseYaml } from '../../server/src/runtime/yaml-document.ts';
import { type Definition, METRICS } from '../../server/src/services/metrics/definitions.ts';
import { metricTable } from './metric-table.ts';
import { readRepositoryFile } from './source-files.ts';

const PAGE = 'docs/operate/monitor.md';
const DASHBOARD = 'docs/operate/grafana/tutti.json';
const ALERTS = 'docs/operate/prometheus/alerts.yml';

const metrics: readonly (readonly [string, Definition])[] = Object.entries(METRICS);

/** After a change of a metric: `npx vitest run --project unit tests/structure/operations.test.ts -u`. */
test('docs/operate/monitor.md has every metric', async () => {
  const page = readRepositoryFile(PAGE).replace(
    /(<!-- metrics -->\n)[\s\S]*?(?=<!-- end -->)/,
    (_, mark: string) => `${mark}\n${metricTable(metrics)}\n`,
  );
  await expect(page).toMatchFileSnapshot(`../../${PAGE}`);
});

describe.each(metrics)('%s', (name, { type, help, labels = {} }) => {
  test('is named as metrics are, with its unit', () => {
    expect(name).toMatch(/^(?:tutti|process|nodejs)(?:_[a-z0-9]+)+$/);
    expect(name.endsWith('_total')).toBe(type === 'counter');
    if (type === 'summary' || (type === 'histogram' && !name.endsWith('_operations'))) {
      expect(name).toMatch(/_seconds$/);
    }
    expect(name).not.toMatch(/_(?:ms|milliseconds|kb|mb|percent)(?:_|$)/);
  });

  test('says in a sentence what it means', () => {
    expect(help).toMatch(/^[A-Z].*\.$/);
  });

  test('has labels with a few values each', () => {
    for (const values of Object.values(labels)) {
      if (typeof values !== 'string') expect(new Set(values).size).toBe(values.length);
      expect(values.length).toBeLessThan(12);
    }
  });
});

/** Names of metrics in an expression, without the suffixes of histograms and summaries. */
function metricsIn(text: string): readonly string[] {
  const names = text.match(/\b(?:tutti|process|nodejs)_[a-z0-9_]+/g) ?? [];
  return names.map((name) => {
    const whole = name.replace(/_(?:bucket|sum|count)$/, '');
    return Object.hasOwn(METRICS, whole) ? whole : name;
  });
}

const unknownIn = (text: string): readonly string[] =>
  metricsIn(text).filter((name) => !Object.hasOwn(METRICS, name));

/** Added by Prometheus, and to the buckets of a histogram. */
const ADDED_LABELS = ['instance', 'job', 'le'];

/** Matchers of labels that a metric does not have, or of values that none of it has. */
function vainMatchersIn(text: string): readonly string[] {
  const chosen = [...text.matchAll(/\b((?:tutti|process|nodejs)_[a-z0-9_]+)\{([^}]*)\}/g)];
  return chosen.flatMap(([, metric = '', matchers = '']) => {
    const name = metricsIn(metric)[0] ?? '';
    const { labels = {} } = Object.fromEntries(metrics)[name] ?? {};
    return [...matchers.matchAll(/(\w+)(=~|!=|!~|=)"([^"]*)"/g)].flatMap(
      ([matcher, label = '', operator = '', value = '']) => {
        if (ADDED_LABELS.includes(label)) return [];
        const values = labels[label];
        const isClosed = Array.isArray(values) && !operator.includes('~');
        const isThere = isClosed ? values.includes(value) : values !== undefined;
        return isThere ? [] : [`${name}: ${matcher}`];
      },
    );
  });
}

/** Labels by which is added up, and that none of the metrics of the expression has. */
function vainGroupsIn(text: string): readonly string[] {
  const known = metricsIn(text).flatMap((name) =>
    Object.keys(Object.fromEntries(metrics)[name]?.labels ?? {}),
  );
  const groups = [...text.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) =>
    names.split(/,\s*/),
  );
  return groups.filter((label) => ![...ADDED_LABELS, ...known].includes(label));
}

test('matchers and groups are held against the labels of metrics', () => {
  expect(vainMatchersIn('tutti_agents{state="idle",instance=~"$instance"}')).toEqual([]);
  expect(vainMatchersIn('tutti_agents{state="asleep"} or tutti_agents{phase!="idle"}')).toEqual([
    'tutti_agents: state="asleep"',
    'tutti_agents: phase!="idle"',
  ]);
  expect(vainGroupsIn('sum by (state, le) (tutti_agents)')).toEqual([]);
  expect(vainGroupsIn('sum by (phase) (tutti_agents)')).toEqual(['phase']);
});

/** Texts of all entries with that key, at any depth. */
function textsAt(value: unknown, key: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) =>
    name === key && typeof child === 'string' ? [child] : textsAt(child, key),
  );
}

test('the dashboard shows metrics that there are', () => {
  const shown = textsAt(JSON.parse(readRepositoryFile(DASHBOARD)), 'expr');
  expect(shown.length).toBeGreaterThan(20);
  expect(shown.flatMap(unknownIn)).toEqual([]);
  expect(shown.flatMap(vainMatchersIn)).toEqual([]);
  expect(shown.flatMap(vainGroupsIn)).toEqual([]);
});

test('the dashboard shows every metric but the version', () => {
  const shown = metricsIn(readRepositoryFile(DASHBOARD));
  const missing = metrics.map(([name]) => name).filter((name) => !shown.includes(name));
  expect(missing).toEqual([]);
});

test('no two panels of the dashboard lie upon each other', () => {
  const { panels }: { panels: { gridPos: { h: number; w: number; x: number; y: number } }[] } =
    JSON.parse(readRepositoryFile(DASHBOARD));
  const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) =>
    Array.from({ length: h * w }, (_, cell) => `${x + (cell % w)}/${y + Math.floor(cell / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});

describe('the alerts', () => {
  const { value } = parseYaml(readRepositoryFile(ALERTS));
  const names = textsAt(value, 'alert');

  test('look at metrics that there are', () => {
    const looked = textsAt(value, 'expr');
    expect(looked).toHaveLength(names.length);
    expect(looked.flatMap(unknownIn)).toEqual([]);
    expect(looked.flatMap(vainMatchersIn)).toEqual([]);
    expect(looked.flatMap(vainGroupsIn)).toEqual([]);
  });

  test('are explained on the page, each with what to do', () => {
    const shownBy = [...readRepositoryFile(PAGE).matchAll(/^\| `(Tutti\w+)` \|/gm)].map(
      ([, name]) => name,
    );
    expect(names.length).toBeGreaterThan(5);
    expect(shownBy).toEqual(names);
  });
});
