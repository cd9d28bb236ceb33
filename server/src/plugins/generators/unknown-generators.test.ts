import {
  formatTimestamp,
  type GeneratorCommandEvent,
  type JobId,
  type WorkflowId,
} from '@tutti/manifests';
import { expect, test } from 'vitest';
import type { EventBus } from '../../bus/bus.ts';
import { answersGivenUp, answersTo } from '../../bus/testing.ts';
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

const listen =
  (isAnsweredElsewhere: boolean, labels: readonly Readonly<Record<string, string>>[] = []) =>
  (bus: Pick<EventBus, 'publish' | 'subscribeDurably'>) =>
    refuseUnknownGenerators({
      bus,
      clock: { now: () => 1000, timestamp: () => formatTimestamp(1000), monotonicMs: () => 1000 },
      apiGroup: 'opentestfactory.org',
      isAnsweredElsewhere: () => isAnsweredElsewhere,
      labelsElsewhere: () => labels,
    });

const answers = (isAnsweredElsewhere: boolean) => answersTo(command, listen(isAnsweredElsewhere));

test('a generator that cannot even be refused is an error of the run all the same', async () => {
  expect(await answersGivenUp(command, listen(false))).toMatchObject([
    {
      kind: 'ExecutionError',
      metadata: { job_id: 'j' },
      details: {
        error: `The generator "any/plan@v1" failed: internal error, see the server's log.`,
      },
    },
  ]);
});

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

test('a generator that is spelt like one that a plugin offers is refused with the name of that', async () => {
  const label = (category: string, prefix: string) => ({
    'opentestfactory.org/category': category,
    'opentestfactory.org/categoryPrefix': prefix,
    'opentestfactory.org/categoryVersion': 'v1',
  });
  const offered = [label('play', 'any'), label('other', 'any')];
  expect(await answersTo(command, listen(false, offered))).toMatchObject([
    {
      details: {
        error: 'No plugin offers the generator "any/plan@v1", did you mean "any/play@v1"?',
      },
    },
  ]);
});

test('a generator that a plugin subscribed for is left to it', async () => {
  expect(await answers(true)).toEqual([]);
});
