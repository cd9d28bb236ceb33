/** The checks of schemas that are built into the program take and refuse what the library does. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { SCHEMA_OPTIONS, withClosedMaps } from '@tutti/manifests/documents';
import { Ajv2019, type SchemaObject } from 'ajv/dist/2019.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkModules } from '../../scripts/build/schema-checks.ts';
import { ROOT } from './source-files.ts';

type Check = (value: unknown) => boolean;
type ExplainingCheck = Check & { readonly errors?: unknown };

const CORPUS = join(ROOT, 'tests/interop/workflows/corpus');
const WORKFLOWS: readonly { readonly jobs?: unknown }[] = readdirSync(CORPUS)
  .filter((name) => /^[^.]+\.yaml$/.test(name))
  .map((name) => parse(readFileSync(join(CORPUS, name), 'utf8')));
const ID = '0e9f0b52-0c5e-4f5c-9a50-7d6d1d1c7f01';
const OF_STEP = {
  ...{ name: 'a', workflow_id: ID, job_id: ID, step_id: 'd', step_sequence_id: 1 },
  ...{ job_origin: [], step_origin: ['e'], creationTimestamp: '2020-01-01T00:00:00' },
};
const event = (rest: object) => ({
  apiVersion: 'opentestfactory.org/v1',
  metadata: OF_STEP,
  ...rest,
});
const MORE: readonly unknown[] = [
  {
    ...{ apiVersion: 'opentestfactory.org/v1alpha1', kind: 'AgentRegistration' },
    metadata: { name: 'a', namespaces: 'x,y', version: '1.0' },
    spec: { tags: ['linux'], encoding: 'utf-8', script_path: '/tmp', liveness_probe: 2.5 },
  },
  {
    ...{ apiVersion: 'opentestfactory.org/v1', kind: 'Subscription', metadata: { name: 'a' } },
    spec: {
      selector: { matchKind: 'Workflow', matchLabels: { a: 'b' }, matchFields: { kind: 'c' } },
      subscriber: { endpoint: 'http://127.0.0.1:1/inbox', 'insecure-skip-tls-verify': true },
    },
  },
  event({ status: 0, logs: ['a'], outputs: { a: 'b' }, attachments: ['/tmp/a'], variables: {} }),
  event({ steps: [{ id: 'a', run: 'b' }], outputs: { a: 'b' } }),
  event({ jobs: { a: { 'runs-on': 'linux', steps: [{ run: 'b' }] } } }),
  event({ details: { error: 'a' } }),
  event({ spec: { logs: ['a'], worker: { worker_id: 'a', status: 'setup' } } }),
  event({ details: { reason: 'a', source: 'b' } }),
];
const WRONG: readonly unknown[] = [null, 3, '', 'x y', [], {}, ['a', 'a']];

let folder: string;
let pairs: readonly { readonly prepared: Check; readonly compiled: Check }[];
let explaining: { readonly prepared: ExplainingCheck; readonly compiled: ExplainingCheck };

beforeAll(async () => {
  folder = mkdtempSync(join(ROOT, 'node_modules', '.checks-'));
  const { table, checks } = checkModules('./check-');
  const needed =
    "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\n";
  for (const [name, code] of checks) {
    const isCommonJs = code.includes('module.exports');
    const file = join(folder, `${name}.${isCommonJs ? 'cjs' : 'mjs'}`);
    writeFileSync(file, isCommonJs ? code : needed + code);
  }
  const file = join(folder, 'table.mjs');
  const imports = table.replaceAll(/"(\.\/check-\d+)"/g, '"$1.mjs"');
  writeFileSync(file, needed + imports.replaceAll("explaining'", "explaining.cjs'"));
  const { PREPARED_CHECKS, EXPLAINING_CHECKS } = await import(pathToFileURL(file).href);
  pairs = [...(PREPARED_CHECKS as ReadonlyMap<string, Check>)].map(([text, prepared]) => {
    const schema: SchemaObject = JSON.parse(text);
    return { prepared, compiled: new Ajv2019(SCHEMA_OPTIONS).compile(schema) };
  });
  for (const [text, load] of EXPLAINING_CHECKS as ReadonlyMap<string, () => ExplainingCheck>) {
    const library = new Ajv2019({ ...SCHEMA_OPTIONS, allErrors: true, verbose: true });
    const closed = withClosedMaps(JSON.parse(text)) as SchemaObject;
    explaining = { prepared: load(), compiled: library.compile(closed) };
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The document, and each that has something wrong, or nothing, in one place of it. */
function* variants(document: unknown): Generator {
  yield document;
  if (typeof document !== 'object' || document === null) return;
  for (const [key, value] of Object.entries(document)) {
    const withOther = (other: unknown) =>
      Array.isArray(document)
        ? document.with(Number(key), other)
        : { ...document, [key]: other, ...(other === undefined ? { unknown: 1 } : {}) };
    for (const wrong of [...WRONG, undefined]) yield withOther(wrong);
    for (const variant of variants(value)) yield withOther(variant);
  }
}

describe('for each schema', () => {
  const documents = [...WORKFLOWS, ...WORKFLOWS.map(({ jobs }) => jobs), ...MORE];

  test('the same documents fit, of thousands that are right or have one mistake', () => {
    const differing = [];
    for (const document of documents.flatMap((each) => [...variants(each)])) {
      for (const { prepared, compiled } of pairs) {
        if (prepared(document) !== compiled(document)) differing.push(document);
      }
    }
    expect(differing).toEqual([]);
  });

  test('workflows have the same problems', () => {
    const { prepared, compiled } = explaining;
    const differing = [];
    let problems = 0;
    for (const document of WORKFLOWS.flatMap((each) => [...variants(each)])) {
      if (compiled(document) === prepared(document) && compiled.errors === null) continue;
      problems += 1;
      if (!isDeepStrictEqual(prepared.errors, compiled.errors)) differing.push(document);
    }
    expect(differing).toEqual([]);
    expect(problems).toBeGreaterThan(1_000);
  });

  test('some of them fit, and some do not', () => {
    const taken = pairs.map(({ prepared }) => documents.filter(prepared).length);
    for (const count of taken) {
      expect(count).toBeGreaterThan(0);
      expect(count).toBeLessThan(documents.length);
    }
  });
});
