/** The answers that clients get when a request is refused. */
import { expect, test } from 'vitest';
import { OrchestratorError, statusOfError } from './status.ts';

test.each<[actual: string, details: object | null, answered: object | null]>([
  ['nothing further', null, null],
  ['an explanation', { error: 'first\nsecond' }, { error: 'first\nsecond' }],
  ['the message alone', { error: 'It is wrong.' }, null],
  ['the message first', { error: 'It is wrong.\nSo is that.' }, { error: 'So is that.' }],
  ['the message, and more than texts', { error: 'It is wrong.', line: 3 }, { line: 3 }],
  [
    'a longer sentence',
    { error: 'a: It is wrong. (line 3)' },
    { error: 'a: It is wrong. (line 3)' },
  ],
  ['no text', { error: 3 }, { error: 3 }],
])('a refusal with %s in its details says each thing once', (_, details, answered) => {
  const refusal = new OrchestratorError('Invalid', 'It is wrong.', { details });
  expect(statusOfError(refusal)).toMatchObject({ message: 'It is wrong.', details: answered });
});
