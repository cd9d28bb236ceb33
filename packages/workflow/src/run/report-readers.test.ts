import type { AttachmentId } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { testResultsWorkerId } from './report-readers.ts';

test('the worker of an attachment is always the same one', () => {
  expect(testResultsWorkerId('a' as AttachmentId)).toBe('interpreter-surefire-a');
});
