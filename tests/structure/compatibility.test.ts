/** docs/reference/compatibility.md says what the tests with existing programs show, no more and no less. */
import { describe, expect, test } from 'vitest';
import { AREAS } from '../interop/areas.ts';
import { compatibilityDocument } from '../interop/compatibility.ts';
import { claimName, claimsOf, readTitle } from '../interop/subjects.ts';
import { WORKFLOWS } from '../interop/workflows/area.ts';
import { featureTitles } from './feature-titles.ts';
import { pathsBelow, readRepositoryFile } from './source-files.ts';

const CORPUS = 'tests/interop/workflows/corpus';
const EXPECTED = '.expected.yaml';
const page = readRepositoryFile('docs/reference/compatibility.md');
const claims = AREAS.flatMap(claimsOf);

test('docs/reference/compatibility.md has every claim of the suite, and each of them works', () => {
  // Written by `TUTTI_COMPATIBILITY=1 npx vitest run --project interop`.
  expect(page).toBe(compatibilityDocument(() => 'works'));
});

test('no claim is made twice', () => {
  const names = claims.map(claimName);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test('every feature that is claimed has its test', () => {
  const sources = pathsBelow('tests/interop', /\.test\.ts$/).map(readRepositoryFile);
  const tested = new Set(sources.flatMap(featureTitles).map((title) => readTitle(title).text));
  // The features of workflow files are the files themselves: the suite has one test for each.
  const written = AREAS.filter((area) => area !== WORKFLOWS);
  const texts = written.flatMap(({ features }) => features.map(({ text }) => text));
  expect(texts.filter((text) => !tested.has(text))).toEqual([]);
});

test.each([
  ['8.71: waits for 8.5 s: long', '8.71: ', 'waits for 8.5 s: long'],
  ['waits 8.71: long', '', 'waits 8.71: long'],
])('"%s" has the item "%s" before its words', (title, item, text) => {
  expect(readTitle(title)).toEqual({ item, text });
});

describe('titles of features are found', () => {
  test.each([
    ['on one line', "feature('runs', async () => {});", ['runs']],
    [
      'on a line of their own',
      "feature(\n  'runs a rather long way',\n  async () => {},\n);",
      ['runs a rather long way'],
    ],
    ['behind a comment', "feature(\n  // Why.\n  /* And how. */ 'runs',\n  body,\n);", ['runs']],
    [
      'with quotes',
      `feature("it's", body); feature('it\\'s', body); feature(\`"x"\`, body)`,
      ["it's", "it's", '"x"'],
    ],
    ['and no others', "other('a', b); feature(text, body); feature('alone')", []],
  ])('%s', (_, source, titles) => {
    expect(featureTitles(source)).toEqual(titles);
  });
});

test('every workflow file of the suite says what is expected of it, and is claimed', () => {
  const files = pathsBelow(CORPUS, /./).map((path) => path.slice(CORPUS.length + 1));
  const samples = files.filter((file) => !file.endsWith(EXPECTED));
  const names = samples.map((file) => file.replace(/\.[a-z]+$/, EXPECTED));
  expect(files.filter((file) => file.endsWith(EXPECTED)).sort()).toEqual([...names].sort());
  expect(samples.length).toBeGreaterThanOrEqual(30);
  const claimed = WORKFLOWS.features.map(({ text }) => text);
  expect(samples.filter((file) => !claimed.some((text) => text.includes(`\`${file}\``)))).toEqual(
    [],
  );
});
