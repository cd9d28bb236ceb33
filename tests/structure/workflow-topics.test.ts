/** What `tutti validate` says to read is there to be read. */
import { expect, test } from 'vitest';
import { isTestCode, readRepositoryFile, readSourceFiles } from './source-files.ts';

test('docs/workflows.md has the headings that problems point to', () => {
  const sources = readSourceFiles().filter(
    ({ path }) => path.startsWith('packages/workflow/src/validation/') && !isTestCode(path),
  );
  const named = sources.flatMap(({ text }) => {
    const [, table = ''] = /const TOPICS[^{]*\{([^}]*)\}/.exec(text) ?? [];
    return [
      ...(text.match(/(?<=topic: ')[^']+/g) ?? []),
      ...(text.match(/(?<=CHECKING = ')[^']+/g) ?? []),
      ...(table.match(/(?<=: ')[^']+/g) ?? []),
      'workflow',
    ];
  });
  const headings = [...readRepositoryFile('docs/workflows.md').matchAll(/^#+ (.*)$/gm)].map(
    ([, title = '']) => title.toLowerCase().replaceAll(' ', '-'),
  );
  expect(named.length).toBeGreaterThan(8);
  expect([...new Set(named)].filter((topic) => !headings.includes(topic))).toEqual([]);
});
