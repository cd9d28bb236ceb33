import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { resolveOptions } from './agent-options.ts';

const given = { server: 'http://localhost:24368', tags: ['linux'] };

test('what is not said has a default', () => {
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

test.each(['', 'localhost', 'ftp://host', 'host:80'])('%o is no server', (server) => {
  expect(() => resolveOptions({ ...given, server })).toThrow('Not an http or https URL');
});

test('an encoding that is not known is refused', () => {
  expect(() => resolveOptions({ ...given, encoding: 'cp850' })).toThrow('Not a known encoding');
});
