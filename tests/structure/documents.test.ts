import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { jobSchema, OWN_ENTRIES, stepSchema, workflowManifestSchema } from '@tutti/manifests';
import { isProviderDocument } from '@tutti/sdk/manifest';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { ORCHESTRATOR_KEYS, USER_KEYS } from '../../cli/src/client-config/config-keys.ts';
import { createProgram } from '../../cli/src/program.ts';
import { createProcessIo } from '../../cli/src/terminal/io.ts';
import { SECTIONS } from '../../docs/.vitepress/pages.ts';
import { KNOWN_SETTINGS } from '../../packages/import-config/src/setting-table.ts';
import { hooksOf } from '../../server/src/hook-files.ts';
import { readDocument } from '../../server/src/http/documents.ts';
import {
  insightsOf,
  remarksOn,
} from '../../server/src/plugins/insightcollector/insight-document.ts';
import { providerOfText } from '../../server/src/plugins/providers/provider-document.ts';
import { gatesOfChecked } from '../../server/src/plugins/qualitygate/gate-document.ts';
import { loadConfig, type ServerConfigInput } from '../../server/src/runtime/config.ts';
import { configSchema, fileSchema } from '../../server/src/runtime/config-schema.ts';
import { parseYaml } from '../../server/src/runtime/yaml-document.ts';
import { isOfWorkflows } from '../support/workflow-examples.ts';
import { configTable } from './config-table.ts';
import { blocksOf, tuttiCommandsOf } from './document-blocks.ts';
import { anchorOf } from './headings.ts';
import { foldersIn, pathsBelow, ROOT, readRepositoryFile, rootFiles } from './source-files.ts';
import { breaches, WORD_RULES } from './source-rules.ts';
import { tableRows } from './test-names.ts';
import { unknownIn } from './unknown-words.ts';

const documents = [
  ...rootFiles(/\.md$/),
  ...['docs', 'bench', 'examples', 'tests/conformance'].flatMap((folder) =>
    pathsBelow(folder, /\.md$/),
  ),
];

const SETTINGS = 'docs/reference/settings.md';

describe(SETTINGS, () => {
  /** After a change of a key: `npx vitest run --project unit tests/structure/documents.test.ts -u`. */
  test('has the configuration as the server reads it', async () => {
    const [above = '', rest = ''] = readRepositoryFile(SETTINGS).split('| Key | Variable |', 2);
    const below = rest.slice(rest.indexOf('\n\n'));
    const text = `${above}${configTable(configSchema).trim()}${below}`;
    await expect(text).toMatchFileSnapshot(join(ROOT, SETTINGS));
  });

  /** After a change of a key: `npx vitest run --project unit tests/structure/documents.test.ts -u`. */
  test('is accompanied by the schema of the configuration', async () => {
    const schema = { $schema: 'http://json-schema.org/draft-07/schema#', ...fileSchema() };
    const text = `${JSON.stringify(schema, null, 2)}\n`;
    await expect(text).toMatchFileSnapshot('../../docs/reference/config.schema.json');
  });

  test('names variables that the server knows', () => {
    const names = configTable(configSchema).match(/TUTTI_\w+/g) ?? [];
    // No key may be empty, so a variable that the server reads refuses this. One that it does not know changes nothing.
    const isRead = (name: string) =>
      messageOf(() => loadConfig({ env: { [name]: '' } })).includes(`${name}: `);
    expect(names.filter((name) => !isRead(name))).toEqual([]);
  });
});

