import { isOrchestratorError } from '@tutti/manifests';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseFieldPath, parseFieldSelector, parseLabelSelector } from './parse-selector.ts';
import {
  CONDITIONS_MAX,
  type Condition,
  matches,
  SELECTOR_LENGTH_MAX,
  type Selector,
} from './selector.ts';

const channel = {
  kind: 'Channel',
  metadata: {
    name: 'robots.1',
    namespaces: 'a,b',
    title: 'my tests',
    all: '*',
    at: '2026-01-31T12:34:56.123456+00:00',
    sum: 'a=b!',
    labels: { 'org/zone': 'eu', plain: '', own: 'two words [a]' },
  },
  spec: { tags: ['linux', 'robotframework'], selector: { matchLabels: { 'a.b/c-d': 'x' } } },
  status: { phase: 'IDLE', count: 3, quarantined: false, currentJobID: null },
};

/** [selector, whether the channel above matches] */
const fieldRows: readonly (readonly [string, boolean])[] = [
  ['', true],
  ['   ', true],
  ['kind', true],
  ['nothing', false],
  ['metadata.nothing.deeper', false],
  ['kind.deeper', false],
  ['!nothing', true],
  ['!kind', false],
  ['! kind', false],
  ['kind=Channel', true],
  ['kind==Channel', true],
  ['kind == Channel', true],
  ['kind==channel', false],
  ['nothing==x', false],
  ['kind!=Channel', false],
  ['kind!=Other', true],
  ['nothing!=x', true],
  ['status.phase in (IDLE, BUSY)', true],
  ['status.phase in (IDLE,BUSY)', true],
  ['status.phase  in  ( IDLE , BUSY )', true],
  ['status.phase in (BUSY)', false],
  ['nothing in (BUSY)', false],
  ['status.phase notin (BUSY)', true],
  ['status.phase notin (IDLE, BUSY)', false],
  ['nothing notin (BUSY)', true],
  ['(linux) in spec.tags', true],
  ['(linux, robotframework) in spec.tags', true],
  ['(linux, windows) in spec.tags', false],
  ['(linux) in nothing', false],
  ['(linux, windows) notin spec.tags', true],
  ['(linux) notin spec.tags', false],
  ['(linux) notin nothing', true],
  ['(IDLE) in status.phase', true],
  ['(linux) in spec', false],
  ['status.count==3', true],
  ['status.quarantined==false', true],
  ['status.currentJobID', true],
  ['status.currentJobID==null', true],
  ['spec.tags==linux', false],
  ['spec.tags!=linux', true],
  ['spec.tags.0', false],
  ['spec.tags.length', false],
  ['spec.selector.matchLabels[a.b/c-d]', true],
  ['spec.selector.matchLabels[a.b/c-d]==x', true],
  ['!spec.selector.matchLabels[a.b/c-d]', false],
  ['(x) in spec.selector.matchLabels[a.b/c-d]', true],
  ['metadata.labels[org/zone] in (eu, us)', true],
  ['(linux) in spec.tags,status.phase!=IDLE', false],
  ['(linux) in spec.tags , status.phase==IDLE', true],
  ['kind,kind==Channel,!nothing', true],
  ['metadata.all==*', true],
  ['metadata.all!=*', false],
  ['metadata.all in (*, b)', true],
  ['(*) in metadata.all', true],
  ['metadata.title==my tests', true],
  ['metadata.title = my tests ', true],
  ['metadata.title==my  tests', false],
  ['metadata.title==my tests,kind==Channel', true],
  ['metadata.title!=my tests', false],
  ['metadata.title in (my tests, other)', true],
  ['metadata.title in ( other , my tests )', true],
  ['metadata.title notin (my tests)', false],
  ['(my tests) in metadata.title', true],
  ['metadata.at==2026-01-31T12:34:56.123456+00:00', true],
  ['metadata.sum in (a=b!)', true],
  ['metadata.sum!=é?&%"]', true],
  ['in', false],
  ['in in (a)', false],
  ['__proto__', false],
  ['constructor', false],
  ['constructor.name', false],
  ['metadata[__proto__]', false],
  ['!metadata.toString', true],
];

