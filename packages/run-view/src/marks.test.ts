import { expect, test } from 'vitest';
import { type Mark, markOf, thinned } from './marks.ts';
import { emptyRunView, reduceRunView } from './run-view.ts';
import { createRunLog } from './testing.ts';

test('the marks of a run are its starts, ends, failures and waits', () => {
  const log = createRunLog({ test: { 'runs-on': 'linux', steps: [] } });
  log.request('test');
  log.wait('test', { reason: 'max-parallel', limit: 1, running: 1 }, 'Job "test" waits: x.');
  log.offer('test');
  log.step('test', 's', 'make');
  log.output('test', 's', 'a line');
  log.done('test', 's', 3);
  log.release('test', 'failure');
  log.fail();
  let view = emptyRunView;
  const marks = log.events.flatMap((event, at) => {
    view = reduceRunView(view, event);
    const mark = markOf(event, view, at + 1);
    return mark === null ? [] : [[mark.seq, mark.kind, mark.job]];
  });
  expect(marks).toEqual([
    [1, 'start', ''],
    [3, 'wait', 'test'],
    [4, 'start', 'test'],
    [7, 'failure', 'test'],
    [8, 'failure', 'test'],
    [10, 'failure', ''],
  ]);
});

test.each([
  ['all of few', 10, 10, 10, 1],
  ['the failures among many', 1_000, 100, 100, 50],
  ['some of too many failures', 1_000, 10, 10, 10],
])('a bar shows %s', (_what, count, most, left, failures) => {
  const marks = Array.from(
    { length: count },
    (_, at): Mark => ({ seq: at + 1, at: 0, kind: at % 20 === 0 ? 'failure' : 'start', job: '' }),
  );
  const shown = thinned(marks, most);
  expect(shown).toHaveLength(left);
  expect(shown.filter(({ kind }) => kind === 'failure')).toHaveLength(failures);
  expect(shown.map(({ seq }) => seq)).toEqual(
    shown.map(({ seq }) => seq).toSorted((a, b) => a - b),
  );
});
