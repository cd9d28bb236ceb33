/** Headings that messages of `tutti validate` point to. */
import { expect, test } from 'vitest';
import { isTestCode, readRepositoryFile, readSourceFiles } from './source-files.ts';

test('docs/reference/language.md has the headings that problems point to', () => {
  const sources = readSourceFiles().filter(
    ({ path }) => path.startsWith('packages/workflow/src/validation/') && !isTestCode(path),
  );
  const named = sources.flatMap(({ text }) => {
    const tables = [...text.matchAll(/const \w*TOPICS[^{]*\{([^}]*)\}/g)].map(
      ([, rows = '']) => rows,
    );
    const [, sections = ''] = /function topicOf\(([\s\S]*?)\n\}/.exec(text) ?? [];
    return [
      ...(text.match(/(?<=topic: ')[^']+/g) ?? []),
      ...(text.match(/(?<=CHECKING = ')[^']+/g) ?? []),
      ...(tables.join().match(/(?<=: ')[^']+/g) ?? []),
      ...(sections.match(/(?<=(?:return|\?\?) ')[^']+/g) ?? []),
    ];
  });
  const headings = [
    ...`${readRepositoryFile('docs/reference/language.md')}${readRepositoryFile('docs/guides/workflows.md')}`.matchAll(
      /^#+ (.*)$/gm,
    ),
  ].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'));
  expect(named).toEqual(
    expect.arrayContaining(['workflow', 'repositories', 'outputs', 'matrices']),
  );
  expect([...new Set(named)].filter((topic) => !headings.includes(topic))).toEqual([]);
});
