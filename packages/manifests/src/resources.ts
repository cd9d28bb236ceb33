/** Resources of a workflow: files, repositories, test managers (wire facts 1.9). */
import type { FromSchema, JSONSchema } from 'json-schema-to-ts';

const text = { type: 'string', minLength: 1 } as const;

/** A file that the server fetches when the run is started. */
export const fetchedFileSchema = {
  title: 'a file to fetch',
  type: 'object',
  properties: { name: text, url: { type: 'string', pattern: '^[hH][tT][tT][pP][sS]?://' } },
  required: ['name', 'url'],
  additionalProperties: true,
} as const satisfies JSONSchema;

export const repositorySchema = {
  type: 'object',
  properties: {
    name: text,
    type: { type: 'string', pattern: '^[a-z][a-z0-9]*$' },
    repository: text,
    endpoint: text,
  },
  required: ['name', 'type', 'repository', 'endpoint'],
  additionalProperties: true,
} as const satisfies JSONSchema;

export const testManagerSchema = {
  type: 'object',
  properties: { name: text, type: { type: 'string' }, testmanager: text, endpoint: text },
  required: ['name', 'type', 'testmanager', 'endpoint'],
  additionalProperties: true,
} as const satisfies JSONSchema;

export const resourcesSchema = {
  type: 'object',
  properties: {
    files: { type: 'array', items: { anyOf: [text, fetchedFileSchema] } },
    repositories: { type: 'array', items: repositorySchema },
    testmanagers: { type: 'array', items: testManagerSchema },
  },
  additionalProperties: true,
} as const satisfies JSONSchema;

export type ResourceFile = string | FetchedFile;
export type FetchedFile = FromSchema<typeof fetchedFileSchema>;
export type RepositoryResource = FromSchema<typeof repositorySchema>;
export type TestManagerResource = FromSchema<typeof testManagerSchema>;

/** The schema allows further keys, which have no effect. */
export interface Resources {
  readonly files?: readonly ResourceFile[];
  readonly repositories?: readonly RepositoryResource[];
  readonly testmanagers?: readonly TestManagerResource[];
}

/** Parts of a request with a meaning of their own, so no file can be in them (specification 4.6). */
export const TAKEN_PARTS: readonly string[] = ['workflow', 'variables', 'inputs'];

export const nameOfFile = (file: ResourceFile): string =>
  typeof file === 'string' ? file : file.name;
