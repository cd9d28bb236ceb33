import { expect, test } from 'vitest';
import { commandEnvironment, platformOf } from './platform.ts';

test.each(['linux', 'darwin', 'freebsd'] as const)(
  'on %s a command is a group of its own',
  (name) => {
    expect(platformOf(name).shell('echo "a b"; exit 3', {})).toEqual({
      file: '/bin/sh',
      args: ['-c', 'echo "a b"; exit 3'],
      detached: true,
      windowsVerbatimArguments: false,
    });
    expect(platformOf(name).kill.by).toBe('process-group');
  },
);

test.each([
  ['linux', true],
  ['win32', false],
] as const)('on %s a program is started without a shell', (name, detached) => {
  expect(platformOf(name).program(['bash', '-c', 'echo "a b"'])).toEqual({
    file: 'bash',
    args: ['-c', 'echo "a b"'],
    detached,
    windowsVerbatimArguments: false,
  });
});

test('on unix a prepared program runs the same way as the plain one, on Windows there is none', () => {
  const { program, prepared } = platformOf('linux');
  const { args, ...rest } = prepared(program(['bash', '-e', 'script.sh'])) ?? { args: [] };
  expect(rest).toEqual({ file: '/bin/sh', detached: true, windowsVerbatimArguments: false });
  expect(args.slice(-2)).toEqual(['bash', '-e']);
  const windows = platformOf('win32');
  expect(windows.prepared(windows.program(['bash', '-e', 'script.sh']))).toBe(null);
});

test.each([
  [{ ComSpec: 'C:\\Windows\\System32\\cmd.exe' }, 'C:\\Windows\\System32\\cmd.exe'],
  [{}, 'cmd.exe'],
])('on Windows with %o a command line is quoted once for %s', (environment, file) => {
  expect(platformOf('win32').shell('CALL "C:\\a b\\j_0.cmd"', environment)).toEqual({
    file,
    args: ['/d', '/s', '/c', '"CALL "C:\\a b\\j_0.cmd""'],
    detached: false,
    windowsVerbatimArguments: true,
  });
});

test('on Windows a process is ended with its descendants', () => {
  const { kill } = platformOf('win32');
  expect(kill.by === 'process-tree' && [kill.file, ...kill.args(42)]).toEqual([
    'taskkill',
    '/PID',
    '42',
    '/T',
    '/F',
  ]);
});

test.each([
  [{ PATH: '/bin', TUTTI_TOKEN: 's', OPENTF_TOKEN: 's' }, { PATH: '/bin' }],
  [{ tutti_token: 's', TUTTI_TOKEN_FILE: 's', TUTTI_AGENT_TOKEN: 's' }, {}],
  [
    { MY_TOKEN: 'kept', TUTTI_LOG_LEVEL: 'info' },
    { MY_TOKEN: 'kept', TUTTI_LOG_LEVEL: 'info' },
  ],
])('with %o a command sees %o', (own, expected) => {
  expect(commandEnvironment(own)).toEqual(expected);
});
