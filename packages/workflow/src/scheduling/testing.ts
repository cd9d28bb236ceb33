/** Short ways to make channels and requests, for the tests of the pool. */
import type { ChannelId, JobId, WorkflowId } from '@tutti/manifests';
import type { PoolChannel, PoolRequest } from './pool-types.ts';

export const channelId = (name: string): ChannelId => name as ChannelId;
export const jobId = (name: string): JobId => name as JobId;
export const workflowId = (name: string): WorkflowId => name as WorkflowId;

/** `tags` are separated by blanks. */
export function channel(name: string, tags: string, namespaces = ''): PoolChannel {
  return { channelId: channelId(name), handlerId: 'handler', name, namespaces, tags: words(tags) };
}

let age = 0;

/** Each request is younger than the one before. */
export function request(
  name: string,
  tags: string,
  more: { namespace?: string; order?: number } = {},
): PoolRequest {
  age += 1;
  return {
    jobId: jobId(name),
    workflowId: workflowId(`run of ${name}`),
    jobName: name,
    namespace: more.namespace ?? 'default',
    tags: words(tags),
    order: more.order ?? age,
  };
}

function words(text: string): readonly string[] {
  return text.split(' ').filter((word) => word !== '');
}
