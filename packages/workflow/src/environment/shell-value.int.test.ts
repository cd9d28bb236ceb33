/** Our reading of shell values agrees with bash. */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shellValue } from './shell-value.ts';

const pieces = fc.oneof(
  fc.constantFrom(
    ...`ab/=:.,~{}[]()*?#!%^&;|<> \t\\'"$\`-@1é`,
    "$'",
    '\\x41',
    '\\101',
    '\\n',
    "'a b'",
  ),
  fc.constantFrom('"', "'", '"a b"', '\\ ', '..', '${', '$(', '\\"', '😀'),
);

test('a value that we can read is the one that bash gives to later steps', {
  timeout: 60_000,
}, () => {
  const all = fc.sample(fc.array(pieces, { maxLength: 8 }), { numRuns: 20_000, seed: 1 });
  const read = all.flatMap((some) => {
    const written = some.join('');
    const value = shellValue(written, 'linux');
    return value === null || value.includes('\0') ? [] : [{ written, value }];
  });
  expect(read.length).toBeGreaterThan(1000);
  const script = read.map(({ written }) => `export V=${written}\nprintf '%s\\0' "$V"\n`).join('');
  const { stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-s'], {
    input: script,
    env: { PATH: process.env.PATH, HOME: '/root-of-nobody', LC_ALL: 'C.UTF-8' },
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  });
  expect(stderr).toBe('');
  const seen = stdout.split('\0').slice(0, -1);
  const wrong = read.flatMap(({ written, value }, index) =>
    seen[index] === value ? [] : [{ written, value, seen: seen[index] }],
  );
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(seen).toHaveLength(read.length);
});
