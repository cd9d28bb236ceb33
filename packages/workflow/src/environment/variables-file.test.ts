import { VARIABLES_MAX } from '@tutti/manifests';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseVariablesFile } from './variables-file.ts';

test.each([
  ['export A=b', { A: 'b' }],
  ['A=b', { A: 'b' }],
  ['  export A=b  ', { A: 'b' }],
  ['set "A=b c"', { A: 'b c' }],
  ['set A=b', { A: 'b' }],
  ['export A="b c"', { A: '"b c"' }],
  ["export A='b'", { A: "'b'" }],
  ['A=b=c', { A: 'b=c' }],
  ['A=', { A: '' }],
  ['set "A=b c"\r', { A: 'b c' }],
  ['__proto__=x', JSON.parse('{"__proto__": "x"}')],
  ['', {}],
  ['no assignment', {}],
  ['=x', {}],
  ['a-b=c', {}],
  ['export A B=c', {}],
  ['declare A=c', {}],
  ['"', {}],
  // Language 3.7: Lines are read in one form.
  // Language 3.7: Quotes around a value are kept.
])('the line %j means %j', (line, variables) => {
  expect(parseVariablesFile([line])).toStrictEqual(variables);
});

// Language 3.7: Lines are read in one form.
test('a later line wins', () => {
  expect(parseVariablesFile(['export A=1', 'export B=2', 'A=3'])).toEqual({ A: '3', B: '2' });
});

test('no more variables are kept than the limit, but known ones still change', () => {
  const lines = Array.from({ length: VARIABLES_MAX + 5 }, (_, i) => `V${i}=x`);
  const variables = parseVariablesFile([...lines, 'V0=new']);
  expect(Object.keys(variables)).toHaveLength(VARIABLES_MAX);
  expect(variables.V0).toBe('new');
});

test('any lines can be read', () => {
  fc.assert(fc.property(fc.array(fc.string()), (lines) => void parseVariablesFile(lines)));
});
