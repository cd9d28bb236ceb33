/** The table of attacks, against the tests that it promises and the page that shows it. */
import { expect, test } from 'vitest';
import { ATTACKS } from '../security/attacks.ts';
import { pathsBelow, readRepositoryFile } from './source-files.ts';

test('each row of the table of attacks has one test', () => {
  const sources = pathsBelow('tests/security', /\.test\.ts$/).map(readRepositoryFile);
  const named = sources.flatMap((source) =>
    [...source.matchAll(/\battack\(\s*'([^']+)'/g)].map(([, id]) => id),
  );
  expect(named.toSorted()).toEqual(Object.keys(ATTACKS).toSorted());
});

/** After a change of the table: `npx vitest run --project unit tests/structure/attacks.test.ts -u`. */
test('docs/operate/security.md shows the table of attacks', async () => {
  const page = readRepositoryFile('docs/operate/security.md');
  const head = '| Attack | Where | What holds |\n|---|---|---|\n';
  const [before = ''] = page.split(head);
  const rows = Object.values(ATTACKS).map((row) =>
    [row.attack, row.endpoint, row.bound].map((cell) => cell.replaceAll('|', '\\|')).join(' | '),
  );
  const table = rows.map((row) => `| ${row} |\n`).join('');
  await expect(`${before}${head}${table}`).toMatchFileSnapshot('../../docs/operate/security.md');
});
