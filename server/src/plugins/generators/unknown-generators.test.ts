import {
  formatTimestamp,
  type GeneratorCommandEvent,
  type JobId,
  type WorkflowId,
} from '@tutti/manifests';
import { expect, test } from 'vitest';
import { answersTo } from '../../bus/testing.ts';
import { refuseUnknownGenerators } from './unknown-generators.ts';

const command: GeneratorCommandEvent = {
  apiVersion: 'opentestfactory.org/v1alpha1',
  kind: 'GeneratorCommand',
  metadata: {
    name: 'plan',
    workflow_id: 'w' as WorkflowId,
    namespace: 'default',
    creationTimestamp: formatTimestamp(0),
    job_id: 'j' as JobId,
    job_origin: [],
    labels: { 'opentestfactory.org/category': 'plan' },
  },
  generator: 'any/plan@v1',
};

const answers = (isAnsweredElsewhere: boolean) =>
  answersTo(command, (bus) =>
    refuseUnknownGenerators({
      bus,
      clock: { now: () => 1000, timestamp: () => formatTimestamp(1000) },
      apiGroup: 'opentestfactory.org',
      isAnsweredElsewhere: () => isAnsweredElsewhere,
    }),
  );

test('a generator that nobody offers is refused by name, under the metadata of its command', async () => {
  expect(await answers(false)).toEqual([
    {
      apiVersion: 'opentestfactory.org/v1alpha1',
      kind: 'ExecutionError',
      metadata: { ...command.metadata, creationTimestamp: formatTimestamp(1000) },
      details: { error: 'No plugin offers the generator "any/plan@v1".' },
    },
  ]);
});

test('a generator that a plugin subscribed for is left to it', async () => {
  expect(await answers(true)).toEqual([]);
});
