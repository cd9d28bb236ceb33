import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addMasks, maskCutText, maskLine, maskUnfinished, nameMask } from './masks.ts';

const maskAll = (masks: readonly string[], line: string) => maskLine(addMasks([], masks), line);

test.each<[masks: string[], line: string, shown: string]>([
  [[], 'text', 'text'],
  [['x'], 'text', 'te***t'],
  [['t'], 'text', '***ex***'],
  [['ab', 'abc'], 'abcd abd', '***d ***d'],
  [['abc', 'ab'], 'abcd abd', '***d ***d'],
  [['ab'], 'abab', '******'],
  [['abcd', 'bcdef'], 'xabcdefy', 'x***y'],
  [['abc', 'b'], 'abc', '***'],
  [['*'], 'a*b', 'a***b'],
  [['a', '*'], 'a', '***'],
  [['$1', '.+'], '$1 .+ x', '*** *** x'],
  [['a(b', 'c\\d]', '^[', '{1}|'], 'a(b c\\d] ^[ {1}| a c', '*** *** *** *** a c'],
  [['é😀'], 'aé😀b', 'a***b'],
  [['aa'], 'aaa aaaa', '*** ***'],
  [['ab', 'bcd'], 'abcd', '***'],
  [['first line\nsecond line'], 'the second line', 'the ***'],
  [['{\r\n  "key": 1\r\n}'], '{ "key": 1 }', '{ *** }'],
])('with masks %j the line %j shows as %j', (masks, line, shown) => {
  expect(maskAll(masks, line)).toBe(shown);
});

test.each<[masks: string[], text: string, shown: string]>([
  [['password'], 'the passw…', 'the ***…'],
  [['password'], 'the pa…', 'the pa…'],
  [['password'], 'pass…#the passwor…', '***…#the ***…'],
  [['password'], 'the pass', 'the pass'],
  [['password'], 'the password…', 'the ***…'],
  [['abcd', 'cdefg'], 'abcdef…', '***…'],
  [['aab', 'caaad'], 'xaacaa…', 'xaa***…'],
  [['wait…now'], 'wait…no…', '***…'],
  [['ab'], 'a…', 'a…'],
  [['ab', 'longer'], 'long…', '***…'],
])('with masks %j a text that may be cut, %j, shows as %j', (masks, text, shown) => {
  expect(maskCutText(masks, text)).toBe(shown);
  // Also with masks that come after others were looked for.
  const [first = '', ...later] = masks;
  const before = [first];
  maskLine(before, text);
  expect(
    maskCutText(
      later.reduce((masks, text) => addMasks(masks, [text]), before as readonly string[]),
      text,
    ),
  ).toBe(shown);
});

test('a text that JSON escapes is masked in its escaped form, too', () => {
  const secret = 'say "x\\y"';
  const masks = addMasks([], [secret]);
  expect(maskLine(masks, `${secret} and ${JSON.stringify({ secret })}`)).toBe(
    '*** and {"secret":"***"}',
  );
  // As a message about an expression that it stands in.
  expect(maskLine(masks, `Invalid expression ${JSON.stringify(`f('${secret}'`)}`)).toBe(
    `Invalid expression "f('***'"`,
  );
});

test('no masked text is left whole, and a line without one is left alone', () => {
  const word = fc.stringMatching(/^[abc]{1,3}$/);
  fc.assert(
    fc.property(fc.array(word), fc.stringMatching(/^[abcd ]{0,30}$/), (masks, line) => {
      const shown = maskAll(masks, line);
      expect(masks.filter((mask) => shown.includes(mask))).toEqual([]);
      if (!masks.some((mask) => line.includes(mask))) expect(shown).toBe(line);
    }),
  );
});

test('masks that come one by one hide as much as those that come at once', () => {
  const words = Array.from({ length: 60 }, (_, index) => `w${index}.`);
  const line = words.join(' and ');
  let masks: readonly string[] = [];
  for (const [index, word] of words.entries()) {
    masks = addMasks(masks, [word]);
    const shown = maskLine(masks, line);
    expect(shown.split('***')).toHaveLength(index + 2);
    expect(shown).toBe(maskLine([...masks], line));
  }
});

test.each([
  ['the passw', 'the ***'],
  ['the pa', 'the pa'],
  ['the password', 'the ***'],
  ['password of', '*** of'],
  ['', ''],
])('in a line without its end, %j, the beginning of a mask is hidden, too', (line, shown) => {
  expect(maskUnfinished(['password'], line)).toBe(shown);
});

test('in names short masks hide only what they are the whole of', () => {
  const hide = nameMask(['ab', 'secret']);
  expect(['ab', 'abc', 'a secret'].map(hide)).toEqual(['***', 'abc', 'a ***']);
});
