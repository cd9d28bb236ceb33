/**
 * An agent: a process that registered and polls. It is one channel, so it runs one job at a time.
 *
 * What is known of it beyond its registration lives in memory only and is found out again after a restart: the poll that waits,
 * whether it is silent, whether it polls while a command runs (asynchronous mode).
 */
import {
  AGENT_PROTOCOL,
  type AgentId,
  type AgentOrder,
  type AgentRegistration,
  type ChannelId,
  type ChannelOs,
  type JobId,
  type Timestamp,
} from '@tutti/manifests';
import { epochMs } from '@tutti/workflow';
import type { HeldToken } from '../../auth/held-tokens.ts';
import type { Command, JobSession } from './job-session.ts';
import { identityOf, type Registrant } from './registrant.ts';
import { createRhythm, type Rhythm } from './rhythm.ts';

/** An order on its way to an agent. */
export interface Handout {
  readonly order: AgentOrder;
  /**
   * The agent cannot tell later whether it got the order: so the delivery must be durable before, and the order must not be given
   * again once a byte of it may have been sent.
   */
  readonly isOnce: boolean;
  /** As if the order had not been given; it is given again at the next poll. */
  takeBack(): void;
}

/** What an agent says of itself in a poll; existing agents say nothing. */
export interface Poll {
  /** The last command it accepted. */
  readonly last: string | null;
  /** The command it runs now. */
  readonly running: string | null;
}

/**
 * A poll that is held. `answer` is called once, with an order (that may still be made durable) or with null for 204. What it said of
 * commands is brought up to date by what the agent posts meanwhile.
 */
export interface Waiter {
  last: string | null;
  running: string | null;
  readonly answer: (handout: Handout | null | Promise<Handout>) => void;
}

export interface Agent {
  readonly id: AgentId;
  readonly registration: AgentRegistration;
  readonly createdAt: Timestamp;
  /** Null for one that registered with an earlier version of the server. */
  readonly registrant: Registrant | null;
  /** See `identityOf`. */
  readonly identity: string | null;
  /** The agent that it seems to be, started again. */
  readonly replaces: AgentId | null;
  /** Speaks protocol `tutti.v1`. */
  readonly isOurs: boolean;
  waiter: Waiter | null;
  session: JobSession | null;
  /** From when on its silence counts, by the monotonic clock: its last contact, or the start of the server where that was later; later by the time for which the server stood still since. */
  lastContactMs: number;
  /** The time of day at which it was last heard of, as far as that is known; for readers only. */
  heardAtMs: number;
  /** Number of answers to its requests by HTTP code, since the server started; see answer-counts.ts. */
  readonly answers: Map<number, number>;
  /** Since when one of our own agents has no poll open, by the monotonic clock as all times below; null while it polls. */
  disconnectedAtMs: number | null;
  unreachableSince: Timestamp | null;
  /** Another agent seems to be this one, started again: it counts as gone after this time, unless it is heard of. */
  replacement: { readonly atMs: number; readonly patienceSeconds: number } | null;
  /** Since when it takes no further job, as somebody asked; null while it takes jobs. */
  drainingSince: Timestamp | null;
  /** An offer of its channel is on its way to a run. */
  isOffered: boolean;
  /** A command that nobody waits for any more, which the agent may still be running. */
  abandoned: string | null;
  /** The job that was given up last, with the sentence about it, and whether a step of the job has said it. */
  lostJob: { readonly jobId: JobId; readonly why: string; isTold: boolean } | null;
  /**
   * Releases of jobs that were given up while it was away, the oldest first: they remove what these jobs left there. Nobody else waits for them. Of
   * our own agents alone.
   */
  readonly owed: Command[];
  /** The command whose result came last; a poll that was opened before says that it still runs. */
  lastResult: string | null;
  /** The answer to a result that is being stored may have the next command, which then waits for it. */
  takesInAnswer: boolean;
  /** The command of a job that is over which the agent was told to stop. */
  strayTold: { readonly commandId: string; readonly atMs: number } | null;
  /** Since when the operator that speaks for it should ask once more for the job that is over; null while it need not. */
  leavingSinceMs: number | null;
  /** Taken to poll while a command runs. */
  isAsync: boolean;
  /** The token that it came with last; null before it was heard of, and once that token does not count any more. */
  token: HeldToken | null;
  /** What the polls and posts of an existing agent tell of it. */
  readonly rhythm: Rhythm;
}

/** What outlives the server of a registration. */
export interface AgentRecord {
  readonly registration: AgentRegistration;
  readonly createdAt: Timestamp;
  readonly registrant?: Registrant;
  readonly replaces?: AgentId;
}

export function createAgent(id: AgentId, record: AgentRecord, nowMs: number): Agent {
  const { registration, createdAt, registrant = null, replaces = null } = record;
  return {
    id,
    registration,
    createdAt,
    registrant,
    identity: identityOf(registration, registrant),
    replaces,
    isOurs: registration.spec.protocol === AGENT_PROTOCOL,
    waiter: null,
    session: null,
    lastContactMs: nowMs,
    heardAtMs: epochMs(createdAt),
    answers: new Map(),
    disconnectedAtMs: null,
    unreachableSince: null,
    replacement: null,
    drainingSince: null,
    isOffered: false,
    abandoned: null,
    lostJob: null,
    owed: [],
    lastResult: null,
    takesInAnswer: false,
    strayTold: null,
    leavingSinceMs: null,
    isAsync: false,
    token: null,
    rhythm: createRhythm(!registration.metadata.version, nowMs),
  };
}

/** An agent is its only channel. */
export const channelIdOf = (agent: Agent): ChannelId => agent.id as string as ChannelId;

export function osOf(agent: Agent): ChannelOs {
  const { tags } = agent.registration.spec;
  return tags.includes('windows') ? 'windows' : tags.includes('macos') ? 'macos' : 'linux';
}

/** Namespaces as they are matched: absent and empty both mean `default`. */
export const namespacesOf = (agent: Agent): string =>
  agent.registration.metadata.namespaces || 'default';

/** Script directory on the agent, if it said one. */
export const rootOf = (agent: Agent): string | null => agent.registration.spec.script_path || null;

/**
 * An operator speaks for it, and runs its commands in environments that it makes for each job: agents say where their scripts are,
 * operators do not.
 */
export const isOperated = (agent: Agent): boolean => !agent.isOurs && rootOf(agent) === null;

/** Versions before 1.9, and agents that tell none, know `put` and `exec` only. */
export function canRun(agent: Agent): boolean {
  if (agent.isOurs) return true;
  const [major = 0, minor = 0] = (agent.registration.metadata.version ?? '')
    .split('.')
    .map((part) => Number.parseInt(part, 10) || 0);
  return major > 1 || (major === 1 && minor >= 9);
}
