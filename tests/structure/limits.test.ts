/** docs/reference/limits.md and tests/conformance/limits.md, against the configuration, the sources and the tests. */
import { expect, test } from 'vitest';
import { configSchema } from '../../server/src/runtime/config-schema.ts';
import { boundsOf, boundsTable, namedBounds, reachedBounds } from './limits-table.ts';
import { isTestCode, readRepositoryFile, readSourceFiles } from './source-files.ts';

const page = readRepositoryFile('docs/reference/limits.md');
const tested = readRepositoryFile('tests/conformance/limits.md');
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

const sources = readSourceFiles();
const reached = reachedBounds(
  sources.filter(({ path }) => isTestCode(path) && !path.startsWith('tests/structure/')),
);

test('a test reaches each bound of docs/reference/limits.md', () => {
  expect(boundsOf(page).filter((bound) => !reached.has(bound))).toEqual([]);
  expect([...reached.keys()].filter((bound) => !boundsOf(page).includes(bound))).toEqual([]);
});

/** After a change of a bound: `npx vitest run --project unit tests/structure/limits.test.ts -u`. */
test('tests/conformance/limits.md has the limits that sources name', async () => {
  const files = sources.filter(({ path }) => isOfProduct(path) && !isTestCode(path));
  const bounds = namedBounds(files);
  expect(bounds.length).toBeGreaterThan(100);
  const [introduction = ''] = tested.split('\n## ', 1);
  const rows = boundsOf(page).map((bound) => `| ${bound} | ${reached.get(bound)} |`);
  const table = ['| Bound | Test |', '|---|---|', ...rows].join('\n');
  const words =
    'Sizes are in bytes and times in milliseconds, unless the name says otherwise. The tests compare this table with the sources.';
  const text = `${introduction}\n## Bounds\n\n${table}\n\n## All numbers\n\n${words}\n\n${boundsTable(bounds)}\n`;
  await expect(text).toMatchFileSnapshot('../../tests/conformance/limits.md');
});
