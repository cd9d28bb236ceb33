import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { anchorOf } from './headings.ts';
import { ROOT, readRepositoryFile } from './source-files.ts';
import { isDefinedIn, parseWalks } from './walks.ts';

const PAGE = `
## Walks

### Inner (2 files)

1. \`a.ts\` \`first\`: begins.
2. \`b.ts\` \`second\`: ends.

### Outer (3 files)

1. \`c.ts\` \`third\`: begins.
2. All stations of [inner](#inner-2-files), without \`b.ts\`. More text.
3. \`a.ts\` \`again\`: is passed twice.

## After

1. \`d.ts\` \`fourth\`: is no station.
`;

test('walks have their stations, and the files of the walks that they pass', () => {
  const [inner, outer, ...others] = parseWalks(PAGE, anchorOf);
  expect(others).toEqual([]);
  expect(inner).toMatchObject({ title: 'Inner', filesStated: 2 });
  expect(inner?.stations.at(1)).toEqual({ path: 'b.ts', name: 'second' });
  expect(outer).toMatchObject({ title: 'Outer', filesStated: 3 });
  expect([...(outer?.files ?? [])]).toEqual(['c.ts', 'a.ts']);
});

test('a walk passes walks above it only', () => {
  const page = '## Walks\n\n### Lost (1 files)\n\n1. All stations of [none](#none).\n';
  expect(() => parseWalks(page, anchorOf)).toThrow('"Lost" passes #none, which is no walk above.');
});

test.each([
  ['function go() {}', 'go', true],
  ['class A {\n  async #go(a: string): Promise<void> {\n  }\n}', '#go', true],
  ['export const go = (a: string) => a;', 'go', true],
  ['export class Go {}', 'Go', true],
  ['export async function* go(): AsyncGenerator<string> {}', 'go', true],
  ['export function go(): (a: string) => string {}', 'go', true],
  ['import { go } from "./go.ts";\nif (isReady) go();', 'go', false],
  ['const gone = 1;', 'go', false],
])('%j defines %s: %s', (source, name, isDefined) => {
  expect(isDefinedIn(source, name)).toBe(isDefined);
});

const page = readRepositoryFile('ARCHITECTURE.md');
const walks = parseWalks(page, anchorOf);

test('ARCHITECTURE.md has the commit and four walks', () => {
  expect(walks.map(({ title }) => title)).toEqual([
    'The commit',
    'A workflow, from `POST` to an agent',
    'A batch of output, to the log and a follower',
    'A report, to a test case and a gate',
    'A run on this machine, from the command line to its exit code',
  ]);
});

test.each(walks)('$title: each file has its function', ({ stations }) => {
  const wrong = stations.filter(({ path, name }) => !isDefinedIn(readRepositoryFile(path), name));
  expect(wrong).toEqual([]);
});

test.each(walks)('$title: the heading has the number of its files', ({ files, filesStated }) => {
  expect(filesStated).toBe(files.size);
});

test('ARCHITECTURE.md names files that exist', () => {
  const named = [
    ...page.matchAll(/`((?:agent|bench|cli|docs|packages|scripts|server|tests)\/[\w./-]+\.\w+)`/g),
  ];
  const paths = named.map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(100);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
