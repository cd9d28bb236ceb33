/** The table of attacks, against the tests that it promises. */
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