// HTTP 4.1: Conditions are separated by commas.
// HTTP 4.1: Form: a key that exists, or does not.
test.each(fieldRows)('the field selector %j matches: %j', (text, expected) => {
  expect(matches(parseFieldSelector(text), channel)).toBe(expected);
});

const labelRows: readonly (readonly [string, boolean])[] = [
  ['', true],
  ['org/zone', true],
  ['zone', false],
  ['!zone', true],
  ['plain', true],
  ['org/zone==eu', true],
  ['org/zone=eu', true],
  ['org/zone!=eu', false],
  ['org/zone in (us, eu)', true],
  ['org/zone notin (us, eu)', false],
  ['(eu) in org/zone', true],
  ['(eu, us) notin org/zone', true],
  ['constructor', false],
  ['own==two words [a]', true],
  ['own in (two words [a])', true],
  ['own!=two words [a]', false],
];

test.each(labelRows)('the label selector %j matches: %j', (text, expected) => {
  expect(matches(parseLabelSelector(text), channel)).toBe(expected);
});

test('an object without labels has no label', () => {
  expect(matches(parseLabelSelector('a'), {})).toBe(false);
  expect(matches(parseLabelSelector('a!=b'), { metadata: {} })).toBe(true);
});

/** [selector, problem, position] */
const refusals: readonly (readonly [string, string, number])[] = [
  [',', 'expected a field name', 1],
  ['a,', 'expected a field name', 3],
  ['a,,b', 'expected a field name', 3],
  ['!', 'expected a field name', 2],
  ['!!a', 'expected a field name', 2],
  ['=a', 'expected a field name', 1],
  ['a=', 'expected a value', 3],
  ['a==', 'expected a value', 4],
  ['a!=', 'expected a value', 4],
  ['a===b', 'expected a value', 4],
  ['a!b', 'expected an operator, a comma or the end', 2],
  ['a b', 'expected an operator, a comma or the end', 3],
  ['a==b c==d', 'expected an operator, a comma or the end', 7],
  ['a==b=c', 'expected an operator, a comma or the end', 5],
  ['a==b==c', 'expected an operator, a comma or the end', 5],
  ['a==b in (c)', 'expected an operator, a comma or the end', 9],
  ['a==b (c)', 'expected an operator, a comma or the end', 6],
  ['a==(b)', 'expected a value', 4],
  ['a==b)', 'expected an operator, a comma or the end', 5],
  ['a== ', 'expected a value', 5],
  ['a==,b', 'expected a value', 4],
  ['a in', 'expected white space', 5],
  ['a in(b)', 'expected white space', 5],
  ['a in b', 'expected "("', 6],
  ['a in ()', 'expected a value', 7],
  ['a in (b', 'expected "," or ")"', 8],
  ['a in (b (c))', 'expected "," or ")"', 9],
  ['a in ( )', 'expected a value', 8],
  ['a in (b) c', 'expected an operator, a comma or the end', 10],
  ['(b c in a', 'expected "," or ")"', 10],
  ['(b c) in a d', 'expected an operator, a comma or the end', 12],
  ['a in (b,)', 'expected a value', 9],
  ['a notin', 'expected white space', 8],
  ['(a)in b', 'expected white space', 4],
  ['(a) b', 'expected "in" or "notin"', 5],
  ['(a) in', 'expected white space', 7],
  ['(a) in (b)', 'expected a field name', 8],
  ['() in b', 'expected a value', 2],
  ['(a', 'expected "," or ")"', 3],
  ['[apiVersion]', 'expected a field name', 1],
  ['spec[selector][matchLabels][a]', 'only the last name may be in brackets', 15],
  ['spec[selector].a', 'only the last name may be in brackets', 15],
  ['spec[a', 'expected "]"', 7],
  ['spec[]', 'expected a name in the brackets', 6],
  ['a..b', 'empty name in the field', 1],
  ['a,.b', 'empty name in the field', 3],
  ['a.[b]', 'empty name in the field', 1],
];

test.each(refusals)('%j is refused: %s at position %i', (text, problem, position) => {
  expect(refusal(() => parseFieldSelector(text))).toContain(
    `Invalid expression ${JSON.stringify(text)}: ${problem} at position ${position}`,
  );
});

