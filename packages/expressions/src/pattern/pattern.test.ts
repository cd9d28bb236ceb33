import { isOrchestratorError } from '@tutti/manifests';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PATTERN_LENGTH_MAX } from '../limits.ts';
import { compilePattern } from './compile-pattern.ts';
import { searchAllStates, searchPattern } from './search-pattern.ts';

function search(pattern: string, subject: string): boolean | null {
  return searchPattern(compilePattern(pattern), subject, { steps: 1_000_000 });
}

/** [pattern, subject, whether it matches] */
const rows: readonly (readonly [string, string, boolean])[] = [
  ['', '', true],
  ['', 'abc', true],
  ['b', 'abc', true],
  ['B', 'abc', true],
  ['b', 'ABC', true],
  ['x', 'abc', false],
  ['é', 'É', true],
  ['^abc$', 'abc', true],
  ['^b', 'abc', false],
  ['b$', 'abc', false],
  ['a.c', 'abc', true],
  ['a.c', 'a\nc', false],
  ['ab*c', 'ac', true],
  ['ab+c', 'ac', false],
  ['ab+c', 'abbbc', true],
  ['ab?c', 'abc', true],
  ['^a{3}$', 'aaa', true],
  ['^a{3}$', 'aa', false],
  ['^a{2,}$', 'aaaa', true],
  ['^a{2,}$', 'a', false],
  ['^a{1,2}$', 'aaa', false],
  ['^a{0}$', '', true],
  ['^a{,2}$', 'a{,2}', true],
  ['^a{x}$', 'a{x}', true],
  ['^a+?b*?c??$', 'aab', true],
  ['a|b', 'xb', true],
  ['^(a|bc)+$', 'abcbca', true],
  ['^(?:a|bc)+$', 'abcb', false],
  ['^(?<name>a)$', 'a', true],
  ['^(?P<name>a)$', 'a', true],
  ['(?i)abc', 'ABC', true],
  ['^(|a)b$', 'b', true],
  ['^(a*)*$', 'aaa', true],
  ['^(a*)*b$', 'aaa', false],
  ['[a-c]', 'B', true],
  ['[^a-c]', 'b', false],
  ['[^a-c]', 'B', false],
  ['[^a-c]', 'd', true],
  ['[]', 'a', false],
  ['[^]', '\n', true],
  ['^[a-]+$', 'a-', true],
  ['^[-a]+$', '-a', true],
  ['^[\\w-]+$', 'a-b_9', true],
  ['^[^\\d\\s]$', '5', false],
  ['[\\b]', '\b', true],
  ['[\\]]', ']', true],
  ['^\\d\\D\\w\\W\\s\\S$', '1aa- b', true],
  ['\\.robot$', 'suite.robot', true],
  ['\\.robot$', 'suiterobot', false],
  ['\\x41\\u0042', 'ab', true],
  ['a\\tb', 'a\tb', true],
  ['\\bcat\\b', 'a cat!', true],
  ['\\bcat\\b', 'concat', false],
  ['\\Bcat', 'concat', true],
  ['a#b c', 'a#b c', true],
  ['^\\w+$', 'Zoë', true],
  ['^\\w+$', 'Zoe\u0308', true],
  ['^\\w+$', 'Ζωή_王_Зоя', true],
  ['^\\W+$', '– “…” €', true],
  ['\\W', 'naïve', false],
  ['^[\\w ]+$', 'Zoë Müller', true],
  ['^[^\\w]+$', 'ë', false],
  ['^\\w+$', '𝒵𐐷', true],
  ['^\\w+$', '😀', false],
  ['^\\W+$', '\ud835', true],
  ['^\\d+$', '٣५9', true],
  ['^\\d$', '²', false],
  ['\\D', '٣५9', false],
  ['\\bZoë\\b', 'an Zoë, hier', true],
  ['\\bZo\\b', 'Zoë', false],
  ['\\Bë', 'Zoë', true],
  ['^\\s+$', '\u00a0\u2003\u3000', true],
  ['^\\S+$', 'ë', true],
  ['^ZOË$', 'zoë', true],
  ['(?s)^a.b$', 'a\nb', true],
  ['(?m)^b$', 'a\nb\nc', true],
  ['(?m)^c$', 'a\r\nb', false],
  ['(?im)^B$', 'a\r\nb', true],
  ['(?ms)^b.c$', 'a\nb\nc', true],
  ['^(?s:a.b).c$', 'a\nbxc', true],
  ['^(?s:a.b).c$', 'a\nb\nc', false],
  ['(?s)^(?-s:a.)b$', 'a\nb', false],
  ['x(?m:$)', 'x\ny', true],
  ['x(?m:$)|(?m-s:y)$', 'ay\n', false],
  ['^(?i:ABC)$', 'abc', true],
  ['^(?im-s:ABC)$', 'abc', true],
  ['}]', '}]', true],
];

