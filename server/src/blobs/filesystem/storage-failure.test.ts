import { isOrchestratorError, statusOfError } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { onDisk } from './storage-failure.ts';

const failure = (code: string) => Object.assign(new Error(`${code}: write`), { code });

test.each([
  [failure('ENOSPC'), 'the server has no space left for it.'],
  [failure('EDQUOT'), 'the server has no space left for it.'],
  [failure('EIO'), 'the disk of the server failed (EIO).'],
  [failure('EROFS'), 'the disk of the server failed (EROFS).'],
  [new Error('odd'), 'the disk of the server failed (unknown error).'],
])('%s is told as an internal error with its reason', async (cause, reason) => {
  const told = await onDisk(() => Promise.reject(cause)).catch((error: unknown) => error);
  expect(isOrchestratorError(told) && told.cause).toBe(cause);
  expect(statusOfError(told)).toMatchObject({
    code: 500,
    reason: 'InternalError',
    message: `The file could not be stored: ${reason}`,
    details: null,
  });
});

test('what succeeds is passed on', async () => {
  expect(await onDisk(async () => 7)).toBe(7);
});
