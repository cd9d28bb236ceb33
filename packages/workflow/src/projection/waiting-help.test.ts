import type { ChannelId, Timestamp, WaitingReason, WorkflowId } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { describeHelp } from './waiting-help.ts';

const asked = { tags: ['gpu', 'linux'], namespace: 'qa' };
const channel = { name: 'box', channel_id: 'c' as ChannelId };
const since = '2026-01-31T12:00:00.000000' as Timestamp;

const SENTENCES: readonly (readonly [WaitingReason, string])[] = [
  [
    { reason: 'no-environment', ...asked, missingTags: ['gpu'] },
    'Start an agent with tags "gpu", "linux" for namespace "qa", or correct runs-on.',
  ],
  [
    { reason: 'no-environment', tags: [], namespace: 'qa', missingTags: [] },
    'Start an agent for namespace "qa".',
  ],
  [
    { reason: 'busy', ...asked, tags: ['gpu'], environments: [], matching: 1 },
    'Start one more agent with tag "gpu" for namespace "qa", or wait for the end of a job.',
  ],
  [
    { reason: 'unreachable', ...asked, environments: [{ ...channel, since }], matching: 1 },
    'Look at environment box: is the agent started, and does it reach the server?',
  ],
  [
    { reason: 'unreachable', ...asked, environments: [], matching: 2 },
    'Look at the environments: is the agent started, and does it reach the server?',
  ],
  [
    { reason: 'draining', ...asked, environments: [channel], matching: 3 },
    'Take environments box and 2 more back into service with "tutti agents undrain", or start another agent with tags "gpu", "linux".',
  ],
  [
    { reason: 'max-parallel', limit: 2, running: 2 },
    'Wait for the end of a job of this run, or raise max-parallel above 2.',
  ],
  [
    { reason: 'concurrency', group: 'lab', heldBy: 'w1' as WorkflowId },
    'Wait for the end of workflow w1, or cancel it.',
  ],
  [
    { reason: 'concurrency', group: 'lab', heldBy: 'w1' as WorkflowId, heldByJob: 'a' },
    'Wait for the end of job "a", or cancel it.',
  ],
];

test.each(SENTENCES)('what would help: %o', (reason, sentence) => {
  expect(describeHelp(reason)).toBe(sentence);
});
