import { configSchema } from '@tutti/server';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { UsageError } from '../terminal/problem.ts';
import { addServerOptions, readServerOptions } from './server-options.ts';

function configOf(...argv: string[]) {
  const command = new Command('server').exitOverride();
  addServerOptions(command, configSchema);
  command.parse(argv, { from: 'user' });
  return readServerOptions(command, configSchema);
}

test.each([
  [[], {}],
  [['--port', '0', '--host', '::1'], { port: 0, host: '::1' }],
  [['--data-dir', 'd'], { dataDir: 'd' }],
  [['--auth-insecure-health'], { auth: { insecureHealth: true } }],
  [['--auth-insecure-health', 'false'], { auth: { insecureHealth: false } }],
  [
    ['--auth-trusted-keys', '[{"path":"a.pem","namespaces":"team"}]'],
    { auth: { trustedKeys: [{ path: 'a.pem', namespaces: 'team' }] } },
  ],
  [
    ['--cors-origins', '["http://a"]', '--cors-origins', '["http://b"]'],
    { cors: { origins: ['http://a', 'http://b'] } },
  ],
  [
    ['--agents-liveness-seconds', '2.5', '--agents-disconnect-grace-seconds', '1'],
    { agents: { livenessSeconds: 2.5, disconnectGraceSeconds: 1 } },
  ],
])('%j are the keys of the configuration', (argv, config) => {
  expect(configOf(...argv)).toEqual(config);
});

test.each([
  ['--port', 'x'],
  ['--port', ''],
  ['--port', '1s'],
  ['--port', '0x10'],
  ['--auth-insecure-health', 'maybe'],
  ['--auth-trusted-keys', 'a.pem'],
  ['--auth-trusted-keys', '{}'],
])('%s takes no "%s"', (option, value) => {
  expect(() => configOf(option, value)).toThrow(UsageError);
});
