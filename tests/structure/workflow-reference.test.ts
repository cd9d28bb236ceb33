/** The words that describe the workflow language, against its schema and docs/reference/language.md. */
import { createRequire } from 'node:module';
import { jobSchema, workflowManifestSchema } from '@tutti/manifests';
import {
  publishedWorkflowSchema,
  type SchemaNode,
  workflowSections,
} from '@tutti/manifests/reference';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { createValidator } from '../../server/src/http/validate.ts';
import { builtInFunctions } from '../../server/src/plugins/providers/local-functions.ts';
import { workflowExamples } from '../support/workflow-examples.ts';
import { withKeyTables } from './key-table.ts';
import { sectionRows } from './section-rows.ts';
import { readRepositoryFile } from './source-files.ts';

describe('packages/manifests/src/reference', () => {
  test.each(workflowSections)(
    'describes every key of the section $name, and no other',
    (section) => {
      const rows = sectionRows(section, workflowSections);
      const missing = rows.filter(({ reference }) => reference === null).map(({ path }) => path);
      expect(missing, 'keys of the schema without words').toEqual([]);
      const paths = rows.map(({ path }) => path);
      const stale = Object.keys(section.keys).filter((path) => !paths.includes(path));
      expect(stale, 'words for no key of the schema').toEqual([]);
    },
  );

  test('describes every map whose keys authors write', () => {
    expect(undescribedMaps(workflowManifestSchema)).toEqual([]);
  });

  test.each(
    workflowSections.flatMap((section) =>
      sectionRows(section, workflowSections).map((row) => ({ section: section.name, ...row })),
    ),
  )('has an example that fits, and a default of the type: $section $path', (row) => {
    const { $id: _, ...schema } = row.schema;
    const definitions = { job: jobSchema };
    const fits = new Ajv({ strict: false }).compile({ ...schema, definitions });
    const values = [row.reference?.example, row.reference?.default];
    for (const value of values.filter((each) => each !== undefined)) {
      expect(fits(value), JSON.stringify(fits.errors)).toBe(true);
    }
  });
});

/** Names of maps with `properties` that are neither a section nor within one. */
function undescribedMaps(root: SchemaNode): readonly string[] {
  const isSection = (schema: SchemaNode) => workflowSections.some((each) => each.schema === schema);
  const found: string[] = [];
  const visit = (value: unknown, path: string, isKey: boolean): void => {
    if (typeof value !== 'object' || value === null) return;
    const schema = value as SchemaNode;
    // The section around a key describes the map right below it.
    if (schema.properties !== undefined && !isKey && !isSection(schema)) found.push(path);
    for (const [keyword, child] of Object.entries(schema)) {
      if (keyword === 'properties') {
        for (const [key, each] of Object.entries(Object(child)))
          visit(each, `${path}.${key}`, true);
      } else visit(child, `${path}.${keyword}`, false);
    }
  };
  visit(root, '', true);
  return found;
}

/** Paths of keys without a description. Rules in `allOf` only say which keys go together. */
function unexplained(schema: unknown, path: string): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === 'allOf') return [];
    if (keyword !== 'properties') return unexplained(value, `${path}/${keyword}`);
    return Object.entries(Object(value)).flatMap(([key, child]) => [
      ...(Object(child).description === undefined ? [`${path}/${key}`] : []),
      ...unexplained(child, `${path}/${key}`),
    ]);
  });
}

describe('docs/reference/language.md', () => {
  /** After a change of a key or its words: `npx vitest run --project unit tests/structure/workflow-reference.test.ts -u`. */
  test('has the tables that follow from the schema', async () => {
    const document = readRepositoryFile('docs/reference/language.md');
    await expect(withKeyTables(document, workflowSections)).toMatchFileSnapshot(
      '../../docs/reference/language.md',
    );
  });

  test.each(workflowSections)(
    'has the table of the section $name, under its heading',
    ({ name, anchor }) => {
      const document = readRepositoryFile('docs/reference/language.md');
      expect(document).toContain(`<!-- keys: ${name} -->`);
      const headings = [...document.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
        title.toLowerCase().replaceAll(' ', '-'),
      );
      expect(headings).toContain(anchor);
    },
  );
});

const functions = await builtInFunctions();

describe('the published schema of workflows', () => {
  const schema = publishedWorkflowSchema(undefined, functions);
  const fits = new Ajv({ strict: true, strictRequired: false, strictTypes: false }).compile(schema);
  const oursFits = createValidator(workflowManifestSchema);

  /** After a change of a key or its words: `npx vitest run --project unit tests/structure/workflow-reference.test.ts -u`. */
  test('is a file of the package', async () => {
    await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(
      '../../packages/manifests/workflow.schema.json',
    );
  });

  test('can be imported from the package', () => {
    const path = createRequire(import.meta.url).resolve('@tutti/manifests/workflow.schema.json');
    expect(path).toMatch(/workflow\.schema\.json$/);
  });

  test('says draft 7 and who it is, and describes every key', () => {
    expect(schema).toMatchObject({
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: 'urn:tutti:workflow',
      title: 'Workflow',
      properties: {
        metadata: {
          properties: { namespace: { description: expect.any(String), default: 'default' } },
        },
        kind: { const: 'Workflow' },
      },
      definitions: {
        job: { properties: { 'timeout-minutes': { default: 360, examples: [30] } } },
        input: { properties: { type: { enum: ['string', 'number', 'boolean', 'choice'] } } },
      },
    });
  });

  test('explains every key that editors complete', () => {
    expect(unexplained(schema, '')).toEqual([]);
  });

  test.each(workflowExamples())('takes the example $place', ({ manifest }) => {
    expect(fits(manifest), JSON.stringify(fits.errors)).toBe(true);
  });

  const job = (content: object) => ({ metadata: { name: 'x' }, jobs: { a: content } });
  const steps = [{ run: 'x' }];
  test.each<[string, unknown]>([
    ['no object', []],
    ['nothing', {}],
    ['a job without steps', job({})],
    ['an unknown key', job({ steps, 'run-on': 'linux' })],
    ['a step with both run and uses', job({ steps: [{ run: 'x', uses: 'a/b' }] })],
    ['a step with neither', job({ steps: [{ name: 'x' }] })],
    ['a tag with a blank', job({ steps, 'runs-on': 'a b' })],
    ['a variable that is a number', { ...job({ steps }), variables: { A: 1 } }],
    ['a variable with an unknown key', { ...job({ steps }), variables: { A: { val: '' } } }],
    ['a time limit of 0', job({ steps, 'timeout-minutes': 0 })],
    ['another kind', { ...job({ steps }), kind: 'Job' }],
    ['an input without description', { ...job({ steps }), inputs: { a: {} } }],
    ['labels without any', { ...job({ steps }), metadata: { name: 'x', labels: {} } }],
  ])('refuses, as the server does: %s', (_, manifest) => {
    expect(fits(manifest)).toBe(false);
    expect(oursFits.problems(manifest)).not.toEqual([]);
  });
});
