import { Ajv2019 } from 'ajv/dist/2019.js';
import { expect, test } from 'vitest';
import { externalEventSchemas } from '../event-schemas.ts';
import * as manifests from '../index.ts';

const schemas = [
  ...Object.entries(manifests).filter(([name]) => name.endsWith('Schema')),
  ...Object.entries(externalEventSchemas),
  ...Object.entries(manifests.agentOrderSchemas),
  ...Object.entries(manifests.agentPostSchemas),
  ...Object.entries(manifests.insightSpecSchemas),
  ...Object.entries(manifests.sectionSchemas),
].map(([name, schema]) => ({ name, schema }));

test.each(schemas)(
  'the schema $name is valid, which is not looked at when it is used',
  ({ schema }) => {
    const library = new Ajv2019({ strict: false });
    if (typeof schema !== 'object') throw new Error('It is no schema.');
    const isValid = library.validateSchema(schema);
    expect([isValid, library.errors]).toEqual([true, null]);
  },
);

test('there are as many schemas as documents from outside need', () => {
  expect(schemas.length).toBeGreaterThan(30);
});
