/** Parts of a workflow that have no effect, here as with existing servers. The check of hooks finds those of hooks. */
import {
  defaultsSchema,
  fetchedFileSchema,
  repositorySchema,
  resourcesSchema,
  testManagerSchema,
  type WorkflowJobs,
  type WorkflowManifest,
  workflowDefaultsSchema,
} from '@tutti/manifests';
import { type DocumentPath, type Problem, unknownKeys } from '@tutti/manifests/documents';

export function ineffectiveParts(manifest: WorkflowManifest): readonly Problem[] {
  const { defaults, jobs, resources, strategy } = manifest;
  return [
    ...(strategy?.matrix === undefined ? [] : [MATRIX_OF_WORKFLOW]),
    ...inDefaults(defaults, workflowDefaultsSchema, ['defaults']),
    ...inResources(resources),
    ...inJobs(jobs, ['jobs']),
  ];
}

const MATRIX_OF_WORKFLOW: Problem = {
  path: ['strategy'],
  key: 'matrix',
  message: 'the matrix of a workflow has no effect',
  hint: 'a job can have one',
  topic: 'matrices',
  isWarning: true,
};

interface MapSchema {
  readonly properties: object;
}

function inDefaults(
  defaults: WorkflowManifest['defaults'],
  schema: MapSchema,
  path: DocumentPath,
): readonly Problem[] {
  if (defaults === undefined) return [];
  return [
    ...unknownKeys(defaults, schema, path),
    ...unknownKeys(defaults.run, defaultsSchema.properties.run, [...path, 'run']),
  ];
}

const ENTRY_SCHEMAS = {
  files: fetchedFileSchema,
  repositories: repositorySchema,
  testmanagers: testManagerSchema,
} as const;

function inResources(resources: WorkflowManifest['resources'] = {}): readonly Problem[] {
  const kinds = ['files', 'repositories', 'testmanagers'] as const;
  return [
    ...unknownKeys(resources, resourcesSchema, ['resources']),
    ...kinds.flatMap((kind) =>
      (resources[kind] ?? []).flatMap((entry, index) =>
        unknownKeys(entry, ENTRY_SCHEMAS[kind], ['resources', kind, index]),
      ),
    ),
  ];
}

function inJobs(jobs: WorkflowJobs, path: DocumentPath): readonly Problem[] {
  return Object.entries(jobs).flatMap(([name, { defaults, jobs: inside }]) => {
    if (defaults === undefined && inside === undefined) return [];
    const own = [...path, name];
    return [
      ...inDefaults(defaults, defaultsSchema, [...own, 'defaults']),
      ...inJobs(inside ?? {}, [...own, 'jobs']),
    ];
  });
}
