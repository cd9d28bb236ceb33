import { expect, test } from 'vitest';
import { textAt, valuePath } from './value-path.ts';

const ITEM = {
  metadata: {
    name: 'smoke',
    labels: { team: 'web', 'example.com/tier': 2 },
    namespaces: ['a', 'b'],
    nothing: null,
  },
  jobs: { one: { 'runs-on': ['linux', 'jdk'] }, two: { 'runs-on': 'windows' }, three: {} },
};

test.each([
  ['metadata.name', 'smoke'],
  ['.metadata.name', 'smoke'],
  ['metadata.labels', '{"team":"web","example.com/tier":2}'],
  ['metadata.labels[example.com/tier]', '2'],
  ['metadata.labels.*', 'web,2'],
  ['metadata.labels.*~', 'team,example.com/tier'],
  ['metadata.namespaces', 'a,b'],
  ['metadata.namespaces.*', 'a,b'],
  ['jobs.*.runs-on', 'linux,jdk,windows'],
  ['jobs.*~', 'one,two,three'],
  ['jobs', '{"one":{"runs-on":["linux","jdk"]},"two":{"runs-on":"windows"},"three":{}}'],
  ['metadata.nothing', '<none>'],
  ['metadata.other.deeper', '<none>'],
  ['metadata.name.deeper', '<none>'],
  ['metadata.toString', '<none>'],
])('%s shows %s', (path, expected) => {
  expect(textAt(ITEM, valuePath(path) ?? [])).toBe(expected);
});

test.each(['', '.', 'a..b', 'a[', 'a[]', 'a]b', '*~.a', 'a.*~.b'])('"%s" is no path', (path) => {
  expect(valuePath(path)).toBeNull();
});
