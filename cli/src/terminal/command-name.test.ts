import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { asCalled, commandName } from './command-name.ts';

const cwd = resolve('/work');

test.each([
  ['by npx', { npm_command: 'exec' }, join(cwd, 'cli/bin/tutti.js'), 'npx tutti'],
  ['in a script of a package', { npm_lifecycle_event: 'test' }, '/x/tutti.js', 'npx tutti'],
  ['as a command of the system in a script', { npm_command: 'test' }, '/usr/bin/tutti', 'tutti'],
  ['in the folder of npm', {}, join(cwd, 'node_modules/.bin/tutti'), 'npx tutti'],
  ['in the folder of npm above', {}, resolve('/node_modules/.bin/tutti'), 'npx tutti'],
  [
    'in a folder of npm elsewhere',
    {},
    '/opt/t/node_modules/.bin/tutti',
    '/opt/t/node_modules/.bin/tutti',
  ],
  ['in one with blanks', {}, '/a b/node_modules/.bin/tutti', '"/a b/node_modules/.bin/tutti"'],
  ['as a command of the system', {}, '/usr/local/bin/tutti', 'tutti'],
  [
    'by its file',
    {},
    join(cwd, 'cli', 'bin', 'tutti.js'),
    `node ${join('cli', 'bin', 'tutti.js')}`,
  ],
  ['by a file elsewhere', {}, '/opt/t/cli/bin/tutti.js', 'node /opt/t/cli/bin/tutti.js'],
  ['by a file with blanks', {}, '/my files/tutti.js', 'node "/my files/tutti.js"'],
  ['in another way', {}, '', 'tutti'],
])('a command that was called %s is named so', (_, env, script, name) => {
  expect(commandName({ env, script, cwd })).toBe(name);
});

test.each([
  ['tutti status ID', 'npx tutti status ID'],
  [
    'see "tutti status", then: tutti status ID',
    'see "npx tutti status", then: npx tutti status ID',
  ],
  ['look into .tutti and at my-tutti server', 'look into .tutti and at my-tutti server'],
])('the hint %j names the command as it was called', (hint, shown) => {
  expect(asCalled(hint, 'npx tutti')).toBe(shown);
});
