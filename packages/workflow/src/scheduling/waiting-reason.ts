/** Why the requests of a class wait, as data for people and as a signature to compare. */
import type { DrainingEnvironments, WaitingReason } from '@tutti/manifests';
import type { ChannelState } from './channel-state.ts';
import type { RequestClass } from './request-class.ts';
import type { TagCensus } from './tag-census.ts';

/** The inception environment, which every server has, takes any number of jobs with this tag at once. */
export const INCEPTION_TAG = 'inception';

/** Environments that a reason names: more than these nobody reads. */
const ENVIRONMENTS_NAMED_MAX = 10;

/** Whether there is an environment, of agents or not, that takes it now. */
const isTaken = ({ hasIdleChannel, tags }: RequestClass): boolean =>
  hasIdleChannel || tags.includes(INCEPTION_TAG);

/** Null when nothing keeps it waiting. */
export function signatureOf(requestClass: RequestClass, census: TagCensus): string | null {
  if (isTaken(requestClass)) return null;
  const { taken, unreachable } = requestClass;
  // A new count of unreachable channels is no change: a flapping environment would update every waiting job.
  if (taken.size > 0) return unreachable.size > 0 ? 'busy, unreachable' : 'busy';
  if (unreachable.size > 0) return 'unreachable';
  if (requestClass.draining.size > 0) return 'draining';
  return `no-environment:${missingTags(requestClass, census).join(',')}`;
}

/** Null when nothing keeps it waiting. */
export function reasonOf(requestClass: RequestClass, census: TagCensus): WaitingReason | null {
  if (isTaken(requestClass)) return null;
  const { tags, namespace, matching } = requestClass;
  if (requestClass.taken.size > 0) {
    const environments = named(requestClass.taken).map((state) =>
      busyEnvironment(state, namespace),
    );
    const unreachable = unreachableOf(requestClass);
    return {
      ...{ reason: 'busy', tags, namespace, environments, matching },
      ...(unreachable.matching === 0 ? {} : { unreachable }),
      ...besideDraining(requestClass),
    };
  }
  if (requestClass.unreachable.size > 0) {
    const unreachable = unreachableOf(requestClass);
    const draining = besideDraining(requestClass);
    return { reason: 'unreachable', tags, namespace, ...unreachable, ...draining };
  }
  if (requestClass.draining.size > 0) {
    return { reason: 'draining', tags, namespace, ...drainingOf(requestClass) };
  }
  const missing = missingTags(requestClass, census);
  return { reason: 'no-environment', tags, namespace, missingTags: missing };
}

function missingTags(requestClass: RequestClass, census: TagCensus): readonly string[] {
  return requestClass.tags.filter((tag) => !census.isKnown(tag, requestClass.namespace));
}

function named(channels: Iterable<ChannelState>): ChannelState[] {
  const first: ChannelState[] = [];
  for (const channel of channels) {
    if (first.length === ENVIRONMENTS_NAMED_MAX) break;
    first.push(channel);
  }
  return first;
}

/** The reader may reach only the namespace of the waiting job. So jobs of others have no ids (specification part 5). */
function busyEnvironment({ channel, job }: ChannelState, namespace: string) {
  const known = job?.namespace === namespace ? job : null;
  return {
    name: channel.name,
    channel_id: channel.channelId,
    workflow_id: known?.workflowId ?? null,
    job_id: known?.jobId ?? null,
  };
}

function unreachableOf({ unreachable }: RequestClass) {
  return {
    environments: named(unreachable).flatMap(unreachableEnvironment),
    matching: unreachable.size,
  };
}

function drainingOf({ draining }: RequestClass): DrainingEnvironments {
  const environments = named(draining).map(({ channel }) => ({
    name: channel.name,
    channel_id: channel.channelId,
  }));
  return { environments, matching: draining.size };
}

const besideDraining = (requestClass: RequestClass) =>
  requestClass.draining.size === 0 ? {} : { draining: drainingOf(requestClass) };

/** A channel whose owner never said since when it is unreachable counts, but is not named. */
function unreachableEnvironment({ channel, since }: ChannelState) {
  return since === null ? [] : [{ name: channel.name, channel_id: channel.channelId, since }];
}
