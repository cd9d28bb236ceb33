/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so. */
import { expect, test } from 'vitest';
import { codeProviders } from './built-in-providers.ts';
import { createProviderCatalog } from './provider-catalog.ts';
import { scriptsOfCall } from './scripts-of-call.ts';

const catalog = createProviderCatalog({ code: codeProviders });

test('a call has the scripts of its function, with expressions as they are written', async () => {
  const step = { uses: 'actions/get-file@v1', with: { path: 'a/${{ inputs.x }}.xml' } };
  expect(await scriptsOfCall(catalog, step, 'linux')).toEqual([
    expect.stringContaining('::attach::'),
  ]);
});

test.each([
  ['has no function', { run: 'true' }],
  ['names a function that is not here', { uses: 'a/b@v1' }],
  ['names no function', { uses: '' }],
  ['is refused', { uses: 'actions/get-file@v1', with: {} }],
])('a step that %s has none', async (_, step) => {
  expect(await scriptsOfCall(catalog, step, 'linux')).toEqual([]);
});
