/** docs/reference/limits.md and tests/conformance/limits.md, against the configuration, the sources and the tests. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configSchema } from '../../server/src/runtime/config-schema.ts';
import { boundsOf, boundsTable, namedBounds, namedTests } from './limits-table.ts';
import { isTestCode, ROOT, readRepositoryFile, readSourceFiles } from './source-files.ts';

const page = readRepositoryFile('docs/reference/limits.md');
const tested = readRepositoryFile('tests/conformance/limits.md');
const BEGIN = '## All numbers\n';
/** The simulation is of tests. */
const isOfProduct = (path: string) =>
  /^(?:server|agent|cli|packages)\//.test(path) && !path.includes('/simulation/');

test('docs/reference/limits.md has every key of the configuration that is a limit', () => {
  const keys = Object.keys(configSchema.properties.limits.properties).map((key) => `limits.${key}`);
  expect(keys.filter((key) => !page.includes(`| \`${key}\` |`))).toEqual([]);
});

test('docs/reference/limits.md names no key that the configuration does not have', () => {
  const known: object = configSchema.properties;
  const named = [...page.matchAll(/`(limits|retention|agents)\.(\w+)`/g)].filter(
    ([, section = '', key = '']) => {
      const { properties } = Object(Object(known)[section]);
      return !Object.hasOwn(Object(properties), key);
    },
  );
  expect(named.map(([name]) => name)).toEqual([]);
});

test('tests/conformance/limits.md names a test for each bound, which is there', () => {
  const tests = namedTests(tested);
  expect(tests.map(({ bound }) => bound)).toEqual(boundsOf(page));
  const missing = tests.filter(
    ({ path, title }) => !existsSync(join(ROOT, path)) || !readRepositoryFile(path).includes(title),
  );
  expect(missing).toEqual([]);
});

/** After a change of a bound: `npx vitest run --project unit tests/structure/limits.test.ts -u`. */
test('tests/conformance/limits.md has the limits that sources name', async () => {
  const files = readSourceFiles().filter(({ path }) => isOfProduct(path) && !isTestCode(path));
  const bounds = namedBounds(files);
  expect(bounds.length).toBeGreaterThan(100);
  const written = tested.slice(0, tested.indexOf(BEGIN) + BEGIN.length);
  const words =
    'Sizes are in bytes and times in milliseconds, unless the name says otherwise. The tests compare this table with the sources.';
  const text = `${written}\n${words}\n\n${boundsTable(bounds)}\n`;
  await expect(text).toMatchFileSnapshot('../../tests/conformance/limits.md');
});
