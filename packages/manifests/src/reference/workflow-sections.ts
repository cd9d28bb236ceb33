/** All keys of workflows, section by section. A test fails for a key of a schema without a description. */
import { fetchedFileSchema, repositorySchema, testManagerSchema } from '../resources.ts';
import {
  hookEventSchema,
  hookSchema,
  hookStepSchema,
  inputSchema,
  jobSchema,
  matrixSchema,
  outputSchema,
  stepSchema,
  variableSchema,
  workflowManifestSchema,
} from '../workflow-manifest.ts';
import { hookEventKeys, hookKeys, hookStepKeys } from './hook-keys.ts';
import { jobKeys, jobMaps } from './job-keys.ts';
import type { SectionReference } from './key-reference.ts';
import { matrixKeys } from './matrix-keys.ts';
import { fetchedFileKeys, repositoryKeys, testManagerKeys } from './resource-keys.ts';
import { stepKeys, stepMaps } from './step-keys.ts';
import { inputKeys, outputKeys, variableKeys } from './value-keys.ts';
import { workflowKeys, workflowMaps } from './workflow-keys.ts';

export const workflowSections: readonly SectionReference[] = [
  {
    name: 'workflow',
    anchor: 'workflow',
    schema: workflowManifestSchema,
    keys: workflowKeys,
    maps: workflowMaps,
  },
  { name: 'job', anchor: 'job', schema: jobSchema, keys: jobKeys, maps: jobMaps },
  { name: 'matrix', anchor: 'matrices', schema: matrixSchema, keys: matrixKeys },
  { name: 'step', anchor: 'step', schema: stepSchema, keys: stepKeys, maps: stepMaps },
  { name: 'hook', anchor: 'hooks', schema: hookSchema, keys: hookKeys },
  { name: 'event', anchor: 'events-of-hooks', schema: hookEventSchema, keys: hookEventKeys },
  { name: 'hook-step', anchor: 'steps-of-hooks', schema: hookStepSchema, keys: hookStepKeys },
  { name: 'variable', anchor: 'variables', schema: variableSchema, keys: variableKeys },
  { name: 'input', anchor: 'inputs', schema: inputSchema, keys: inputKeys },
  { name: 'output', anchor: 'outputs', schema: outputSchema, keys: outputKeys },
  { name: 'file', anchor: 'files', schema: fetchedFileSchema, keys: fetchedFileKeys },
  {
    name: 'repository',
    anchor: 'repositories',
    schema: repositorySchema,
    keys: repositoryKeys,
  },
  {
    name: 'test-manager',
    anchor: 'test-managers',
    schema: testManagerSchema,
    keys: testManagerKeys,
  },
];
