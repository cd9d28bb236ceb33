import { agentOrderSchemas } from '@tutti/manifests';
import { SCHEMA_OPTIONS } from '@tutti/manifests/documents';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { expect, test } from 'vitest';
import { readOrder } from './protocol.ts';

const fileId = '6ac0b6b0-1b34-4c5a-9a4b-c53d1dc2a9aa';
const fits = new Ajv2019(SCHEMA_OPTIONS).compile({ anyOf: Object.values(agentOrderSchemas) });
const run = { kind: 'run', command_id: 'j/0', filename: 'j_0.sh', command: 'sh j_0.sh' };
const REMOVAL = { directory: 'j', prefix: 'j_', suffix: '.sh' };

test.each([
  [
    { ...run, content: 'true', words: ['sh', 'j_0.sh'], variables_path: '/tmp/v' },
    {
      kind: 'run',
      command_id: 'j/0',
      filename: 'j_0.sh',
      content: 'true',
      command: 'sh j_0.sh',
      words: ['sh', 'j_0.sh'],
      variables_path: '/tmp/v',
      batches_under_way: 1,
    },
  ],
  [
    run,
    {
      kind: 'run',
      command_id: 'j/0',
      filename: 'j_0.sh',
      content: '',
      command: 'sh j_0.sh',
      batches_under_way: 1,
    },
  ],
  [
    { ...run, directory: 'j', removal: REMOVAL, release: REMOVAL },
    {
      kind: 'run',
      command_id: 'j/0',
      filename: 'j_0.sh',
      content: '',
      command: 'sh j_0.sh',
      directory: 'j',
      batches_under_way: 1,
      removal: REMOVAL,
      release: REMOVAL,
    },
  ],
  [
    { kind: 'cancel', command_id: 'j/0' },
    { kind: 'cancel', command_id: 'j/0' },
  ],
  [
    { kind: 'get', file_id: fileId, path: 'a b' },
    { kind: 'get', file_id: fileId, path: 'a b' },
  ],
  [
    { kind: 'put', file_id: fileId, path: 'a' },
    { kind: 'put', file_id: fileId, path: 'a', root: '' },
  ],
  [
    { kind: 'put', file_id: fileId, path: 'a', root: '' },
    { kind: 'put', file_id: fileId, path: 'a', root: '' },
  ],
  [
    { kind: 'put', file_id: fileId, path: 'a', root: 'workspace' },
    { kind: 'put', file_id: fileId, path: 'a', root: 'workspace' },
  ],
])('%o is a command', (details, expected) => {
  expect(readOrder(details)).toEqual(expected);
  expect(fits(expected)).toBe(true);
});

test.each([
  [null, 'Unknown kind of command: null.'],
  [{ kind: 'dance' }, 'Unknown kind of command: "dance".'],
  [{ ...run, command_id: 7 }, 'The command lacks its command_id.'],
  [{ ...run, command: '' }, 'The command lacks its command.'],
  [{ ...run, words: 'sh j_0.sh' }, 'The words of the command are no list of texts.'],
  [{ ...run, words: [] }, 'The words of the command are no list of texts.'],
  [{ ...run, words: ['sh', 1] }, 'The words of the command are no list of texts.'],
  [{ ...run, removal: null }, 'The command lacks its directory.'],
  [{ ...run, removal: { directory: 'j', prefix: 'j_' } }, 'The command lacks its suffix.'],
  [{ kind: 'get', file_id: '../x', path: 'a' }, 'Not a valid file id: ../x.'],
  [{ kind: 'put', file_id: fileId }, 'The command lacks its path.'],
])('%o is refused: %s', (details, message) => {
  expect(() => readOrder(details)).toThrow(message);
});

test.each(['.', '..', '/', 'a/b', '../j', 'a\\b'])(
  '%s is neither made nor removed',
  (directory) => {
    const removal = { directory, prefix: 'j_', suffix: '.sh' };
    const message = `Not the name of a file or directory: ${directory}.`;
    expect(() => readOrder({ ...run, removal })).toThrow(message);
    expect(() => readOrder({ ...run, directory })).toThrow(message);
  },
);

test.each([
  ['as many as we send', 3, 3],
  ['more than we send', 1000, 3],
  ['two', 2, 2],
  ['none', 0, 1],
  ['half of one', 1.5, 1],
  ['no number', '3', 1],
])('of a server that takes %s batches at a time', (_what, batches_under_way, expected) => {
  expect(readOrder({ ...run, batches_under_way })).toMatchObject({ batches_under_way: expected });
});

test.each([
  [true, true],
  ['true', undefined],
  [undefined, undefined],
])('a server that says %o of bytes', (output_bytes, expected) => {
  expect(readOrder({ ...run, output_bytes })).toEqual({
    ...readOrder(run),
    ...(expected === undefined ? {} : { output_bytes: expected }),
  });
});
