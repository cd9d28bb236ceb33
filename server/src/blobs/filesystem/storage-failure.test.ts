import { isOrchestratorError, statusOfError } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { onDisk } from './storage-failure.ts';

const failure = (code: string) => Object.assign(new Error(`${code}: write`), { code });

test.each([
  [failure('ENOSPC'), 'ServiceUnavailable', 'the server has no space left for it.'],
  [failure('EDQUOT'), 'ServiceUnavailable', 'the server has no space left for it.'],
  [failure('EIO'), 'InternalError', 'the disk of the server failed (EIO).'],
  [failure('EROFS'), 'InternalError', 'the disk of the server failed (EROFS).'],
  [new Error('odd'), 'InternalError', 'the disk of the server failed (unknown error).'],
])('%s is told as %s, and why', async (cause, reason, why) => {
  const shownBy = await onDisk(() => Promise.reject(cause)).catch((error: unknown) => error);
  expect(isOrchestratorError(shownBy) && shownBy.cause).toBe(cause);
  expect(statusOfError(shownBy)).toMatchObject({
    reason,
    message: `The file could not be stored: ${why}`,
    details: null,
  });
});

test('the result of a successful operation is passed on', async () => {
  expect(await onDisk(async () => 7)).toBe(7);
});
