import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkAddedTags, withAddedTags } from './added-tags.ts';

const jobsWith = async (jobs: object, tags: readonly string[]) =>
  parse(await withAddedTags(JSON.stringify({ metadata: { name: 'x' }, jobs }), tags));

test.each([
  ['linux', ['gpu'], ['linux', 'gpu']],
  [
    ['linux', 'gpu'],
    ['gpu', 'fast'],
    ['linux', 'gpu', 'fast'],
  ],
  [['linux', 'gpu'], ['windows'], ['gpu', 'windows']],
  [undefined, ['gpu'], ['gpu']],
])('%j with %j asks for %j', async (own, tags, expected) => {
  const steps = [{ run: 'true' }];
  expect(
    await jobsWith({ a: { 'runs-on': own, steps }, b: { generator: 'x/y@v1' } }, tags),
  ).toEqual({
    metadata: { name: 'x' },
    jobs: { a: { 'runs-on': expected, steps }, b: { generator: 'x/y@v1', 'runs-on': tags } },
  });
});

test.each(['', 'jobs: [', '- a', 'jobs: 1'])('a document that is no workflow stays unchanged: %j', async (text) => {
  expect(await withAddedTags(text, ['gpu'])).toBe(text);
}); // biome-ignore format: one line for what is no workflow

test.each([
  [['1st'], '--runs-on takes tags, and "1st" is none'],
  [['linux', 'macos'], '--runs-on names several operating systems, and an environment has one: linux, macos.'],
])('%j is refused', (tags, message) => {
  expect(() => checkAddedTags(tags)).toThrow(message);
}); // biome-ignore format: one line for each refusal
