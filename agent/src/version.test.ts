import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AGENT_VERSION } from './version.ts';

test('the agent has the version of its package', () => {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  expect(JSON.parse(manifest)).toMatchObject({ version: AGENT_VERSION });
});
