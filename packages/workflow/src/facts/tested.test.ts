import { expect, test } from 'vitest';
import { addTested, NOTHING_TESTED, TESTED_LIMITS, testedEntries, testedIn } from './tested.ts';

const SHOP = { repository: 'https://example.com/shop.git', commit: 'a1', branch: 'main' };
const TESTED = { versions: ['api 7'], checkouts: [SHOP] };

// The log keeps these bytes: every later version has to read them.
test('a result has what its step said that the run tests', () => {
  const metadata = testedEntries(TESTED);
  expect(JSON.stringify(metadata)).toBe(
    '{"tutti.checkouts":[{"repository":"https://example.com/shop.git","commit":"a1","branch":"main"}],"tutti.versions":["api 7"]}',
  );
  expect(testedIn({ metadata })).toEqual(TESTED);
  expect(testedEntries(NOTHING_TESTED)).toEqual({});
  expect(testedIn({ metadata: {} })).toBeNull();
});

test('what several steps said is added up, each once, within limits', () => {
  const other = { ...SHOP, commit: 'b2', branch: null };
  expect(addTested(TESTED, { versions: ['db 2', 'api 7'], checkouts: [SHOP, other] })).toEqual({
    versions: ['api 7', 'db 2'],
    checkouts: [SHOP, other],
  });
  expect(addTested(TESTED, TESTED)).toBe(TESTED);
  const many = Array.from({ length: 100 }, (_, at) => `v${at}`);
  const { versions } = addTested(TESTED, { versions: many, checkouts: [] });
  expect(versions).toEqual(['api 7', ...many].slice(0, TESTED_LIMITS.versions));
});
