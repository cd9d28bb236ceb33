/** The checks of schemas that every run needs, as code. Compiling them takes longer than the rest of a short local run. */
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
import { SCHEMA_OPTIONS, withClosedMaps } from '@tutti/manifests/documents';
import type { Options, SchemaObject } from 'ajv/dist/2019.js';

const require = createRequire(import.meta.url);
const { Ajv2019 } = require('ajv/dist/2019.js') as typeof import('ajv/dist/2019.js');
const { default: standaloneCode } =
  require('ajv/dist/standalone') as typeof import('ajv/dist/standalone/index.js');

/** The schema of workflows, as authors and servers check them. */
export const WORKFLOW: object = withApiVersions(
  workflowManifestSchema,
  acceptedApiVersions('Workflow'),
);

/** Schemas of a server without a group of its own in its configuration; others are compiled on demand. */
const SCHEMAS: readonly object[] = [
  WORKFLOW,
  withApiVersions(agentRegistrationSchema, acceptedApiVersions('AgentRegistration')),
  withApiVersions(subscriptionSchema, acceptedApiVersions('Subscription')),
  generatedJobsSchema,
  ...Object.values(externalEventSchemas),
];

export interface CheckModules {
  /** Code of the module with all checks, by the text of their schemas, as `prepared-checks.ts`. */
  readonly table: string;
  /** Code of modules by their names. Each exports one check. */
  readonly checks: ReadonlyMap<string, string>;
}

/** `prefix` begins the names of the modules in the imports of the table. */
export function checkModules(prefix: string, schemas = SCHEMAS): CheckModules {
  const named = schemas.map((schema, index) => ({
    ...{ schema, name: `${prefix}${index}`, local: `check${index}` },
  }));
  const imports = named.map(({ name, local }) => `import ${local} from ${JSON.stringify(name)};\n`);
  const entries = named.map(({ schema, local }) => `[${textOf(schema)}, ${local}],\n`);
  const explaining = `${prefix}explaining`;
  return {
    table: `${imports.join('')}
export const PREPARED_CHECKS = new Map([\n${entries.join('')}]);
export const EXPLAINING_CHECKS = new Map([[${textOf(WORKFLOW)}, () => require('${explaining}')]]);
`,
    checks: new Map([
      ...named.map(({ name, schema }) => [name, fittingCode(schema)] as const),
      [explaining, explainingCode(WORKFLOW)],
    ]),
  };
}

const textOf = (schema: object): string => JSON.stringify(JSON.stringify(schema));

/** Only returns whether a value fits. */
function fittingCode(schema: object): string {
  const options = { allErrors: false, messages: false, code: { source: true, esm: true } };
  return checkCode(schema, options);
}

/** Finds all problems of a value. A module of this form runs with its first use. */
function explainingCode(schema: object): string {
  // Closing maps leaves a schema a schema.
  const closed = withClosedMaps(schema as SchemaObject) as SchemaObject;
  return checkCode(closed, { allErrors: true, verbose: true, code: { source: true } });
}

function checkCode(schema: object, options: Options): string {
  const ajv = new Ajv2019({ ...SCHEMA_OPTIONS, ...options });
  // Two descriptions of one thing: the types of the two libraries differ in optional properties only.
  return standaloneCode(ajv, ajv.compile(schema as SchemaObject));
}
