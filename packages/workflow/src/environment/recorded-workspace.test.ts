import type { ChannelOs } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { recordedWorkspace, variablesAsSeen } from './recorded-workspace.ts';

test.each<[recorded: string, os: ChannelOs, path: string | null]>([
  ['/srv/agent/w', 'linux', '/srv/agent/w'],
  ['/srv/agent/.', 'macos', '/srv/agent/.'],
  [String.raw`/my\ agent\'s\ \"x\"\ \$y\\z/w`, 'linux', String.raw`/my agent's "x" $y\z/w`],
  ['/wörk/日本', 'linux', '/wörk/日本'],
  [String.raw`$'/w\303\266rk dir/it\'s\t\\x'`, 'linux', "/wörk dir/it's\t\\x"],
  [String.raw`$'/a\nb\E[0m\177'`, 'linux', '/a\nb\u001b[0m\u007f'],
  [String.raw`$'/w\303'`, 'linux', null],
  ['"/a b"', 'linux', '/a b'],
  ["'/a b'", 'linux', '/a b'],
  ['/a b', 'linux', null],
  ['$HOME/w', 'linux', null],
  ['`pwd`/w', 'linux', null],
  ['/w\\', 'linux', null],
  ['w', 'linux', null],
  ['', 'linux', null],
  ['C:\\my agent\\w', 'windows', 'C:\\my agent\\w'],
  ['\\\\host\\share\\w', 'windows', '\\\\host\\share\\w'],
  ['%CD%\\w', 'windows', null],
  ['w', 'windows', null],
])('the workspace recorded as %s on %s is %j', (recorded, os, path) => {
  expect(recordedWorkspace({ OPENTF_WORKSPACE: recorded }, os)).toBe(path);
});

test('a workspace that was not recorded is not known', () => {
  expect(recordedWorkspace(null, 'linux')).toBe(null);
  expect(recordedWorkspace({}, 'linux')).toBe(null);
});

test.each<[recorded: string, os: ChannelOs, shown: string]>([
  [String.raw`/my\ agent/w`, 'linux', '/my agent/w'],
  ['/srv/agent/w', 'linux', '/srv/agent/w'],
  ['/my agent/w', 'linux', '/my agent/w'],
  ['C:\\my agent\\w', 'windows', 'C:\\my agent\\w'],
  ['$HOME/w', 'linux', '$HOME/w'],
])(
  'among the variables that a step left, the workspace %s on %s is shown as %s',
  (recorded, os, shown) => {
    expect(variablesAsSeen({ OPENTF_WORKSPACE: recorded }, os)).toEqual({
      OPENTF_WORKSPACE: shown,
    });
  },
);

test('variables that a step left are shown without quotes, but for what only the shell can read', () => {
  const left = { A: '"a b"', B: '"a $HOME"', ['__proto__']: "'c d'" };
  const shown = { A: 'a b', B: '"a $HOME"', ['__proto__']: 'c d' };
  expect(variablesAsSeen(left, 'linux')).toEqual(shown);
  expect(variablesAsSeen(left, 'windows')).toEqual(left);
});
