/** The checks of schemas that every run needs, as code: compiling them takes longer than the rest of a short local run. */
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

/** Schemas of a server without a group of its own in its configuration; others are compiled on demand. */
const SCHEMAS: readonly object[] = [
  withApiVersions(workflowManifestSchema, acceptedApiVersions('Workflow')),
  withApiVersions(agentRegistrationSchema, acceptedApiVersions('AgentRegistration')),
  withApiVersions(subscriptionSchema, acceptedApiVersions('Subscription')),
  generatedJobsSchema,
  ...Object.values(externalEventSchemas),
];

export interface CheckModules {
  /** Code of the module with all checks, by the text of their schemas, as `prepared-checks.ts`. */
  readonly table: string;
  /** Code of modules by their names. The default export of each is one check. */
  readonly checks: ReadonlyMap<string, string>;
}

/** `prefix` begins the names of the modules in the imports of the table. */
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

/** Only returns whether a value fits. The library finds the problems of a value that does not. */
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
