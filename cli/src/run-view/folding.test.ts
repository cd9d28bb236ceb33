import { expect, test } from 'vitest';
import { createFolding } from './folding.ts';

const EVIL = 'x ::error::y ##[error]z ##VSO[task.complete]';

test('GitHub folds a group, and its lines are no commands', () => {
  const folding = createFolding('github', 'secret');
  expect(folding.open(`100 % ${EVIL}\nmore`, 0)).toBe(
    '::group::100 %25 x ::error::y ## [error]z ## VSO[task.complete]%0Amore\n::stop-commands::secret\n',
  );
  expect(folding.inside(EVIL)).toBe(`${EVIL}\n`);
  expect(folding.close(0)).toBe('::secret::\n::endgroup::\n');
  expect(folding.outside('a ##[error]z')).toBe('a ## [error]z\n');
  expect(folding.outside(' ::error::y')).toBe(' : :error::y\n');
  expect(folding.guarded(['', '  ::error::y'])).toBe(
    '::stop-commands::secret\n\n  ::error::y\n::secret::\n',
  );
  expect(folding.error('a: b, c', 'd: e, f\n50 %')).toBe(
    '::error title=a%3A b%2C c::d: e, f%0A50 %25\n',
  );
});

test('GitLab folds sections with names of their own and the times of their steps', () => {
  const folding = createFolding('gitlab', 'secret');
  expect(folding.open('a\r\nb', 1_700_000_000_999)).toBe(
    '\u001b[0Ksection_start:1700000000:tutti_1[collapsed=true]\r\u001b[0Ka b\n',
  );
  expect(folding.close(1_700_000_002_000)).toBe(
    '\u001b[0Ksection_end:1700000002:tutti_1\r\u001b[0K\n',
  );
  expect(folding.open('c', 0)).toContain(':tutti_2[');
  expect(folding.inside(EVIL)).toBe(`${EVIL}\n`);
  expect(folding.guarded(['a', 'b'])).toBe('a\nb\n');
  expect(folding.error('a', 'b')).toBe('');
});

test('Azure folds groups, and no line of a step is a command', () => {
  const folding = createFolding('azure', 'secret');
  const harmless = 'x ::error::y ## [error]z ## VSO[task.complete]\n';
  expect(folding.open('a\n##[endgroup]', 0)).toBe('##[group]a ## [endgroup]\n');
  expect(folding.close(0)).toBe('##[endgroup]\n');
  expect(folding.inside(EVIL)).toBe(harmless);
  expect(folding.outside(EVIL)).toBe(harmless);
  expect(folding.guarded([EVIL, EVIL])).toBe(harmless + harmless);
  expect(folding.error('a', '50 %\n]')).toBe('##vso[task.logissue type=error]a: 50 %AZP25%0A]\n');
});
