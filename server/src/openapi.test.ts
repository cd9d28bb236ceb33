import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningServer, startServer } from './main.ts';
import { loadConfig } from './runtime/config.ts';
import { FIRST_SEGMENTS } from './runtime/service-addresses.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'tutti-openapi-'));

let server: RunningServer;
let text: string;
let headers: Readonly<Record<string, string>>;

beforeAll(async () => {
  const options = { port: 0, dataDir, logLevel: 'silent' } as const;
  server = await startServer(loadConfig({ env: {}, options }));
  const token = readFileSync(join(dataDir, 'admin.token'), 'utf8').trim();
  headers = { authorization: `Bearer ${token}` };
  text = await (await fetch(`${server.url}/openapi.json`, { headers })).text();
});

afterAll(async () => {
  await server.stop();
  rmSync(dataDir, { recursive: true });
});

/** After a change of the interface: `npx vitest run --project unit server/src/openapi.test.ts -u`. */
// HTTP 8: A quality gate waits for 8 seconds.
// HTTP 9: Paths have no version.
test('openapi.json describes the interface as it is', async () => {
  await expect(text).toMatchFileSnapshot('../../openapi.json');
});

interface Found {
  /** Path of keys from the top of the document. */
  readonly path: readonly string[];
  readonly value: Readonly<Record<string, unknown>>;
}

/** Every object in the document. */
function* objectsIn(value: unknown, path: readonly string[] = []): Generator<Found> {
  if (typeof value !== 'object' || value === null) return;
  yield { path, value: { ...value } };
  for (const [key, inside] of Object.entries(value)) yield* objectsIn(inside, [...path, key]);
}

const pointer = (path: readonly string[]): string =>
  path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Validators by the schemas at places of the document. */
function createValidators() {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: 'doc:openapi', ...JSON.parse(text) });
  return (path: readonly string[]) =>
    ajv.compile({ $ref: `doc:openapi#${encodeURI(pointer(path))}` });
}

describe('the description', () => {
  const operations = () =>
    [...objectsIn(JSON.parse(text))].filter(
      ({ path }) => path.length === 3 && path[0] === 'paths' && path[2] !== 'parameters',
    );

  test('has every operation under a name of its own', () => {
    const ids = operations().map(({ value }) => value.operationId);
    for (const id of ids) expect(id).toMatch(/^[a-z]\w+$/);
    expect(new Set(ids).size).toBe(ids.length);
  });

  // HTTP 1: Every component answers under one base address.
  test('says of every operation what it is, what it answers, and that it needs a token', () => {
    for (const { path, value } of operations()) {
      expect(value, path.join(' ')).toMatchObject({
        summary: expect.any(String),
        tags: [expect.any(String)],
        responses: { default: expect.anything() },
      });
      expect(value.responses).toHaveProperty('401');
    }
  });

  test('has examples that fit their schemas', () => {
    const examples = [...objectsIn(JSON.parse(text))].filter(
      ({ value }) => 'schema' in value && 'example' in value,
    );
    expect(examples.length).toBeGreaterThan(40);
    const validatorAt = createValidators();
    for (const { path, value } of examples) {
      const validate = validatorAt([...path, 'schema']);
      validate(value.example);
      expect(validate.errors ?? [], path.join(' ')).toEqual([]);
    }
  });

  test('has paths that begin as no prefix of a service may', () => {
    const segments = Object.keys(JSON.parse(text).paths).map((path) => path.split('/')[1]);
    expect(new Set([...segments, 'openapi.json', 'docs'])).toEqual(new Set(FIRST_SEGMENTS));
  });

  test('has references and links that lead somewhere', () => {
    const document = JSON.parse(text);
    const ids = new Set(operations().map(({ value }) => value.operationId));
    for (const { path, value } of objectsIn(document)) {
      if (typeof value.$ref === 'string') {
        const [, , part = '', name = ''] = value.$ref.split('/');
        expect(document, path.join(' ')).toHaveProperty(['components', part, name]);
      }
      if (path.at(-2) === 'links') expect(ids).toContain(value.operationId);
    }
  });
});

describe('GET /openapi.html', () => {
  const page = async () => {
    const response = await fetch(`${server.url}/openapi.html`, { headers });
    return { answer: response.headers, html: await response.text() };
  };

  test('shows every operation, to whom it concerns', async () => {
    const { answer, html } = await page();
    expect(answer.get('content-type')).toBe('text/html; charset=utf-8');
    for (const { value } of objectsIn(JSON.parse(text))) {
      if (typeof value.operationId !== 'string' || 'parameters' in value === false) continue;
      if (Array.isArray(value.parameters)) expect(html).toContain(`id="${value.operationId}"`);
    }
  });

  test('loads nothing, runs nothing, and allows itself no more than its own style', async () => {
    const { answer, html } = await page();
    expect(html).not.toMatch(/<script|<link|<img|<iframe|\bsrc=|\bon\w+=|https?:\/\/(?!127)/i);
    expect(answer.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
  });
});
