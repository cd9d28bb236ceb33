import { atOnce } from '@tutti/manifests';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textFinderSteps } from './text-finder.ts';

const createTextFinder = (texts: readonly string[]) => atOnce(textFinderSteps(texts));

/** Which places are inside of an occurrence, found in the simplest way. */
function covered(texts: readonly string[], text: string): readonly boolean[] {
  const marks = Array.from(text, () => false);
  for (const each of texts) {
    for (let at = text.indexOf(each); at >= 0; at = text.indexOf(each, at + 1)) {
      marks.fill(true, at, at + each.length);
    }
  }
  return marks;
}

function marked(texts: readonly string[], text: string): readonly boolean[] {
  const marks = Array.from(text, () => false);
  for (const { start, end } of createTextFinder(texts).find(text)) marks.fill(true, start, end);
  return marks;
}

test('every occurrence of every text is found, and nothing else', () => {
  const word = fc.stringMatching(/^[ab]{1,6}$/);
  fc.assert(
    fc.property(fc.array(word), fc.stringMatching(/^[abc]{0,40}$/), (texts, text) => {
      expect(marked(texts, text)).toEqual(covered(texts, text));
    }),
    { numRuns: 500 },
  );
});

test('the longest beginning that a text ends with is found, with the texts that begin so', () => {
  const word = fc.stringMatching(/^[ab]{4,8}$/);
  fc.assert(
    fc.property(fc.array(word), fc.stringMatching(/^[abc]{0,20}$/), (texts, text) => {
      const starts = Array.from(text, (_, at) => at);
      const start = starts.find((at) => texts.some((each) => each.startsWith(text.slice(at))));
      const found = createTextFinder(texts).search(text, 4).open;
      if (start === undefined || text.length - start < 4) {
        expect(found).toBeNull();
        return;
      }
      const begun = texts.filter((each) => each.startsWith(text.slice(start))).toSorted();
      expect(found).toEqual({ start, texts: begun.slice(0, 4) });
    }),
    { numRuns: 500 },
  );
});

test('ranges that overlap are one, ranges that touch are two', () => {
  const find = (texts: readonly string[], text: string) => createTextFinder(texts).find(text);
  expect(find(['abc', 'cde', 'b'], 'abcde')).toEqual([{ start: 0, end: 5 }]);
  expect(find(['ab', 'cd'], 'abcd')).toEqual([
    { start: 0, end: 2 },
    { start: 2, end: 4 },
  ]);
  expect(find([], 'abcd')).toEqual([]);
});

test('texts with a long common beginning cost no more than their length', () => {
  const texts = Array.from({ length: 200 }, (_, index) => `${'a'.repeat(1000)}${index}`);
  expect(createTextFinder(texts).find('a'.repeat(1_000_000))).toEqual([]);
});

test('a finder of a few texts takes little memory: each run with a mask has some', () => {
  const before = process.memoryUsage().arrayBuffers;
  const finders = Array.from({ length: 100 }, (_, index) => createTextFinder([`secret ${index}`]));
  const grown = process.memoryUsage().arrayBuffers - before;
  expect(finders).toHaveLength(100);
  expect(grown).toBeLessThan(100 * 4096);
});
