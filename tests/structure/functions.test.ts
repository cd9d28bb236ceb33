import { expect, test } from 'vitest';
import { functionsOf } from './functions.ts';

const BODY = '{\n  return 1;\n}';

test.each([
  [`function a() ${BODY}`, 'a'],
  [`export async function a(): Promise<void> ${BODY}`, 'a'],
  [`function a<T>(b: T): { readonly c: T } ${BODY}`, 'a'],
  [`function a(b: string): b is Promise<{ c: string }> ${BODY}`, 'a'],
  [`function a(b: number): readonly string[] | { c: 1 } ${BODY}`, 'a'],
  [`const a = (b: string) => ${BODY}`, 'a'],
  [`const a = async ({ b }: { b: string }): Promise<number> => ${BODY}`, 'a'],
  [`  #a(b = f({ c })): void ${BODY}`, '#a'],
  [`  get a() ${BODY}`, 'a'],
])('%j has a function', (source, name) => {
  const line = source.split('\n').length - 2;
  expect(functionsOf(source)).toEqual([{ name, line, lines: 3 }]);
});

test.each([
  `if (a) ${BODY}`,
  `for (const a of b()) ${BODY}`,
  `for await (const a of b) ${BODY}`,
  `switch (a) ${BODY}`,
  `try {} catch (error) ${BODY}`,
  `const a = f('function a() {');`,
  `const a = (b: string) => b;`,
  `interface A { a(b: string): void; c: { d: string } }`,
])('%j has none', (source) => {
  expect(functionsOf(source)).toEqual([]);
});

test('a function inside another is found too, and counts for both', () => {
  expect(functionsOf(`function a() {\n  return () => {\n    b();\n  };\n}`)).toMatchObject([
    { name: 'a', line: 1, lines: 5 },
    { line: 2, lines: 3 },
  ]);
});
