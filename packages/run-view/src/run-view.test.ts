import { expect, test } from 'vitest';
import { emptyRunView, reduceRunView } from './run-view.ts';
import { createRunLog } from './testing.ts';

test('the answer of a plugin that generates is of the job that it was asked for', () => {
  const log = createRunLog({ gm: { generator: 'acme/gen@v1' } });
  log.expand('gm', { 'gm-1': { name: 'gm (1)', generator: 'acme/gen@v1' } }, '.matrix');
  log.generate('gm (1)', 'gm/gm-1');
  log.expand('gm (1)', { g1: { 'runs-on': 'linux', steps: [] } }, 'gen');
  const view = log.events.reduce(reduceRunView, emptyRunView);
  expect([...view.jobs.keys()]).toEqual(['gm', 'gm/gm-1', 'gm/gm-1/g1']);
});

test.each([
  [{ 'tutti.continue-on-error': 'true' }, true],
  [{ 'tutti.continue-on-error': true }, true],
  [{}, false],
])(
  'the end of a bundle with %j, as servers of all versions write it, is forgiven: %s',
  (more, isForgiven) => {
    const log = createRunLog({ b: { jobs: {} } });
    log.endUnplaced('b', 'success', 'Job "b" succeeded.', more);
    const view = log.events.reduce(reduceRunView, emptyRunView);
    expect(view.jobs.get('b')).toMatchObject({ result: 'success', isForgiven });
  },
);
