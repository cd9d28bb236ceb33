import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hook } from '@tutti/manifests';
import { expect, onTestFinished, test } from 'vitest';
import { HookFile, type HookPlace, openHookFiles } from './hook-files.ts';
import { createIds, systemClock } from './runtime/clock.ts';
import type { Logger } from './runtime/logger.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A file that is written anew, and what the log says of it. */
function openFile(place: HookPlace, text: string | null) {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-hooks-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'hooks.yaml');
  const write = (content: string) => writeFileSync(path, content);
  if (text !== null) write(text);
  const { logger, actual } = createLog();
  const file = new HookFile(path, place, { logger, ids: createIds(systemClock) });
  return { path, write, actual, file };
}

function createLog() {
  const actual: string[] = [];
  const report = (details: { readonly err?: unknown }, message: string) => {
    // A mistake in somebody's file is no error of the server: there is no stack of it.
    expect(details.err).toBeUndefined();
    actual.push(message);
  };
  const logger = { info: report, warn: report, error: report } as unknown as Logger;
  return { logger, actual };
}

const SETUP = 'hooks: [{name: h, events: [{channel: setup}], before: [{run: x}]}]';
const FUNCTION = 'hooks: [{name: f, events: [{category: _}], after: [{id: own, run: x}]}]';

test('the hooks of a file have ids for their steps, the same at each look', async () => {
  const { file, actual } = openFile('channel', `apiVersion: v1\n${SETUP}`);
  const hooks = await file.hooks();
  expect(hooks).toEqual([
    {
      name: 'h',
      events: [{ channel: 'setup' }],
      before: [{ id: expect.stringMatching(UUID), run: 'x' }],
    },
  ]);
  expect(await file.hooks()).toBe(hooks);
  const provider = openFile('provider', FUNCTION);
  expect((await provider.file.hooks())[0]?.after).toEqual([{ id: 'own', run: 'x' }]);
  expect(actual).toEqual([]);
});

// Language 1.10: They are read anew when they change.
test('a file is read anew when it changed', async () => {
  const { file, write, actual } = openFile('channel', SETUP);
  await file.hooks();
  write(SETUP.replace('name: h', 'name: another'));
  expect((await file.hooks()).map(({ name }) => name)).toEqual(['another']);
  expect(actual).toEqual(['The hooks were read anew.']);
});

test.each<[string, HookPlace, string | null, string]>([
  ['that is not there', 'channel', null, 'no such file'],
  ['that is no YAML', 'channel', 'hooks: [', 'Not a valid YAML document'],
  ['without hooks', 'channel', 'hook: []', '"hooks" is missing'],
  ['with an empty list', 'channel', 'hooks: []', 'hooks: must not be empty'],
  [
    'with a wrong hook',
    'channel',
    'hooks: [{events: [{channel: setup}], after: [{run: x}]}]',
    'hooks[0]: "name" is missing',
  ],
  [
    'with a wrong step',
    'channel',
    'hooks: [{name: h, events: [{channel: setup}], after: [{use-workspace: x}]}]',
    'must be in "before" of "channel: setup"',
  ],
  [
    'with a wrong expression',
    'channel',
    'hooks: [{name: h, if: "((", events: [{channel: setup}], after: [{run: x}]}]',
    'Invalid expression "(("',
  ],
  ['of functions for a channel', 'channel', FUNCTION, 'has events that are not of channels'],
  ['of channels for functions', 'provider', SETUP, 'has events that are not of functions'],
  ['that is too large', 'channel', `# ${'x'.repeat(1024 * 1024)}\n${SETUP}`, 'bytes at most'],
  // Language 1.10: Mistakes become one hook that names them.
])('a file %s is one hook that says so, and is told once', async (_, place, text, why) => {
  const { file, write, actual } = openFile(place, text);
  const expected: Hook = {
    name: 'invalid-external-hooks-definition',
    events: [place === 'channel' ? { channel: 'setup' } : { category: '_' }],
    before: [
      {
        id: expect.stringMatching(UUID),
        run: expect.stringMatching(/^echo ::error::[\w .]+$/),
      },
    ],
  };
  expect(await file.hooks()).toEqual([expected]);
  expect(await file.hooks()).toEqual([expected]);
  expect(actual).toHaveLength(1);
  expect(actual[0]).toContain(why);
  write(place === 'channel' ? SETUP : FUNCTION);
  expect((await file.hooks()).map(({ name }) => name)).toEqual([place === 'channel' ? 'h' : 'f']);
});

test('hooks of functions are for those with their prefix; a prefix that nothing has is told', async () => {
  const { path } = openFile('provider', FUNCTION);
  const { logger, actual } = createLog();
  const hooks = await openHookFiles(
    {
      providers: [
        { prefix: 'actions', path },
        { prefix: 'action', path },
      ],
    },
    new Set(['actions', null]),
    { logger, ids: createIds(systemClock) },
  );
  expect(hooks.channel).toBeNull();
  expect(await hooks.ofFunctions('actions')).toHaveLength(1);
  expect(await hooks.ofFunctions('node-test')).toEqual([]);
  expect(await hooks.ofFunctions(null)).toEqual([]);
  expect(actual).toEqual(['The hooks are for no function of this server.']);
});

test('all files are looked at when the server starts', async () => {
  const { path } = openFile('channel', 'hooks: 3');
  const { logger, actual } = createLog();
  const deps = { logger, ids: createIds(systemClock) };
  await openHookFiles({ channel: path, providers: [] }, new Set(), deps);
  expect(actual).toHaveLength(1);
});
