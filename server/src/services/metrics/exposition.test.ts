import { expect, test } from 'vitest';
import { Histogram } from '../../runtime/meters.ts';
import type { Definition } from './definitions.ts';
import { exposeMetric, type Reading } from './exposition.ts';

const histogram = new Histogram([0.1, 1]);
for (const value of [0.05, 0.5, 0.5, 3]) histogram.observe(value);

const GAUGE: Definition = { type: 'gauge', help: 'Things.' };

test.each<[string, Definition, readonly Reading[], string]>([
  ['a value', GAUGE, [{ value: 3 }], '# HELP m Things.\n# TYPE m gauge\nm 3\n'],
  [
    'values with labels',
    { ...GAUGE, type: 'counter' },
    [
      { labels: { a: 'x', b: 'y' }, value: 0 },
      { labels: { a: 'z', b: 'y' }, value: 1.5e21 },
    ],
    '# HELP m Things.\n# TYPE m counter\nm{a="x",b="y"} 0\nm{a="z",b="y"} 1.5e+21\n',
  ],
  [
    'what a text must not have as it is',
    { type: 'gauge', help: 'One\\two\nlines "quoted".' },
    [{ labels: { a: 'back\\slash, "quote"\nline' }, value: Number.POSITIVE_INFINITY }],
    '# HELP m One\\\\two\\nlines "quoted".\n# TYPE m gauge\nm{a="back\\\\slash, \\"quote\\"\\nline"} +Inf\n',
  ],
  [
    'a histogram',
    { type: 'histogram', help: 'Seconds.' },
    [{ histogram }],
    [
      '# HELP m Seconds.',
      '# TYPE m histogram',
      'm_bucket{le="0.1"} 1',
      'm_bucket{le="1"} 3',
      'm_bucket{le="+Inf"} 4',
      'm_sum 4.05',
      'm_count 4\n',
    ].join('\n'),
  ],
  [
    'a summary',
    { type: 'summary', help: 'Seconds.' },
    [{ labels: { a: 'x' }, summary: { sum: 1.25, count: 2 } }],
    '# HELP m Seconds.\n# TYPE m summary\nm_sum{a="x"} 1.25\nm_count{a="x"} 2\n',
  ],
  ['what is not known now', GAUGE, [], ''],
])('%s is written as Prometheus reads it', (_, definition, readings, text) => {
  expect(exposeMetric('m', definition, readings)).toBe(text);
});
