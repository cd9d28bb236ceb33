import { expect, test } from 'vitest';
import { collectorOptions } from './collector-options.ts';

const urlOf = (endpoint: string) => collectorOptions({ endpoint }, '1.2.3').url;

test.each([
  ['http://collector:4318', 'http://collector:4318/v1/traces'],
  ['http://collector:4318/', 'http://collector:4318/v1/traces'],
  ['https://example.com/otlp/v1/traces', 'https://example.com/otlp/v1/traces'],
  ['https://example.com/own?key=1', 'https://example.com/own?key=1'],
])('%s means %s', (endpoint, url) => {
  expect(urlOf(endpoint)).toBe(url);
});

test('an address that is none is refused, and named', () => {
  expect(() => urlOf('http://[')).toThrow(
    'Not a valid configuration: tracing.endpoint: "http://[" is no address.',
  );
});

test('headers are pairs, whose values may be written as in an address', () => {
  const headers = 'x-api-key=abc=, authorization=Bearer%20x%2Cy,z=100%';
  expect(collectorOptions({ endpoint: 'http://a', headers }, '1.2.3')).toEqual({
    url: 'http://a/v1/traces',
    headers: { 'x-api-key': 'abc=', authorization: 'Bearer x,y', z: '100%' },
    serviceName: null,
    version: '1.2.3',
  });
});
