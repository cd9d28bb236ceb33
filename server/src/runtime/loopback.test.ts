import { expect, test } from 'vitest';
import { isLoopback } from './loopback.ts';

test.each(['127.0.0.1', '127.8.9.10', 'localhost', 'LOCALHOST', '::1', '[::1]'])(
  '%s is the machine itself',
  (host) => {
    expect(isLoopback(host)).toBe(true);
  },
);

test.each([
  '0.0.0.0',
  '::',
  '[::]',
  '10.0.0.1',
  '127.0.0.1.example.com',
  'localhost.example.com',
  '',
])('"%s" may be reached by others', (host) => {
  expect(isLoopback(host)).toBe(false);
});
