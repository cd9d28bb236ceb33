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
])('the message about the missing tags %j says what to do', (tags, message) => {
  expect(outputMessages.tagsMissing(tags)).toBe(message);
});
