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
  get: (_, level) => (fields: { file?: string; err?: Error }, message: string) => {
    const file = fields.file?.slice(folder.length + 1) ?? '';
    logged.push([String(level), file, message, fields.err?.message ?? ''].join('|'));
  },
});

const open = (providers: ServerConfig['providers'] = {}): ProviderCatalog =>
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

test('a folder that is not there is no mistake, unless somebody named it', async () => {
  expect(await open().find(SHOP)).toBeNull();
  expect(logged).toEqual([]);
  await open({ directory: join(dataDir, 'none') }).find(SHOP);
  expect(logged).toEqual([
    expect.stringContaining('error||The folder of providers cannot be read.'),
  ]);
});

test('a file that comes, changes and goes is used as it is', async () => {
  const catalog = open();
  expect(await runOf(catalog)).toBeUndefined();
  write('shop.yaml', described('shop/smoke@v1', 'one'));
  expect(await runOf(catalog)).toBe('one');
  write('shop.yaml', described('shop/smoke@v1', 'two'));
  expect(await runOf(catalog)).toBe('two');
  expect(logged).toEqual(['info|shop.yaml|The provider was read anew.|']);
  rmSync(join(folder, 'shop.yaml'));
  expect(await runOf(catalog)).toBeUndefined();
});

test('a file that is wrong is told with the line, and the last good version and the others stay', async () => {
  write('a.yaml', described('shop/other@v1', 'other'));
  write('shop.yaml', described('shop/smoke@v1', 'one'));
  const catalog = open();
  expect(await runOf(catalog)).toBe('one');
  write('shop.yaml', described('shop/smoke@v1', 'two').replace('steps:', 'step:'));
  expect(await runOf(catalog)).toBe('one');
  expect(await runOf(catalog, { ...SHOP, category: 'other' })).toBe('other');
  expect(logged).toEqual([
    'error|shop.yaml|The description of a provider is not valid, its last good version stays in use. "tutti validate FILE" shows what is wrong.|Not a valid description of a provider: functions[0]: unknown key "step", did you mean "steps"? (line 8).',
  ]);
});

test('a file that was never right is not used', async () => {
  write('shop.yaml', 'apiVersion: [');
  expect(await runOf(open())).toBeUndefined();
  expect(logged[0]).toMatch(/^error\|shop\.yaml\|.* it is not used\./);
});

test('a function of a file wins over one of the server, which the log says', async () => {
  write('pytest.yml', described('pytest/execute@v1', 'mine'));
  const catalog = open();
  expect(await runOf(catalog, { prefix: 'pytest', category: 'execute', version: 'v1' })).toBe(
    'mine',
  );
  expect(logged).toEqual(['info|pytest.yml|The file replaces the function "pytest/execute@v1".|']);
  const named = (await catalog.all()).filter(({ called }) => called.prefix === 'pytest');
  expect(named.map(({ called, origin }) => [called.category, origin])).toEqual([
    ['execute', 'file'],
    ['pytest', 'built-in'],
    ['params', 'built-in'],
  ]);
});

test('of two files with one function the last one by name wins, which is a warning', async () => {
  write('a.yaml', described('shop/smoke@v1', 'first'));
  write('b.yaml', described('shop/smoke@v1', 'second'));
  expect(await runOf(open())).toBe('second');
  expect(logged).toEqual([
    'warn||Two files describe the function "shop/smoke@v1", the last one is used.|',
  ]);
});