test.each(rows)('the pattern %j, searched in %j, is found: %j', (pattern, subject, expected) => {
  expect(search(pattern, subject)).toBe(expected);
});

/** [pattern, problem, position] */
const refusals: readonly (readonly [string, string, number])[] = [
  ['*a', 'nothing to repeat', 1],
  ['a**', 'nothing to repeat', 3],
  ['a++', 'nothing to repeat', 3],
  ['^*', 'nothing to repeat', 2],
  ['(+a)', 'nothing to repeat', 2],
  ['a{3,2}', 'the least number of repetitions exceeds the most', 6],
  ['(a', 'the group that begins here has no end', 1],
  ['a)', 'unexpected ")"', 2],
  ['x[a', 'the class that begins here has no end', 2],
  ['[z-a]', 'the range is out of order', 4],
  ['[\\w-z]', 'a range needs single characters', 5],
  ['(?=a)', 'look-around and other special groups are not supported', 2],
  ['(?!a)', 'look-around and other special groups are not supported', 2],
  ['(?<=a)', 'look-around and other special groups are not supported', 2],
  ['(?<!a)', 'look-around and other special groups are not supported', 2],
  ['(?-i:a)', 'look-around and other special groups are not supported', 2],
  ['(?x)a', 'look-around and other special groups are not supported', 2],
  ['a(?m)', 'look-around and other special groups are not supported', 3],
  ['a(?i)', 'look-around and other special groups are not supported', 3],
  ['(a)\\1', 'back-references are not supported', 4],
  ['\\k<a>', 'unknown escape "\\k"', 1],
  ['a\\', 'nothing after the backslash', 2],
  ['a{1000}{2}', 'nothing to repeat', 10],
  ['(a{1000}){1000}', 'too many repetitions in the pattern', 1],
  ['((((){1000}){1000}){1000}){1000}', 'too many repetitions in the pattern', 1],
  ['a'.repeat(PATTERN_LENGTH_MAX + 1), 'longer than 256 characters', 1],
];

test.each(refusals)(
  'the pattern %j is refused: %s at position %i',
  (pattern, problem, position) => {
    expect(() => compilePattern(pattern)).toThrow(`: ${problem} at position ${position}.`);
  },
);

// Bound: A pattern; its states; the time of a search.
test('a search whose steps are spent is given up', () => {
  const program = compilePattern('(a*)*b');
  for (const subject of ['a'.repeat(100), `é${'a'.repeat(100)}`]) {
    const budget = { steps: 50 };
    expect(searchPattern(program, subject, budget)).toBeNull();
    expect(budget.steps).toBeGreaterThan(-50);
  }
});

test.each(['(a+)+b', '(a|a)*b', '(a|aa)+$b', 'a*a*a*a*a*b', '.*.*.*x', '(.*)(.*)(.*)(.*)[^a]'])(
  'the steps of %j grow with the length of the text, not faster',
  (pattern) => {
    const program = compilePattern(pattern);
    const stepsFor = (length: number): number => {
      const budget = { steps: 1e9 };
      searchPattern(program, 'a'.repeat(length), budget);
      return 1e9 - budget.steps;
    };
    expect(stepsFor(2000)).toBeLessThan(2.1 * stepsFor(1000));
  },
);