test('a refusal shows what stands at the position', () => {
  expect(refusal(() => parseFieldSelector('kind Workflow'))).toBe(
    'Invalid expression "kind Workflow": expected an operator, a comma or the end at position 6 before "Workflow".',
  );
});

test.each([
  ['spec[a]', 5],
  ['a[b.c]==d', 2],
  ['!a]', 3],
  ['[a]', 1],
  ['(x) in a[b]', 9],
])('label selectors refuse the brackets of %j', (text, position) => {
  expect(refusal(() => parseLabelSelector(text))).toBe(
    `[] not allowed in label selectors: ${JSON.stringify(text)} at position ${position}.`,
  );
});

describe('bounds', () => {
  // Bound: A selector of a listing.
  test('the longest selector parses, a longer one is refused', () => {
    expect(parseFieldSelector('a'.repeat(SELECTOR_LENGTH_MAX)).conditions).toHaveLength(1);
    const tooLong = '['.repeat(SELECTOR_LENGTH_MAX + 1);
    const message = 'Selector of 4097 characters; at most 4096 are allowed.';
    expect(refusal(() => parseFieldSelector(tooLong))).toBe(message);
    expect(refusal(() => parseLabelSelector(tooLong))).toBe(message);
  });

  test('the most conditions parse, one more is refused', () => {
    const most = Array(CONDITIONS_MAX).fill('a').join(',');
    expect(parseFieldSelector(most).conditions).toHaveLength(CONDITIONS_MAX);
    expect(refusal(() => parseFieldSelector(`${most},a`))).toContain('more than 100 conditions');
  });
});

test('a field path is split at its dots, except in brackets', () => {
  expect(parseFieldPath('spec.matchLabels[a.b/c]')).toEqual(['spec', 'matchLabels', 'a.b/c']);
  expect(refusal(() => parseFieldPath('a b'))).toContain('unexpected text at position 2');
});

const name = fc.stringMatching(/^[a-zA-Z0-9_-]{1,8}$/);
const value = fc
  .string({ minLength: 1, maxLength: 8, unit: 'grapheme' })
  .map((text) => text.replace(/[,()]/g, '*').trim())
  .filter((text) => text !== '');
const condition: fc.Arbitrary<Condition> = fc
  .record({ path: fc.array(name, { minLength: 1, maxLength: 4 }), negated: fc.boolean() })
  .chain((base) =>
    fc.oneof(
      fc.constant({ ...base, test: 'exists' as const }),
      fc
        .tuple(
          fc.constantFrom('oneOf' as const, 'containsAll' as const),
          fc.array(value, { minLength: 1 }),
        )
        .map(([kind, values]) => ({ ...base, test: kind, values: new Set(values) })),
    ),
  );

function printed(condition: Condition): string {
  const key = condition.path.join('.');
  if (condition.test === 'exists') return `${condition.negated ? '!' : ''}${key}`;
  const values = `(${[...condition.values].join(', ')})`;
  const operator = condition.negated ? 'notin' : 'in';
  return condition.test === 'oneOf'
    ? `${key} ${operator} ${values}`
    : `${values} ${operator} ${key}`;
}

test('a printed selector parses to the same conditions', () => {
  fc.assert(
    fc.property(fc.array(condition, { maxLength: 10 }), (conditions) => {
      const selector: Selector = parseFieldSelector(conditions.map(printed).join(','));
      expect(selector).toEqual({ conditions });
    }),
  );
});

test('any text parses or is refused', () => {
  const piece = fc.constantFrom(...'ab.,()[]!= /', ' in ', ' notin ', '==');
  const text = fc.oneof(
    fc.string(),
    fc.array(piece).map((pieces) => pieces.join('')),
  );
  fc.assert(
    fc.property(text, fc.anything(), (selector, anything) => {
      for (const parse of [parseFieldSelector, parseLabelSelector]) {
        const parsed = attempt(() => parse(selector));
        if (parsed !== null) matches(parsed, { a: anything });
      }
    }),
  );
});

function attempt<T>(parse: () => T): T | null {
  try {
    return parse();
  } catch (error) {
    expect(isOrchestratorError(error) && error.reason).toBe('Invalid');
    return null;
  }
}

function refusal(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    if (isOrchestratorError(error)) return error.message;
    throw error;
  }
  throw new Error('The text was not refused.');
}