test('messages and pages name pages of the documentation that "tutti docs" has', () => {
  const texts = [
    ...['packages', 'server', 'agent', 'cli'].flatMap((folder) =>
      pathsBelow(folder, /(?<!\.test)\.ts$/),
    ),
    ...documents,
  ];
  const named = texts.flatMap((path) =>
    [...readRepositoryFile(path).matchAll(/tutti docs ([a-z][\w/-]*)(?:#([a-z][\w-]*))?/g)].map(
      ([, page = '', anchor]) => ({ path, page, anchor }),
    ),
  );
  const isThere = (page: string, anchor: string | undefined) => {
    const file = ['', '/README']
      .map((end) => `docs/${page}${end}.md`)
      .find((name) => existsSync(join(ROOT, name)));
    if (file === undefined) return false;
    const titles = [...readRepositoryFile(file).matchAll(/^#+ (.*)$/gm)].map(
      ([, title = '']) => title,
    );
    return anchor === undefined || titles.some((title) => anchorOf(title) === anchor);
  };
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(({ page, anchor }) => !isThere(page, anchor))).toEqual([]);
});

test('no message names a file of the repository, which an installation does not have', () => {
  const texts = ['packages', 'server', 'agent', 'cli']
    .flatMap((folder) => pathsBelow(folder, /(?<!\.test)\.ts$/))
    .flatMap((path) =>
      readRepositoryFile(path)
        .split('\n')
        .map((line) => `${path}: ${line.trim()}`),
    );
  const isComment = /: (?:\/\*\*|\*|\/\/)/;
  const found = texts.filter((line) => /docs\/[\w/-]+\.md/.test(line) && !isComment.test(line));
  expect(found).toEqual([]);
});

test('the configurations that documents show are taken', () => {
  // The reference of the workflow language shows parts of workflows.
  const shown = documents
    .filter((path) => !isOfWorkflows(path))
    .flatMap((path) => blocksOf(readRepositoryFile(path), 'yaml'))
    .map((block) => parseYaml(block).value)
    .filter((value) => !Array.isArray(value))
    .filter((value) => typeof value === 'object' && value !== null)
    .filter((value) => !('jobs' in value || 'qualitygates' in value || 'insights' in value))
    // Configurations with contexts belong to existing plugins.
    .filter((value) => !('contexts' in value))
    .filter((value) => !('hooks' in value && Array.isArray(value.hooks)))
    .filter((value) => !isProviderDocument(value));
  expect(shown).not.toEqual([]);
  const fits = new Ajv({ strict: true, strictRequired: false }).compile(fileSchema());
  for (const file of [null, { $schema: './config.schema.json' }]) expect(fits(file)).toBe(true);
  for (const value of shown) {
    const options = value as ServerConfigInput;
    expect(() => loadConfig({ env: {}, options })).not.toThrow();
    expect(fits(value), JSON.stringify(fits.errors)).toBe(true);
  }
});

test.each([
  ['{}', true],
  ['auth.trustedKeys: [{path: a.pem}]', true],
  ['auth: {trustedKeys: [{path: a.pem}]}\nretention: {runs: 1}', true],
  ['auth: {trustedKeys: [{namespaces: a}]}', false],
  ['auth.keySets: [{}]', false],
  ['prot: 1', false],
])('the schema of the configuration takes what the server takes: %s', (text, isTaken) => {
  const fits = new Ajv({ strict: true, strictRequired: false }).compile(fileSchema());
  expect(fits(parseYaml(text).value)).toBe(isTaken);
});

test('the hook files that documents show are taken', () => {
  const blocks = blocksOf(readRepositoryFile('docs/operate/configure.md'), 'yaml');
  const files = blocks.filter((block) => block.startsWith('hooks:'));
  const hooks = files.flatMap((block) => hooksOf(readDocument(block), 'channel').hooks);
  expect(hooks.map(({ name }) => name)).toEqual(['free space', 'no leftovers']);
});

test('the descriptions of providers that documents show are taken', async () => {
  const blocks = blocksOf(readRepositoryFile('docs/guides/functions.md'), 'yaml');
  const described = await Promise.all(blocks.map(providerOfText));
  expect(described.map(({ manifest }) => manifest.metadata.name)).toEqual(['shop', 'greetings']);
});

test('the quality gates that documents show are taken', () => {
  const blocks = blocksOf(readRepositoryFile('docs/guides/gates.md'), 'yaml');
  const gates = blocks.flatMap((block) => gatesOfChecked(readDocument(block)));
  expect(gates.map(({ name }) => name)).toEqual(['release', 'merge']);
});

test('the insights that documents show are taken', () => {
  const blocks = blocksOf(readRepositoryFile('docs/guides/reports.md'), 'yaml');
  const insights = blocks.flatMap((block) => insightsOf(readDocument(block)));
  expect(blocks.flatMap((block) => remarksOn(readDocument(block)))).toEqual([]);
  expect(insights.map(({ name }) => name)).toEqual([
    'executionlog',
    'executionreport',
    'testresults',
    'failures',
    'release',
  ]);
});

test('docs/guides/migration.md speaks of every setting that can be imported', () => {
  const page = readRepositoryFile('docs/guides/migration.md');
  expect(KNOWN_SETTINGS.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('docs/reference/client-configuration.md names every key that tutti config sets', () => {
  const page = readRepositoryFile('docs/reference/client-configuration.md');
  const keys = [...ORCHESTRATOR_KEYS, ...USER_KEYS].map(([key]) => key);
  expect(keys.filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
});

test('tests/conformance/differences.md names every entry of our own in events', () => {
  const page = readRepositoryFile('tests/conformance/differences.md');
  const entries = Object.values(OWN_ENTRIES);
  expect(entries.filter((entry) => !page.includes(`\`${entry}\``))).toEqual([]);
});

test('ARCHITECTURE.md names every folder', () => {
  const [tree = ''] = /```\n[\s\S]*?```/.exec(readRepositoryFile('ARCHITECTURE.md')) ?? [];
  // The folders of `cli/src` and `agent/src` have layers, which are held elsewhere.
  const above = ['.', 'packages', 'server/src', 'cli', 'tests', 'docs'];
  const sections = ['packages/workflow/src', 'server/src/services', 'server/src/plugins'];
  const folders = [...above, ...sections].flatMap((path) =>
    foldersIn(path).filter((name) => !name.startsWith('.') && name !== 'src'),
  );
  const isNamed = (name: string) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(tree);
  expect(folders.filter((name) => !isNamed(name))).toEqual([]);
});

test('the commands that documents show exist, with their options', async () => {
  const shown = documents.flatMap((path) => tuttiCommandsOf(readRepositoryFile(path)));
  expect(shown.length).toBeGreaterThan(10);
  const { command } = await createProgram(['server'], createProcessIo());
  expect(shown.flatMap((words) => unknownIn(command, words))).toEqual([]);
});

test('docs/reference/command-line.md names every command', async () => {
  const { command } = await createProgram([], createProcessIo());
  const named = tuttiCommandsOf(readRepositoryFile('docs/reference/command-line.md')).map(
    ([name]) => name,
  );
  // Others are hidden, for programs.
  const shown = command
    .createHelp()
    .visibleCommands(command)
    .map((each) => each.name());
  const names = shown.filter((name) => name !== 'help');
  expect(names.filter((name) => !named.includes(name))).toEqual([]);
});

/** Figures in README.md, by the rows of bench/README.md. */
const FIGURES: readonly (readonly [row: string, figure: string])[] = [
  ['`start`: ready, empty data directory', '170 ms'],
  ['`dispatch`, our own agent to the start of the step, p50 / p99', '0.5 ms'],
  ['`chain`', '275 ms'],
  ['`accept`, JSON / YAML / multipart', '6 087 runs/s'],
];

test('README.md has the figures that were measured, and no others', () => {
  const shown = readRepositoryFile('README.md').match(/\d[\d .]*(?:ms|s|MiB|runs\/s)\b/g);
  expect(shown).toEqual(FIGURES.map(([, figure]) => figure));
  const [, figures = ''] = readRepositoryFile('bench/README.md').split('\n## Figures\n');
  const rows = tableRows(figures, 'Promise');
  for (const [name, figure] of FIGURES) {
    const [, , measured = ''] = rows.find(([row]) => row === name) ?? [];
    const [first = ''] = measured.split(' / ');
    const [, unit = ''] = /(\S+)$/.exec(figure) ?? [];
    expect(measured).toContain(unit);
    expect(figure, name).toBe(`${/^\d[\d .]*\d/.exec(first)?.[0]} ${unit}`);
  }
});

test.each([
  ['a workflow', workflowManifestSchema.properties],
  ['a job', jobSchema.properties],
  ['a step', stepSchema.properties],
])('docs/reference/language.md speaks of every key of %s', (_what, properties) => {
  const page = readRepositoryFile('docs/reference/language.md');
  const isReported = (key: string) => new RegExp(`\`${key}[\`.]`).test(page);
  expect(Object.keys(properties).filter((key) => !isReported(key))).toEqual([]);
});

test('the site lists every page', () => {
  const listed = Object.values(SECTIONS).flat();
  const isListed = (path: string) => listed.some((each) => `${path}/`.startsWith(`${each}/`));
  const others = [...listed, 'docs/index.md'].filter((path) => !existsSync(join(ROOT, path)));
  expect(others).toEqual([]);
  const unlisted = pathsBelow('docs', /\.md$/).filter((path) => !isListed(path));
  expect(unlisted).toEqual(['docs/index.md']);
});

test('links between documents lead somewhere', () => {
  const broken = documents.flatMap((path) =>
    [...readRepositoryFile(path).matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
      .map(([, target = '']) => join(dirname(path), target))
      .filter((target) => !existsSync(join(ROOT, target)))
      .map((target) => `${path}: ${target}`),
  );
  expect(broken).toEqual([]);
});

test('links to headings lead to one', () => {
  const broken = documents.flatMap((path) => {
    const links = readRepositoryFile(path).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g);
    return [...links]
      .filter(([, page = '', anchor = '']) => {
        const text = readRepositoryFile(page === '' ? path : join(dirname(path), page));
        const titles = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => anchorOf(title));
        return !titles.includes(anchor);
      })
      .map(([link]) => `${path}: ${link}`);
  });
  expect(broken).toEqual([]);
});

test('documents are finished, and know no machine', () => {
  const problems = documents.flatMap((path) =>
    breaches({ path, text: readRepositoryFile(path) }, WORD_RULES),
  );
  expect(problems).toEqual([]);
});

function messageOf(work: () => unknown): string {
  try {
    work();
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
