/** Facts are types: what an event says beside the interface is known to one codec, and to nobody else. */
import { OWN_ENTRIES } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { importsOf, resolveImport } from './imports.ts';
import { isTestCode, readSourceFiles } from './source-files.ts';

const sources = readSourceFiles().filter(
  ({ path }) => /^(?:packages|server|agent|cli)\//.test(path) && !isTestCode(path),
);
const SPELLED = 'packages/manifests/src/own-entries.ts';

test('one file spells the names of our entries in events', () => {
  const names = Object.values(OWN_ENTRIES).map((name) => name.replace('.', '\\.'));
  const spelled = new RegExp(`(?:${names.join('|')})(?![\\w.-])`);
  const others = sources.filter(({ path, text }) => path !== SPELLED && spelled.test(text));
  expect(others.map(({ path }) => path)).toEqual([]);
});

test('the codec alone uses these names', () => {
  const isCodec = (path: string) =>
    /^packages\/(?:workflow\/src\/facts\/|manifests\/src\/(?:actor|event-versions|index|own-entries)\.ts$)/.test(
      path,
    );
  const others = sources.filter(({ path, text }) => !isCodec(path) && /\bOWN_ENTRIES\b/.test(text));
  expect(others.map(({ path }) => path)).toEqual([]);
});

test.each([
  ['facts', ['run', 'projection', 'trace', 'plan', 'scheduling']],
  ['run', ['projection', 'trace', 'plan']],
  ['projection', ['trace', 'plan']],
])('the folder %s of the workflow imports nothing of %j', (folder, above) => {
  const root = 'packages/workflow/src';
  const imports = sources
    .filter(({ path }) => path.startsWith(`${root}/${folder}/`))
    .flatMap(({ path, text }) =>
      importsOf(text).map((each) => resolveImport(path, each.specifier)),
    );
  const wrong = imports.filter((path) =>
    above.some((each) => path?.startsWith(`${root}/${each}/`)),
  );
  expect(wrong).toEqual([]);
});
