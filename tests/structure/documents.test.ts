import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { jobSchema, stepSchema, workflowManifestSchema } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../server/src/runtime/config.ts';
import { configSchema } from '../../server/src/runtime/config-schema.ts';
import { configTable } from './config-table.ts';
import { pathsBelow, ROOT, readRepositoryFile, rootFiles } from './source-files.ts';
import { breaches, WORD_RULES } from './source-rules.ts';

const documents = [
  ...rootFiles(/\.md$/),
  ...['docs', 'bench', 'examples'].flatMap((folder) => pathsBelow(folder, /\.md$/)),
];

describe('docs/server.md', () => {
  test('has the configuration as the server reads it', () => {
    expect(readRepositoryFile('docs/server.md')).toContain(configTable(configSchema));
  });

  test('names variables that the server knows', () => {
    const names = configTable(configSchema).match(/TUTTI_\w+/g) ?? [];
    // No key may be empty, so a variable that the server reads refuses this; one that it does not know changes nothing.
    const isRead = (name: string) =>
      messageOf(() => loadConfig({ env: { [name]: '' } })).includes(`${name}: `);
    expect(names.filter((name) => !isRead(name))).toEqual([]);
  });
});

test.each([
  ['a workflow', workflowManifestSchema.properties],
  ['a job', jobSchema.properties],
  ['a step', stepSchema.properties],
])('docs/workflows.md speaks of every key of %s', (_what, properties) => {
  const page = readRepositoryFile('docs/workflows.md');
  const isTold = (key: string) => new RegExp(`\`${key}[\`.]`).test(page);
  expect(Object.keys(properties).filter((key) => !isTold(key))).toEqual([]);
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

test('links to headings of the same page lead to one', () => {
  const broken = documents.flatMap((path) => {
    const text = readRepositoryFile(path);
    const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => anchorOf(title));
    return [...text.matchAll(/\]\(#([^)]+)\)/g)]
      .filter(([, anchor = '']) => !headings.includes(anchor))
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

function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');
}

function messageOf(work: () => unknown): string {
  try {
    work();
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
