import {
  formatTimestamp,
  type GeneratorCommandEvent,
  type JobId,
  type RunEvent,
  type WorkflowId,
} from '@tutti/manifests';
import { expect, test } from 'vitest';
import type { EventBus } from '../../bus/bus.ts';
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

/** What is published when the command is heard. */
async function answers(isAnsweredElsewhere: boolean): Promise<readonly RunEvent[]> {
  const published: RunEvent[] = [];
  const calls: Promise<void>[] = [];
  const bus: Pick<EventBus, 'publish' | 'subscribeDurably'> = {
    publish: async (event) => {
      published.push(event);
      return { outcome: 'accepted' };
    },
    subscribeDurably: (_name, kind, filter, handler) => {
      const event = command as Parameters<typeof filter>[0];
      if (kind !== 'GeneratorCommand' || !filter(event)) return;
      calls.push(handler(event, new AbortController().signal));
    },
  };
  refuseUnknownGenerators({
    bus,
    clock: { now: () => 1000, timestamp: () => formatTimestamp(1000) },
    apiGroup: 'opentestfactory.org',
    isAnsweredElsewhere: () => isAnsweredElsewhere,
  });
  await Promise.all(calls);
  return published;
}

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
