import { expect, test } from 'vitest';
import { endpointOf } from './is-refused.ts';

test.each([
  ['http://127.0.0.1:7774', { host: '127.0.0.1', port: 7774 }],
  ['http://[::1]:7774', { host: '::1', port: 7774 }],
  ['http://tests.example', { host: 'tests.example', port: 80 }],
  ['https://tests.example:443/', { host: 'tests.example', port: 443 }],
])('%s is connected to where its requests go', (url, endpoint) => {
  expect(endpointOf(url)).toEqual(endpoint);
});
