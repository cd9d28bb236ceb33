/** The descriptions of technologies, and the pages that say what they do. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ChannelOs } from '@tutti/manifests';
import { formatFunctionName } from '@tutti/sdk';
import { describe, expect, test } from 'vitest';
import {
  builtInManifest,
  manifestPrefixes,
} from '../../server/src/plugins/providers/built-in-manifests.ts';
import { codeProviders } from '../../server/src/plugins/providers/built-in-providers.ts';
import { createProviderCatalog } from '../../server/src/plugins/providers/provider-catalog.ts';
import { ROOT, readRepositoryFile } from './source-files.ts';
import { exampleOf, functionSections, newPage } from './technology-tables.ts';

const FOLDER = 'docs/reference/tools';
const MARK = '<!-- What follows is made of the description. -->\n';

const providers = await Promise.all(
  manifestPrefixes.map(async (prefix) => {
    const found = await builtInManifest(prefix);
    if (found === null) throw new Error(`There is no description of ${prefix}.`);
    return { prefix, ...found };
  }),
);

/** After a change of a description: `npx vitest run --project unit tests/structure/technologies.test.ts -u`. */
test.each(providers)('the page of $prefix has what its description says', async (each) => {
  const page = `${FOLDER}/${each.prefix}.md`;
  const isThere = existsSync(join(ROOT, page));
  const [above = ''] = isThere ? readRepositoryFile(page).split(MARK) : [newPage(each.manifest)];
  const text = `${above}${MARK}\n${await functionSections(each.manifest)}`;
  await expect(text).toMatchFileSnapshot(join(ROOT, page));
});

/** The same command writes it. */
test('the list of functions has those of the code and of all descriptions', async () => {
  const catalog = createProviderCatalog({
    code: codeProviders,
    manifests: { prefixes: manifestPrefixes, load: builtInManifest },
  });
  const lines = (await catalog.all()).map(({ called }) =>
    JSON.stringify({
      name: formatFunctionName(called),
      description: called.description,
      inputs: called.inputs,
    }),
  );
  await expect(`[\n${lines.toSorted().join(',\n')}\n]\n`).toMatchFileSnapshot(
    join(ROOT, 'server/src/plugins/providers/built-in-functions.json'),
  );
});

test('docs/reference/tools/README.md names every technology', () => {
  const page = readRepositoryFile(`${FOLDER}/README.md`);
  const isNamed = (prefix: string) => page.includes(`[${prefix}](${prefix}.md)`);
  expect(manifestPrefixes.filter((prefix) => !isNamed(prefix))).toEqual([]);
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
