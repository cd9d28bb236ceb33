import { expect, test } from 'vitest';
import { encodeBase64 } from './base64.ts';

test.each(['', 'a', 'é€😀', 'x'.repeat(30_000)])('a text is encoded as UTF-8 (%#)', (text) => {
  expect(encodeBase64(text)).toBe(Buffer.from(text).toString('base64'));
});
