import { expect, test } from 'vitest';
import { createAgentPaths } from './agent-paths.ts';

test.each([
  ['http://host:24368', '/agents'],
  ['http://host:24368/', '/agents'],
  ['https://host/tests/tutti', '/tests/tutti/agents'],
  ['https://host/tests//', '/tests/agents'],
])('below %s agents register at %s', (server, expected) => {
  expect(createAgentPaths(new URL(server)).agents).toBe(expected);
});

test.each([
  [{ last: null, running: null }, '/agents/a'],
  [{ last: 'j/0', running: null }, '/agents/a?last=j%2F0'],
  [{ last: 'j/1', running: 'j/1' }, '/agents/a?last=j%2F1&running=j%2F1'],
  [{ last: null, running: 'j/-2' }, '/agents/a?running=j%2F-2'],
])('a poll that knows %o asks %s', (known, expected) => {
  expect(createAgentPaths(new URL('http://host')).poll('a', known)).toBe(expected);
});

test('an id cannot leave its place in a path', () => {
  const paths = createAgentPaths(new URL('http://host'));
  expect(paths.file('a', '../x?y')).toBe('/agents/a/files/..%2Fx%3Fy');
});