/** Patterns of the common subset of our language and JavaScript's, where the latter is the judge. */
const { pattern: generatedPattern } = fc.letrec<{
  pattern: string;
  sequence: string;
  atom: string;
}>((tie) => ({
  pattern: fc.array(tie('sequence'), { minLength: 1, maxLength: 2 }).map((all) => all.join('|')),
  sequence: fc.array(tie('atom'), { maxLength: 3 }).map((atoms) => atoms.join('')),
  atom: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('a', 'b', 'A', ' ', '.', '^', '$', '\\b', '\\B', '\\w', '\\s', '\\D', '\\.'),
    fc.constantFrom('[a-b]', '[^a]', '[^\\w]', '[\\W\\d]', '[-b]'),
    fc
      .tuple(tie('pattern'), fc.constantFrom('', '*', '+', '?', '{2}', '{0,2}', '{1,}', '*?'))
      .map(([pattern, quantifier]) => `(${pattern})${quantifier}`),
  ),
}));

test('a search finds what the regular expressions of JavaScript find', () => {
  const subject = fc.string({
    unit: fc.constantFrom('a', 'b', 'B', ' ', '.', '1', '\n'),
    maxLength: 8,
  });
  fc.assert(
    fc.property(
      generatedPattern.filter((pattern) => pattern.length <= 60),
      subject,
      (pattern, text) => {
        expect(search(pattern, text)).toBe(new RegExp(pattern, 'i').test(text));
      },
    ),
    { numRuns: 1000 },
  );
});

test.each([
  ['of few sets of states', fc.constant('^adds? item [0-9]+7$|\\bend\\b')],
  ['of more sets than are kept', fc.constant('b(a|b){9}$')],
  ['of any kind', generatedPattern.filter((pattern) => pattern.length <= 60)],
])('transitions learnt of a pattern %s change neither the result nor the steps', (_, patterns) => {
  const unit = fc.constantFrom('a', 'b', ' ', '\n', '1', '7', 'é', 'adds item 1', 'end');
  const texts = fc.array(fc.string({ unit, maxLength: 20 }), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(patterns, texts, (pattern, subjects) => {
      const program = compilePattern(pattern);
      const stepsOf = (subject: string, learnt = program) => {
        const budget = { steps: 1e6 };
        const found = searchPattern(learnt, subject, budget);
        expect(found).toBe(searchAllStates(program, subject, { steps: 1e6 }));
        return budget.steps;
      };
      for (const subject of subjects) {
        expect(stepsOf(subject)).toBe(stepsOf(subject, compilePattern(pattern)));
      }
    }),
    { numRuns: 300 },
  );
});

test('letters and digits are those of the property escapes of JavaScript', () => {
  const words = /^[\p{L}\p{M}\p{N}_]$/u;
  const digits = /^\p{Nd}$/u;
  const character = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 1 })
    .map((text) => [...text][0] ?? '');
  fc.assert(
    fc.property(character, (text) => {
      expect(search('^\\w+$', text)).toBe(words.test(text));
      expect(search('^\\d+$', text)).toBe(digits.test(text));
      expect(search('\\w\\b', text)).toBe(words.test(text));
    }),
    { numRuns: 2000 },
  );
});

test('any pattern compiles or is refused', () => {
  const piece = fc.constantFrom(...'ab()[]{}*+?|^$\\.-,19', '(?', '\\w', '[^');
  const text = fc.oneof(
    fc.string(),
    fc.array(piece).map((pieces) => pieces.join('')),
  );
  fc.assert(
    fc.property(text, fc.string(), (pattern, subject) => {
      try {
        expect(search(pattern, subject)).not.toBeUndefined();
      } catch (error) {
        expect(isOrchestratorError(error) && error.reason).toBe('Invalid');
      }
    }),
  );
});
