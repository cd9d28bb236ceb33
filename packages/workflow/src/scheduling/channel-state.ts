/** A channel as the pool keeps it, and what of it can be reached from where. */
import type { Timestamp } from '@tutti/manifests';
import type { ChannelJob, ChannelPhase, PoolChannel, PooledChannel } from './pool-types.ts';

const DEFAULT_NAMESPACE = 'default';

/** The state of a channel that request classes count. */
export interface ChannelPlace {
  phase: ChannelPhase;
  job: ChannelJob | null;
  /** The channel takes no further job. */
  isDraining: boolean;
}

export interface ChannelState extends ChannelPlace {
  channel: PoolChannel;
  tags: ReadonlySet<string>;
  namespaces: ReadonlySet<string>;
  since: Timestamp | null;
}

export function createChannelState(channel: PoolChannel): ChannelState {
  return {
    channel,
    tags: new Set(channel.tags),
    namespaces: parseNamespaces(channel.namespaces),
    phase: 'IDLE',
    job: null,
    since: null,
    isDraining: false,
  };
}

/** A set that holds `*` when all namespaces have access. */
export function parseNamespaces(text: string): ReadonlySet<string> {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return new Set(names.length === 0 ? [DEFAULT_NAMESPACE] : names);
}

export function canServe(state: ChannelState, tags: readonly string[], namespace: string): boolean {
  const accessible = state.namespaces.has('*') || state.namespaces.has(namespace);
  return accessible && tags.every((tag) => state.tags.has(tag));
}

export function describeChannel(state: ChannelState): PooledChannel {
  const { channel, phase, job, since, isDraining } = state;
  return { ...channel, phase, job, since, isDraining };
}
