/** The table of all metrics, as docs/operate/monitor.md shows it. */
import type { Definition } from '../../server/src/services/metrics/definitions.ts';

/** One row per metric, in the order in which they are told. */
export function metricTable(metrics: readonly (readonly [string, Definition])[]): string {
  const rows = metrics.map(([name, { type, help, labels = {} }]) => {
    const shownBy = Object.entries(labels).map(([label, values]) =>
      typeof values === 'string'
        ? `\`${label}\``
        : `\`${label}\`: ${values.map((value) => `\`${value}\``).join(', ')}`,
    );
    return `| \`${name}\` | ${type} | ${shownBy.join('; ')} | ${help} |`;
  });
  return ['| Metric | Type | Labels | Meaning |', '|---|---|---|---|', ...rows, ''].join('\n');
}
