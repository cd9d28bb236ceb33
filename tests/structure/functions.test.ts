import { expect, test } from 'vitest';
import { functionsOf } from './functions.ts';

const BODY = '{\n  return 1;\n}';

test.each([
  [`function a() ${BODY}`, 'a', 0],
  [`export async function a(): Promise<void> ${BODY}`, 'a', 0],
  [`function a<T>(b: T): { readonly c: T } ${BODY}`, 'a', 1],
  [`function a(b: string): b is Promise<{ c: string }> ${BODY}`, 'a', 1],
  [`function a(b: Map<b, c>, d: (e: 1, f: 2) => void, { g, h }: G,) ${BODY}`, 'a', 3],
  [`function a(b: number): readonly string[] | { c: 1 } ${BODY}`, 'a', 1],
  [`const a = (b: string, c = [1, 2]) => ${BODY}`, 'a', 2],
  [`const a = async ({ b }: { b: string }): Promise<number> => ${BODY}`, 'a', 1],
  [`  #a(b = f({ c })): void ${BODY}`, '#a', 1],
  [`  get a() ${BODY}`, 'a', 0],
])('%j has a function', (source, name, parameters) => {
  const line = source.split('\n').length - 2;
  expect(functionsOf(source)).toEqual([{ name, line, lines: 3, parameters }]);
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
