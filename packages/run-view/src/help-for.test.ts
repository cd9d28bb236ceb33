import type { ChannelId, WaitingReason } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { helpFor } from './help-for.ts';

const TAGS = { tags: ['linux', 'gpu'], namespace: 'team' };
const NAMED = { name: 'lab-7', channel_id: 'c' as ChannelId };
const LOST = { environments: [], matching: 2 };

test.each<[WaitingReason, readonly string[]]>([
  [
    { reason: 'no-environment', ...TAGS, missingTags: ['gpu'] },
    [
      'An environment with "linux", "gpu" in namespace "team": start an agent there with `--tags linux,gpu`.',
      'Other tags in `runs-on` of the job.',
    ],
  ],
  [
    { reason: 'no-environment', tags: [], namespace: 'team', missingTags: [] },
    ['An environment in namespace "team": start an agent there.'],
  ],
  [
    {
      reason: 'busy',
      ...TAGS,
      environments: [{ ...NAMED, workflow_id: null, job_id: null }],
      matching: 4,
      unreachable: LOST,
      draining: { environments: [], matching: 1 },
    },
    [
      'One more environment with "linux", "gpu", or the end of a job on one of them.',
      '`tutti agents undrain` for 1 draining environment.',
      'The return of 2 environments that the server cannot reach.',
    ],
  ],
  [
    { reason: 'unreachable', ...TAGS, ...LOST },
    ['The return of 2 environments that the server cannot reach.'],
  ],
  [
    { reason: 'draining', ...TAGS, ...LOST },
    ['`tutti agents undrain` for 2 draining environments.'],
  ],
  [
    { reason: 'max-parallel', limit: 2, running: 2 },
    ['A larger `max-parallel` than 2, or the end of a job beside it.'],
  ],
])('%j would end with %j', (reason, help) => {
  expect(helpFor(reason)).toEqual(help);
});
