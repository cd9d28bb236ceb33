import { expect, test } from 'vitest';
import { importsOf, packageNameOf, resolveImport } from './imports.ts';

const forms: readonly (readonly [source: string, specifier: string, isRuntime: boolean])[] = [
  [`import { a } from './a.ts';`, './a.ts', true],
  [`import {\n  a,\n  b,\n} from './a.ts';`, './a.ts', true],
  [`import * as a from './a.ts';`, './a.ts', true],
  [`import a from 'a';`, 'a', true],
  [`import a, { type B } from 'a';`, 'a', true],
  [`import './a.ts';`, './a.ts', true],
  [`import type { A } from './a.ts';`, './a.ts', false],
  [`import { type A, type B } from './a.ts';`, './a.ts', false],
  [`import { type A, b } from './a.ts';`, './a.ts', true],
  [`export { a } from './a.ts';`, './a.ts', true],
  [`export type { A } from './a.ts';`, './a.ts', false],
  [`export * from './a.ts';`, './a.ts', true],
  [`const a = await import('a');`, 'a', true],
  [`type A = typeof import('a');`, 'a', false],
];

test.each(forms)('%j imports %s', (source, specifier, isRuntime) => {
  expect(importsOf(source)).toEqual([{ specifier, isRuntime }]);
});

test.each([
  `// import { a } from './a.ts';`,
  `/* import './a.ts'; */`,
  `export const from = 'a';`,
  `const text = \`import('a' + b)\`;`,
  `export function f() {\n  return 'a';\n}`,
])('%j imports nothing', (source) => {
  expect(importsOf(source)).toEqual([]);
});

test('imports of ours lead to files', () => {
  expect(resolveImport('server/src/bus/bus.ts', '../store/store.ts')).toBe(
    'server/src/store/store.ts',
  );
  expect(resolveImport('server/src/bus/bus.ts', '@tutti/manifests')).toBe(
    'packages/manifests/src/index.ts',
  );
  expect(resolveImport('cli/src/main.ts', '@tutti/server')).toBe('server/src/index.ts');
  expect(resolveImport('cli/src/main.ts', 'commander')).toBeNull();
});

test('packages are named without what is inside them', () => {
  expect(packageNameOf('ajv/dist/2019.js')).toBe('ajv');
  expect(packageNameOf('@fastify/swagger')).toBe('@fastify/swagger');
  expect(packageNameOf('node:fs')).toBeNull();
  expect(packageNameOf('./a.ts')).toBeNull();
});
