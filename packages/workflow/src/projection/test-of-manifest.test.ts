import { describe, expect, test } from 'vitest';
import { testOfManifest } from './test-of-manifest.ts';

const manifest = (test: object, more: object = {}): string =>
  JSON.stringify({
    kind: 'TestCase',
    metadata: { name: 'cart#adds', ...more },
    test,
    status: 'FAILURE',
    execution: { failureDetails: { message: ',"test":{"a":1},"status":"SUCCESS"' } },
  });

test('the test of a test case has a history, also where nothing was known', () => {
  const history = { state: 'flaky', flakeRate: 0.1, failures: 1, executions: 9 };
  const known = manifest({ outcome: 'failure', history, newlyFailed: false });
  expect(testOfManifest(known).test).toMatchObject({
    history,
    newlyFailed: false,
    quarantined: false,
  });
  const NEW = { state: 'new', flakeRate: 0, failures: 0, executions: 0 };
  for (const [outcome, newlyFailed] of [
    ['error', true],
    ['skipped', false],
  ]) {
    expect(testOfManifest(manifest({ outcome })).test).toMatchObject({
      ...{ history: NEW, newlyFailed, quarantined: false },
    });
  }
});

describe('the test of a test case', () => {
  test.each<[what: string, json: string]>([
    ['as it is', manifest({ job: 'unit', 'runs-on': ['linux'], managed: false })],
    [
      'in whose texts are the keys around it',
      manifest({ job: '},"status":"x"', test: ',"test":{' }),
    ],
    ['behind such a text', manifest({ job: 'unit' }, { name: ',"test":{"job":"x"},"status":"' })],
    [
      'with such keys itself',
      manifest({ data: { a: {}, status: 'x', test: { b: {} } }, job: 'a' }),
    ],
    ['without anything', manifest({})],
    ['in another order', JSON.stringify({ test: { job: 'unit' }, kind: 'TestCase' })],
  ])('%s is that of the whole', (_, json) => {
    expect(testOfManifest(json).test).toMatchObject(JSON.parse(json).test);
  });
});
