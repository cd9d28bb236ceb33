import { expect, test } from 'vitest';
import { importProblem, parseImportTable } from './import-table.ts';
import { importsOf, resolveImport } from './imports.ts';
import { foldersIn, isTestCode, readRepositoryFile, readSourceFiles } from './source-files.ts';

const PAGE = `
## Who may import whom

| Folder | May import |
|---|---|
| \`packages/manifests\` | nothing of ours |
| \`packages/selectors\`, \`packages/workflow\` | manifests |
| \`server/src/store\` | manifests |
| \`server/src/services/*\` | packages, store; no other service |
| \`server/src/*.ts\` | packages, everything in \`server/src\` |
| \`cli\` | server |

## After
`;
const example = parseImportTable(PAGE, ['manifests', 'selectors', 'workflow']);

const rows: readonly (readonly [importer: string, imported: string, isAllowed: boolean])[] = [
  ['packages/selectors/src/a.ts', 'packages/manifests/src/index.ts', true],
  ['packages/selectors/src/a.ts', 'packages/selectors/src/b.ts', true],
  ['packages/selectors/src/a.ts', 'packages/workflow/src/index.ts', false],
  ['packages/manifests/src/a.ts', 'packages/selectors/src/index.ts', false],
  ['server/src/services/a/a.ts', 'packages/workflow/src/index.ts', true],
  ['server/src/services/a/a.ts', 'server/src/store/store.ts', true],
  ['server/src/services/a/a.ts', 'server/src/services/a/b.ts', true],
  ['server/src/services/a/a.ts', 'server/src/services/b/b.ts', false],
  ['server/src/store/a.ts', 'server/src/main.ts', false],
  ['server/src/main.ts', 'server/src/services/b/b.ts', true],
  ['server/src/other/a.ts', 'server/src/store/store.ts', false],
  ['cli/src/a.ts', 'server/src/index.ts', true],
  ['cli/src/a.ts', 'packages/manifests/src/index.ts', false],
];

test.each(rows)('the table says whether %s may import %s', (importer, imported, isAllowed) => {
  expect(importProblem(importer, imported, example) === null).toBe(isAllowed);
});

test('a part that is not known is an error of the table', () => {
  const page = PAGE.replace('| server |', '| severs |');
  expect(() => parseImportTable(page, ['manifests', 'selectors', 'workflow'])).toThrow('"severs"');
});

const files = readSourceFiles().filter(({ path }) =>
  /^(?:packages|server|agent|cli|web)\//.test(path),
);
const rules = parseImportTable(readRepositoryFile('ARCHITECTURE.md'), foldersIn('packages'));

test('every import is one that ARCHITECTURE.md allows', () => {
  // Tests of a plugin use real parts of the server, which the plugin itself only knows by their ports.
  const sources = files.filter(({ path }) => !isTestCode(path));
  const problems = sources.flatMap(({ path, text }) =>
    importsOf(text)
      .map(({ specifier }) => resolveImport(path, specifier))
      .filter((imported) => imported !== null)
      .map((imported) => importProblem(path, imported, rules))
      .filter((problem) => problem !== null),
  );
  expect(problems).toEqual([]);
});

test('every row of the table speaks of something that is there', () => {
  const folders = rules.map(({ part }) => part.replace(/\/\*(?:\.ts)?$/, ''));
  const isThere = (folder: string) =>
    files.some(({ path }) => path === folder || path.startsWith(`${folder}/`));
  expect(folders.filter((folder) => !isThere(folder))).toEqual([]);
});

test('a package is imported by its name, never by a path into its folder', () => {
  const workspaceOf = (path: string) => /^(?:packages\/[^/]+|[^/]+)/.exec(path)?.[0];
  const problems = files.flatMap(({ path, text }) =>
    importsOf(text)
      .filter(({ specifier }) => specifier.startsWith('.'))
      .filter(({ specifier }) => {
        const imported = resolveImport(path, specifier);
        // Code that tests share is no package.
        if (imported === null || (isTestCode(path) && imported.startsWith('tests/'))) return false;
        return workspaceOf(imported) !== workspaceOf(path);
      })
      .map(({ specifier }) => `${path}: ${specifier}`),
  );
  expect(problems).toEqual([]);
});
