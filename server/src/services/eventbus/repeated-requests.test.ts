import { type ExecutionCommandEvent, formatTimestamp } from '@tutti/manifests';
import type { Run } from '@tutti/workflow';
import { expect, test } from 'vitest';
import { repeatRequests } from './repeated-requests.ts';

const NOW_MS = Date.UTC(2026, 0, 31);

/** A waiting run with this number of jobs. */
function waiting(name: string, count: number, forMs = 60_000): Run {
  const jobs = Array.from({ length: count }, (_, index): [string, object] => [
    `${index}`,
    {
      phase: 'REQUESTED',
      jobId: `${name}-${index}`,
      requestedAt: formatTimestamp(NOW_MS - forMs),
      name: `${name}-${index}`,
      tags: [],
      origin: [],
    },
  ]);
  // Only these fields of a run are read.
  return { apiGroup: 'example.org', workflowId: name, jobs: new Map(jobs) } as unknown as Run;
}

async function asked(runs: readonly Run[], isListening: boolean): Promise<readonly string[]> {
  const names: string[] = [];
  await repeatRequests({
    bus: {
      hasInboxOfKind: (kind) => kind === 'ExecutionCommand' && isListening,
      askAgain: async ({ metadata }: ExecutionCommandEvent) => {
        names.push(metadata.name);
      },
    },
    runs: { live: () => runs },
    clock: { now: () => NOW_MS },
    ids: { random: <Id extends string>() => 'id' as Id },
  });
  return names;
}

test('all jobs that wait for an environment ask again', async () => {
  expect(await asked([waiting('a', 2), waiting('b', 1)], true)).toEqual(['a-0', 'a-1', 'b-0']);
});

test('a job that has just asked does not ask again', async () => {
  expect(await asked([waiting('a', 1, 4_999), waiting('b', 1, 5_000)], true)).toEqual(['b-0']);
});

test('without listeners nothing is asked', async () => {
  expect(await asked([waiting('a', 2)], false)).toEqual([]);
});

test('one round has a thousand requests', async () => {
  expect(await asked([waiting('a', 600), waiting('b', 600)], true)).toHaveLength(1000);
});
