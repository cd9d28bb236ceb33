/** The checks of schemas that every run meets, as code: compiling them takes longer than all else of a short local run. */
import { createRequire } from 'node:module';
import {
  acceptedApiVersions,
  agentRegistrationSchema,
  externalEventSchemas,
  generatedJobsSchema,
  subscriptionSchema,
  withApiVersions,
  workflowManifestSchema,
} from '@tutti/manifests';
import { SCHEMA_OPTIONS } from '@tutti/manifests/documents';
import type { SchemaObject } from 'ajv/dist/2019.js';

const require = createRequire(import.meta.url);
const { Ajv2019 } = require('ajv/dist/2019.js') as typeof import('ajv/dist/2019.js');
const { default: standaloneCode } =
  require('ajv/dist/standalone') as typeof import('ajv/dist/standalone/index.js');

/** As a server asks for them whose configuration names no group of its own; others are compiled when they are needed. */
const SCHEMAS: readonly object[] = [
  withApiVersions(workflowManifestSchema, acceptedApiVersions('Workflow')),
  withApiVersions(agentRegistrationSchema, acceptedApiVersions('AgentRegistration')),
  withApiVersions(subscriptionSchema, acceptedApiVersions('Subscription')),
  generatedJobsSchema,
  ...Object.values(externalEventSchemas),
];

export interface CheckModules {
  /** The code of the module that has all checks by the text of their schemas, as `prepared-checks.ts`. */
  readonly table: string;
  /** The code of modules whose default export is one check, by their names. */
  readonly checks: ReadonlyMap<string, string>;
}

/** `prefix` begins the names of the modules, for the imports of the table. */
export function checkModules(prefix: string): CheckModules {
  const named = SCHEMAS.map((schema, index) => ({
    ...{ schema, name: `${prefix}${index}`, local: `check${index}` },
  }));
  const imports = named.map(({ name, local }) => `import ${local} from ${JSON.stringify(name)};\n`);
  const entries = named.map(
    ({ schema, local }) => `[${JSON.stringify(JSON.stringify(schema))}, ${local}],\n`,
  );
  return {
    table: `${imports.join('')}export const PREPARED_CHECKS = new Map([\n${entries.join('')}]);\n`,
    checks: new Map(named.map(({ name, schema }) => [name, checkCode(schema)])),
  };
}

/** Says whether a value fits, no more: what is wrong with one that does not is found by the library. */
function checkCode(schema: object): string {
  const ajv = new Ajv2019({
    ...SCHEMA_OPTIONS,
    allErrors: false,
    messages: false,
    code: { source: true, esm: true },
  });
  // Two descriptions of one thing: the types of the two libraries differ in optional properties only.
  return standaloneCode(ajv, ajv.compile(schema as SchemaObject));
}
