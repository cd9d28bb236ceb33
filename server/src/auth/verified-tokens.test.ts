import { expect, test } from 'vitest';
import { NO_ACCESS } from './access.ts';
import { createVerifiedTokens } from './verified-tokens.ts';

const verified = { access: NO_ACCESS, expiresAtMs: Infinity, checkAgainAtMs: Infinity };

// Bound: A token; verified tokens in the cache.
test('the token that was not used for longest is forgotten first', () => {
  const tokens = createVerifiedTokens(2);
  tokens.add('a', verified);
  tokens.add('b', verified);
  expect(tokens.get('a')).toBe(verified);
  tokens.add('c', verified);
  expect(tokens.get('b')).toBeNull();
  expect(tokens.get('a')).toBe(verified);
  expect(tokens.get('c')).toBe(verified);
});

test('all tokens are forgotten at once', () => {
  const tokens = createVerifiedTokens(2);
  tokens.add('a', verified);
  tokens.clear();
  expect(tokens.get('a')).toBeNull();
});
