import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { createTestApp } from '../../http/testing.ts';
import { SERVER_VERSION } from '../../runtime/version.ts';
import { billOfMaterials, versionRoutes } from './version-routes.ts';

interface Installed {
  readonly [name: string]: { readonly version: string; readonly needs?: readonly string[] };
}

/** A folder with these packages installed; returns the address of a module in it. */
function install(packages: Installed): string {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-version-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, { version, needs = [] }] of Object.entries(packages)) {
    const directory = join(folder, 'node_modules', name);
    mkdirSync(directory, { recursive: true });
    const dependencies = Object.fromEntries(needs.map((need) => [need, '^1.0.0']));
    writeFileSync(
      join(directory, 'package.json'),
      JSON.stringify({ name, version, dependencies, main: 'index.js' }),
    );
    writeFileSync(join(directory, 'index.js'), '');
  }
  return pathToFileURL(join(folder, 'module.js')).href;
}

test('GET /version answers the bill of materials with the version of the server', async () => {
  const { app, admin } = await createTestApp({ routes: [versionRoutes] });
  const answer = await app.inject({
    method: 'GET',
    url: '/version',
    headers: { authorization: admin },
  });
  const { message, reason, details } = answer.json();
  expect({ message, reason, name: details.items.name }).toEqual({
    message: 'BOM',
    reason: 'OK',
    name: 'tutti',
  });
  expect(details.items['internal-components']).toContainEqual({
    env_version_key: 'TUTTI_SERVER_VERSION',
    name: '@tutti/server',
    type: 'application',
    version: SERVER_VERSION,
  });
});

// HTTP 2.9: The bill of materials has a name and lists of components.
test('the bill of materials names what our packages ask for, but not what others ask for', () => {
  const base = install({
    '@tutti/server': { version: '1.2.3', needs: ['@tutti/manifests', 'some-library'] },
    '@tutti/manifests': { version: '1.2.4' },
    'some-library': { version: '7.8.9', needs: ['inner-library'] },
    'inner-library': { version: '0.0.1' },
  });
  expect(billOfMaterials(base)).toEqual({
    name: 'tutti',
    'internal-components': [
      {
        env_version_key: 'TUTTI_MANIFESTS_VERSION',
        name: '@tutti/manifests',
        type: 'application',
        version: '1.2.4',
      },
      {
        env_version_key: 'TUTTI_SERVER_VERSION',
        name: '@tutti/server',
        type: 'application',
        version: '1.2.3',
      },
      {
        env_version_key: 'SOME_LIBRARY_VERSION',
        name: 'some-library',
        type: 'library',
        version: '7.8.9',
      },
    ],
  });
});

test('packages that need each other, and packages that are missing, do not keep the bill from being made', () => {
  const base = install({
    '@tutti/server': { version: '1.0.0', needs: ['@tutti/agent', 'missing'] },
    '@tutti/agent': { version: '1.0.0', needs: ['@tutti/server'] },
  });
  const { 'internal-components': components } = billOfMaterials(base);
  expect(components.map(({ name }) => name)).toEqual(['@tutti/agent', '@tutti/server']);
});
