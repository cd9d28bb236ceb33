import { expect, test } from 'vitest';
import { outputMessages } from './output-messages.ts';

test.each([
  [
    ['gpu'],
    'This machine does not offer the tag "gpu". If it has what the job needs, add --tags gpu; or name a server with --server.',
  ],
  [
    ['gpu', 'windows'],
    'This machine does not offer the tags "gpu", "windows". If it has what the job needs, add --tags gpu,windows; or name a server with --server.',
  ],
])('of the tags %j that are missing it is told what to do', (tags, message) => {
  expect(outputMessages.tagsMissing(tags)).toBe(message);
});
