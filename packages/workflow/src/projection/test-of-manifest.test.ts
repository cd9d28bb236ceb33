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
    expect(testOfManifest(json).test).toEqual(JSON.parse(json).test);
  });
});
