import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { resolveOptions } from './agent-options.ts';

const given = { server: 'http://localhost:24368', tags: ['linux'] };

test('absent options get their defaults', () => {
  const settings = resolveOptions({ ...given, environment: { TUTTI_TOKEN: 's', HOME: '/h' } });
  expect(settings).toMatchObject({
    name: hostname(),
    namespaces: 'default',
    apiGroup: 'opentestfactory.org',
    folders: { workspaceDir: path.resolve(tmpdir()), scriptPath: path.resolve(tmpdir()) },
    environment: { HOME: '/h' },
    decoder: { encoding: 'utf-8' },
  });
  expect(settings.token()).toBe(null);
  expect(settings.environment).toEqual({ HOME: '/h' });
});

test('scripts go to the workspace unless they have a place of their own', () => {
  expect(resolveOptions({ ...given, workspaceDir: '/w' }).folders.scriptPath).toBe(
    path.resolve('/w'),
  );
  const both = resolveOptions({ ...given, workspaceDir: '/w', scriptPath: '/s' }).folders;
  expect(both).toEqual({ workspaceDir: path.resolve('/w'), scriptPath: path.resolve('/s') });
});

test('a token that changes is asked for each time', () => {
  const tokens = ['first', 'second'];
  const { token } = resolveOptions({ ...given, token: () => tokens.shift() ?? null });
  expect([token(), token(), token()]).toEqual(['first', 'second', null]);
});

test.each(['', 'A', 'a,*', 'a,,b', 'a b'])('the namespaces %j are refused', (namespaces) => {
  expect(() => resolveOptions({ ...given, namespaces })).toThrow(/namespace/);
});

test('namespaces are sent without blanks', () => {
  expect(resolveOptions({ ...given, namespaces: 'a, b' }).namespaces).toBe('a,b');
  expect(resolveOptions({ ...given, namespaces: '*' }).namespaces).toBe('*');
});

test.each([
  [{ name: '' }, 'The name of the agent is empty.'],
  [{ workspaceDir: '' }, 'The workspace directory is empty.'],
  [{ scriptPath: ' ' }, 'The script path is empty.'],
])('%j is refused', (empty, message) => {
  expect(() => resolveOptions({ ...given, ...empty })).toThrow(message);
});

test.each(['', 'localhost', 'ftp://host', 'host:80'])('%o is no server', (server) => {
  expect(() => resolveOptions({ ...given, server })).toThrow('Not an http or https URL');
});

test('an encoding that is not known is refused', () => {
  expect(() => resolveOptions({ ...given, encoding: 'cp850' })).toThrow('Not a known encoding');
});
