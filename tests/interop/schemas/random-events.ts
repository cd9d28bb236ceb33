/** Workflows, and answers of generators and providers, with anything that the server accepts in them. */
import type { LoggedEvent, WorkflowManifest } from '@tutti/manifests';
import * as ajv from 'ajv/dist/2019.js';
import fc from 'fast-check';
import { randomWorkflow } from '../../../packages/workflow/src/validation/testing/random-workflow.ts';
import { repaired } from '../../../packages/workflow/src/validation/testing/repaired.ts';
import { createWorkflowCheck } from '../../../packages/workflow/src/validation/workflow-problems.ts';

export const GENERATIONS = ['v1alpha1', 'v1beta1', 'v1'].map(
  (version) => `opentestfactory.org/${version}`,
);

export function randomEvents(numRuns: number, seed: number): readonly LoggedEvent[] {
  const check = createWorkflowCheck(() => ajv);
  return fc.sample(randomWorkflow, { numRuns, seed }).flatMap((value) => {
    const manifest = repaired(value, check);
    return manifest === null ? [] : eventsOf(manifest);
  });
}

function eventsOf(manifest: WorkflowManifest): readonly LoggedEvent[] {
  const { metadata: given, jobs, hooks = [], outputs } = manifest;
  const metadata = {
    ...given,
    workflow_id: 'w',
    job_id: 'j',
    job_origin: [],
    step_id: 's',
    step_origin: [],
  };
  const answer = {
    apiVersion: 'opentestfactory.org/v1alpha1',
    metadata,
    ...(outputs && { outputs }),
  };
  const steps = Object.values(jobs).flatMap((job) => job.steps ?? []);
  // As the log has them, but for the ids, which are any text in the schemas.
  return [
    { ...manifest, apiVersion: 'opentestfactory.org/v1beta1', kind: 'Workflow', metadata },
    { ...answer, kind: 'GeneratorResult', jobs },
    { ...answer, kind: 'ProviderResult', steps, hooks },
  ] as unknown as readonly LoggedEvent[];
}
