import { expect, test } from 'vitest';
import { importsOf, resolveImport } from './imports.ts';
import { layerOf, layerProblem, parseLayers } from './layers.ts';
import { foldersIn, isTestCode, readRepositoryFile, readSourceFiles } from './source-files.ts';

const PAGE = `
## Layers

### \`cli/src\`

| Part | What is there |
|---|---|
| \`*.ts\` | The program |
| \`commands/\` | Commands |
| \`run-view/\`, \`io.ts\` | What they share |

## After
`;
const [example = { folder: '', rows: [] }] = parseLayers(PAGE);

test.each([
  ['cli/src/main.ts', 'cli/src/commands/a.ts', true],
  ['cli/src/commands/a.ts', 'cli/src/commands/b.ts', true],
  ['cli/src/commands/a.ts', 'cli/src/io.ts', true],
  ['cli/src/run-view/a.ts', 'cli/src/io.ts', true],
  ['cli/src/io.ts', 'cli/src/run-view/a.ts', true],
  ['cli/src/run-view/a.ts', 'cli/src/commands/a.ts', false],
  ['cli/src/commands/a.ts', 'cli/src/main.ts', false],
  ['cli/src/commands/a.ts', 'server/src/index.ts', true],
])('the layers say whether %s may import %s', (importer, imported, isAllowed) => {
  expect(layerProblem(importer, imported, example) === null).toBe(isAllowed);
});

const files = readSourceFiles();
const all = parseLayers(readRepositoryFile('ARCHITECTURE.md'));

test('the command line, the agent and the agent channel have layers', () => {
  const folders = all.map(({ folder }) => folder);
  const agentChannel = 'server/src/plugins/agentchannel';
  expect(folders).toEqual(expect.arrayContaining(['cli/src', 'agent/src', agentChannel]));
});

test.each(all)('$folder: each part has a layer, and each layer has files', (layers) => {
  const { folder, rows } = layers;
  const paths = files.map(({ path }) => path).filter((path) => path.startsWith(`${folder}/`));
  const sources = paths.filter((path) => !isTestCode(path));
  expect(sources.filter((path) => layerOf(path, layers) === null)).toEqual([]);
  const used = new Set(sources.map((path) => layerOf(path, layers)));
  expect(rows.filter((_, index) => !used.has(index))).toEqual([]);
  const named = rows.flat().filter((name) => !name.endsWith('.ts'));
  expect(foldersIn(folder).filter((name) => name !== 'testing')).toEqual(named.sort());
});

test.each(all)('$folder: no part imports from a layer above it', (layers) => {
  const problems = files
    .filter(({ path }) => !isTestCode(path))
    .flatMap(({ path, text }) =>
      importsOf(text)
        .map(({ specifier }) => resolveImport(path, specifier))
        .filter((imported) => imported !== null)
        .map((imported) => layerProblem(path, imported, layers))
        .filter((problem) => problem !== null),
    );
  expect(problems).toEqual([]);
});
