import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CLI_VERSION } from './version.ts';

test('the version is that of the package', () => {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  expect(manifest).toMatchObject({ version: CLI_VERSION });
});
