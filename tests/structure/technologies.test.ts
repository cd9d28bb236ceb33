/** The descriptions of technologies, and the page that says what they do. */
import type { ChannelOs } from '@tutti/manifests';
import { formatFunctionName } from '@tutti/sdk';
import { describe, expect, test } from 'vitest';
import {
  builtInManifest,
  manifestPrefixes,
} from '../../server/src/plugins/providers/built-in-manifests.ts';
import { readRepositoryFile } from './source-files.ts';
import { exampleOf, technologyTables } from './technology-tables.ts';

const PAGE = 'docs/reference/tools.md';
const MARK = '<!-- technologies -->\n';

const providers = await Promise.all(
  manifestPrefixes.map(async (prefix) => {
    const found = await builtInManifest(prefix);
    if (found === null) throw new Error(`There is no description of ${prefix}.`);
    return { prefix, ...found };
  }),
);

/** After a change of a description: `npx vitest run --project unit tests/structure/technologies.test.ts -u`. */
test('docs/reference/tools.md has what the descriptions say', async () => {
  const [above = ''] = readRepositoryFile(PAGE).split(MARK);
  const tables = await technologyTables(providers.map(({ manifest }) => manifest));
  await expect(`${above}${MARK}\n${tables}`).toMatchFileSnapshot(`../../${PAGE}`);
});

/** There is no such tool for other systems. */
const FOR_WINDOWS = ['ranorex', 'uft'];

describe.each(providers)('$prefix', ({ prefix, manifest, provider }) => {
  test('has a function for references of tests, one for parameters and one of its own', () => {
    const names = provider.functions.map(formatFunctionName);
    expect(names).toEqual(expect.arrayContaining([`${prefix}/execute@v1`, `${prefix}/params@v1`]));
    expect(names.length).toBeGreaterThan(2);
  });

  test.each<ChannelOs>(['linux', 'macos', 'windows'])('runs on %s', async (os) => {
    if (os !== 'windows' && FOR_WINDOWS.includes(prefix)) return;
    for (const described of manifest.functions) {
      const called = provider.functions.find((each) => formatFunctionName(each) === described.name);
      expect(await called?.call(exampleOf(described), { os }), described.name).not.toHaveLength(0);
    }
  });

  test('says of its reports what can be read', () => {
    const types = manifest.functions.flatMap(({ attach = [] }) => attach.map(({ type }) => type));
    const own = types.filter((type) =>
      type?.startsWith(`application/vnd.opentestfactory.${prefix}-`),
    );
    // Katalon has its reports in folders that a script finds.
    expect(own.length > 0 || prefix === 'katalon').toBe(true);
  });
});
