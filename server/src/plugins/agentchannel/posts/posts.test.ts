import { agentPostSchemas, OrchestratorError } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { createValidator } from '../../../http/validate.ts';
import { entriesOfPost, errorOf, readBatch, readPost } from './posts.ts';

const nothing = {
  output: [],
  exitStatus: null,
  variables: undefined,
  error: null,
  failedFileId: null,
};

describe('posts of existing agents', () => {
  test.each([
    ['nothing', {}, {}],
    [
      'a partial post of stdout',
      { stdout: ['a', ''] },
      { output: [{ stream: 'stdout', lines: ['a', ''] }] },
    ],
    [
      'a partial post of stderr',
      { stderr: ['b'] },
      { output: [{ stream: 'stderr', lines: ['b'] }] },
    ],
    [
      'a result of version 1',
      { stdout: ['a'], stderr: ['b'], exit_status: 3 },
      {
        output: [
          { stream: 'stdout', lines: ['a'] },
          { stream: 'stderr', lines: ['b'] },
        ],
        exitStatus: 3,
      },
    ],
    ['a signal', { stdout: [], stderr: [], exit_status: -15 }, { exitStatus: -15 }],
    ['variables', { exit_status: 0, variables: ['A=b'] }, { exitStatus: 0, variables: ['A=b'] }],
    ['no variables', { exit_status: 0, variables: null }, { exitStatus: 0, variables: null }],
    [
      'a failed get of version 1',
      { stdout: '', stderr: ['no file'], exit_status: 2 },
      { output: [{ stream: 'stderr', lines: ['no file'] }], exitStatus: 2 },
    ],
    ['a failed get of version 2', { details: { error: 'no file' } }, { error: 'no file' }],
    [
      'a failed get of ours',
      { failed: 'f1', details: { error: 'no file' } },
      { error: 'no file', failedFileId: 'f1' },
    ],
    ['one text', { stdout: 'a\r\nb' }, { output: [{ stream: 'stdout', lines: ['a', 'b'] }] }],
    [
      'lines that are no texts',
      { stdout: [1, null] },
      { output: [{ stream: 'stdout', lines: ['1', 'null'] }] },
    ],
    ['an exit status that is no integer', { exit_status: 'x' }, {}],
    ['streams that are no lines', { stdout: 1, stderr: {} }, {}],
  ])('%s', (_what, body, expected) => {
    const post = { kind: 'existing', ...nothing, ...expected };
    expect(readPost(body, false)).toEqual(post);
  });
});

describe('batches of our own agents', () => {
  const batch = { command_id: 'j/0', sequence: 4 };
  const schema = createValidator(agentPostSchemas.batch);
  const read = {
    command_id: 'j/0',
    sequence: 4,
    oldest: 4,
    output: [],
    exit_status: null,
    variables: null,
    next: false,
    released: false,
  };

  test.each([
    ['nothing said', {}, {}],
    [
      'lines of both streams, in order',
      {
        output: [
          { stream: 'stderr', lines: ['a'] },
          { stream: 'stdout', lines: ['b'] },
        ],
      },
      {
        output: [
          { stream: 'stderr', lines: ['a'] },
          { stream: 'stdout', lines: ['b'] },
        ],
      },
    ],
    [
      'lines as one text',
      { output: [{ stream: 'stdout', lines: 'a\n\nb' }] },
      { output: [{ stream: 'stdout', lines: ['a', '', 'b'] }] },
    ],
    ['the result', { exit_status: 0, variables: ['A=b'] }, { exit_status: 0, variables: ['A=b'] }],
    ['a result without variables', { exit_status: 1, variables: null }, { exit_status: 1 }],
    ['a result that asks for more', { exit_status: 0, next: true }, { exit_status: 0, next: true }],
    ['nothing that asks for more', { next: 'yes' }, {}],
    ['a job that is over', { exit_status: 0, released: true }, { exit_status: 0, released: true }],
  ])('%s', (_what, more, expected) => {
    expect(readBatch({ ...batch, ...more })).toEqual({ ...read, ...expected });
    expect(schema.problems({ ...read, ...expected })).toEqual([]);
  });

  test.each([
    ['no command', { command_id: 1 }, 'command_id is missing'],
    ['no number', { sequence: '4' }, 'sequence must be an integer of 0 or more'],
    ['half a number', { sequence: 0.5 }, 'sequence must be an integer of 0 or more'],
    ['a negative number', { sequence: -1 }, 'sequence must be an integer of 0 or more'],
    ['output that is no objects', { output: ['a'] }, 'output must be a list of objects'],
  ])('%s is refused', (_what, wrong, why) => {
    const refused = new OrchestratorError('BadRequest', `Not a valid agent message: ${why}.`);
    expect(() => readBatch({ ...batch, ...wrong })).toThrow(refused);
  });
});

test.each([[null], [[]], ['text'], [1], [undefined]])('%o is no message', (body) => {
  expect(() => entriesOfPost(body)).toThrow('expected a JSON object');
});

test.each([
  [{ details: { error: 'why' } }, 'why'],
  [{ details: { error: 1 } }, null],
  [{ details: 'why' }, null],
  [{ error: 'why' }, null],
])('the error of %o is %o', (body, expected) => {
  expect(errorOf(entriesOfPost(body))).toBe(expected);
});
