import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ServerConfig } from '../../runtime/config.ts';
import type { Logger } from '../../runtime/logger.ts';
import { openProviders } from './open-providers.ts';
import type { ProviderCatalog } from './provider-catalog.ts';

let dataDir: string;
let folder: string;
let logged: string[];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'providers-'));
  folder = join(dataDir, 'providers');
  logged = [];
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const logger = new Proxy({} as Logger, {
  get: (_, level) => (fields: { file?: string; err?: unknown }, message: string) => {
    const file = fields.file?.slice(folder.length + 1) ?? '';
    // A mistake in somebody's file is no error of the server: there is no stack of it.
    expect(fields.err).toBeUndefined();
    logged.push([String(level), file, message.replaceAll(folder, 'FOLDER')].join('|'));
  },
});

const open = (providers: ServerConfig['providers'] = {}): Promise<ProviderCatalog> =>
  openProviders({ dataDir, providers }, logger);

/** Its mark is another one each time, since its length is. */
let length = 0;
function write(name: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  length += 1;
  writeFileSync(join(folder, name), `${text}\n${'#'.repeat(length)}\n`);
}

const described = (name: string, run: string): string => `
apiVersion: tutti/v1
kind: Provider
metadata: {name: x}
functions:
  - name: ${name}
    description: It.
    steps: [{run: ${run}}]
`;

const SHOP = { prefix: 'shop', category: 'smoke', version: 'v1' };

async function runOf(catalog: ProviderCatalog, name = SHOP): Promise<string | undefined> {
  const called = await catalog.find(name);
  return (await called?.call({}, { os: 'linux' }))?.[0]?.run;
}

test('a folder that is not there is no mistake, unless the configuration names it', async () => {
  expect(await (await open()).find(SHOP)).toBeNull();
  expect(logged).toEqual([]);
  const none = join(dataDir, 'none');
  await expect(open({ directory: none })).rejects.toThrow(
    `${none}: cannot be read: ENOENT: no such file or directory, scandir '${none}'`,
  );
  const file = join(dataDir, 'file.yaml');
  writeFileSync(file, described('shop/smoke@v1', 'one'));
  await expect(open({ directory: file })).rejects.toThrow(
    `${file}: cannot be read: ENOTDIR: not a directory, scandir '${file}'`,
  );
});

test('a folder that goes away is told once, and what was read of it stays', async () => {
  write('shop.yaml', described('shop/smoke@v1', 'one'));
  const catalog = await open({ directory: folder });
  expect(await runOf(catalog)).toBe('one');
  rmSync(folder, { recursive: true });
  expect(await runOf(catalog)).toBe('one');
  expect(await runOf(catalog)).toBe('one');
  expect(logged).toEqual([
    "error||The directory of functions FOLDER is not usable, what was read of it before stays in use: cannot be read: ENOENT: no such file or directory, scandir 'FOLDER'",
  ]);
  write('shop.yaml', described('shop/smoke@v1', 'two'));
  expect(await runOf(catalog)).toBe('two');
});

test('a file that comes, changes and goes is used as it is', async () => {
  const catalog = await open();
  expect(await runOf(catalog)).toBeUndefined();
  write('shop.yaml', described('shop/smoke@v1', 'one'));
  expect(await runOf(catalog)).toBe('one');
  write('shop.yaml', described('shop/smoke@v1', 'two'));
  expect(await runOf(catalog)).toBe('two');
  expect(logged).toEqual(['info|shop.yaml|The provider was read anew.']);
  rmSync(join(folder, 'shop.yaml'));
  expect(await runOf(catalog)).toBeUndefined();
});

test('a file that is wrong is told with the line, and the last good version and the others stay', async () => {
  write('a.yaml', described('shop/other@v1', 'other'));
  write('shop.yaml', described('shop/smoke@v1', 'one'));
  const catalog = await open();
  expect(await runOf(catalog)).toBe('one');
  write('shop.yaml', described('shop/smoke@v1', 'two').replace('steps:', 'step:'));
  expect(await runOf(catalog)).toBe('one');
  expect(await runOf(catalog, { ...SHOP, category: 'other' })).toBe('other');
  expect(logged).toEqual([
    'error|shop.yaml|The description of functions FOLDER/shop.yaml is not usable, its last good version stays in use: Not a valid description of a provider: functions[0]: unknown key "step", did you mean "steps"? (line 8).',
  ]);
});

test('a file that was never right is not used', async () => {
  write('shop.yaml', 'apiVersion: [');
  expect(await runOf(await open())).toBeUndefined();
  expect(logged[0]).toMatch(
    /^error\|shop\.yaml\|.*FOLDER\/shop\.yaml is not usable, it is not used: Not a valid YAML document: .*\(line \d/,
  );
});

test('a function of a file wins over one of the server, which the log says', async () => {
  write('pytest.yml', described('pytest/execute@v1', 'mine'));
  const catalog = await open();
  expect(await runOf(catalog, { prefix: 'pytest', category: 'execute', version: 'v1' })).toBe(
    'mine',
  );
  expect(logged).toEqual(['info|pytest.yml|The file replaces the function "pytest/execute@v1".']);
  const named = (await catalog.all()).filter(({ called }) => called.prefix === 'pytest');
  expect(named.map(({ called, origin }) => [called.category, origin])).toEqual([
    ['execute', 'file'],
    ['pytest', 'built-in'],
    ['params', 'built-in'],
  ]);
});

test('the last of two files with one function wins, by name, with a warning', async () => {
  write('a.yaml', described('shop/smoke@v1', 'first'));
  write('b.yaml', described('shop/smoke@v1', 'second'));
  expect(await runOf(await open())).toBe('second');
  expect(logged).toEqual([
    'warn||Two files describe the function "shop/smoke@v1", the last one is used.',
  ]);
});
