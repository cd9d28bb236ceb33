import type { ChannelId, JobId, Timestamp, WaitingReason, WorkflowId } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { describeWaiting } from './waiting-sentence.ts';

const namespace = 'qa';
const channel_id = 'cccccccc-2222-4333-8444-555555555555' as ChannelId;
const job = '11111111-2222-4333-8444-555555555555' as JobId;
const workflow = 'aaaaaaaa-2222-4333-8444-555555555555' as WorkflowId;
const since = '2026-01-31T12:34:56.123456' as Timestamp;
const agent = { name: 'agent-1', channel_id };

test.each<[reason: WaitingReason, sentence: string]>([
  [
    { reason: 'no-environment', tags: ['linux', 'y'], namespace, missingTags: ['y'] },
    'no environment with tag "y" in namespace "qa" exists',
  ],
  [
    { reason: 'no-environment', tags: ['x', 'y'], namespace, missingTags: ['x', 'y'] },
    'no environment with tags "x", "y" in namespace "qa" exists',
  ],
  [
    { reason: 'no-environment', tags: ['x', 'y'], namespace, missingTags: [] },
    'no environment in namespace "qa" has all of the tags "x", "y"',
  ],
  [
    { reason: 'no-environment', tags: [], namespace, missingTags: [] },
    'no environment in namespace "qa" exists',
  ],
  [
    {
      reason: 'busy',
      tags: ['linux'],
      namespace,
      environments: [{ ...agent, workflow_id: workflow, job_id: job }],
      matching: 1,
    },
    `the only environment with tag "linux" in namespace "qa" is busy (agent-1 with job ${job} of workflow ${workflow})`,
  ],
  [
    {
      reason: 'busy',
      tags: ['linux', 'x'],
      namespace,
      environments: [
        { ...agent, workflow_id: null, job_id: job },
        { ...agent, name: 'agent-2', workflow_id: null, job_id: null },
      ],
      matching: 5,
    },
    `all 5 environments with tags "linux", "x" in namespace "qa" are busy (agent-1 with job ${job}; agent-2; and 3 more)`,
  ],
  [
    { reason: 'busy', tags: [], namespace, environments: [], matching: 2 },
    'all 2 environments in namespace "qa" are busy',
  ],
  [
    {
      reason: 'busy',
      tags: ['linux'],
      namespace,
      environments: [{ ...agent, workflow_id: null, job_id: null }],
      matching: 3,
      unreachable: { environments: [{ ...agent, name: 'agent-2', since }], matching: 1 },
    },
    'of 3 environments with tag "linux" in namespace "qa", 2 are busy (agent-1; and 1 more) and 1 is unreachable (agent-2 since 2026-01-31T12:34:56)',
  ],
  [
    {
      reason: 'unreachable',
      tags: ['linux'],
      namespace,
      environments: [{ ...agent, since }],
      matching: 1,
    },
    'the only environment with tag "linux" in namespace "qa" is unreachable (agent-1 since 2026-01-31T12:34:56)',
  ],
  [{ reason: 'max-parallel', limit: 2, running: 2 }, 'max-parallel 2 reached (2 jobs running)'],
  [{ reason: 'max-parallel', limit: 1, running: 1 }, 'max-parallel 1 reached (1 job running)'],
  [
    { reason: 'draining', tags: ['linux'], namespace, environments: [agent], matching: 1 },
    'the only environment with tag "linux" in namespace "qa" is draining (agent-1)',
  ],
  [
    {
      reason: 'unreachable',
      tags: [],
      namespace,
      environments: [{ ...agent, since }],
      matching: 1,
      draining: { environments: [agent], matching: 2 },
    },
    'of 3 environments in namespace "qa", 1 is unreachable (agent-1 since 2026-01-31T12:34:56) and 2 are draining (agent-1; and 1 more)',
  ],
  [
    {
      reason: 'busy',
      tags: ['linux'],
      namespace,
      environments: [{ ...agent, workflow_id: null, job_id: null }],
      matching: 3,
      unreachable: { environments: [{ ...agent, since }], matching: 1 },
      draining: { environments: [agent], matching: 1 },
    },
    'of 3 environments with tag "linux" in namespace "qa", 1 is busy (agent-1), 1 is unreachable (agent-1 since 2026-01-31T12:34:56) and 1 is draining (agent-1)',
  ],
  [
    { reason: 'concurrency', group: 'g', heldBy: workflow },
    `concurrency group "g" is held by workflow ${workflow}`,
  ],
  [
    { reason: 'concurrency', group: 'g', heldBy: workflow, heldByJob: 'a' },
    'concurrency group "g" is held by job "a" of this workflow',
  ],
  [
    {
      reason: 'busy',
      tags: [],
      namespace,
      environments: [{ ...agent, workflow_id: workflow, job_id: job, job_name: 'a' }],
      matching: 1,
    },
    'the only environment in namespace "qa" is busy (agent-1 with job "a" of this workflow)',
  ],
])('%#: a reason is one sentence', (reason, sentence) => {
  expect(describeWaiting(reason, 'x')).toBe(`Job "x" waits: ${sentence}.`);
  expect(describeWaiting(reason, null)).toBe(`Workflow waits: ${sentence}.`);
});
