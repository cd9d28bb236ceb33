/**
 * An agent: a process that registered and polls. It is one channel, so it runs one job at a time.
 *
 * What is known of it beyond its registration lives in memory only and is found out again after a restart: the poll that waits,
 * whether it is silent, whether it polls while a command runs (asynchronous mode).
 */
import {
  type AgentId,
  type AgentOrder,
  type AgentRegistration,
  type ChannelId,
  type ChannelOs,
  formatTimestamp,
  type JobId,
  type Timestamp,
} from '@tutti/manifests';
import { type ChannelPool, epochMs } from '@tutti/workflow';
import type { HeldToken } from '../../../auth/held-tokens.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { ExistingPost } from './agent-post.ts';
import type { Command } from './command.ts';
import { HANDLER_ID } from './handler-id.ts';
import type { JobSession } from './job-session.ts';
import { identityOf, type Registrant } from './registrant.ts';
import { createRhythm, type Rhythm } from './rhythm.ts';
import type { Transfer } from './transfer.ts';

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

/** What outlives the server of a registration. */
export interface AgentRecord {
  readonly registration: AgentRegistration;
  readonly createdAt: Timestamp;
  readonly registrant?: Registrant;
  readonly replaces?: AgentId;
}

/** How long an agent may be silent, in seconds, and what is said of one that was silent for longer. */
export type Patience = readonly [seconds: number, why: string];

/** How long agents may be silent. */
export interface LivenessTimes {
  readonly livenessSeconds: number;
  readonly synchronousLivenessSeconds: number;
  readonly disconnectGraceSeconds: number;
  readonly absenceSeconds: number;
}

/** What an agent changes with its phase. */
export interface AgentHost {
  readonly pool: ChannelPool;
  readonly clock: Clock;
  /** To be called after any change of channels or requests in the pool. */
  readonly poolChanged: () => void;
}

/**
 * What our agents and existing ones have in common. The phase of its channel (specification 3.1) is kept by the pool; `PENDING` comes
 * with an offer. An agent of ours that is unreachable keeps its session for a while: its job goes on when it comes back in time.
 *
 * | From | Method | To |
 * |---|---|---|
 * | | `joinPool`: it may have jobs | `IDLE` |
 * | `IDLE`, `PENDING` | `begin`: an offer was accepted, or a job goes on after a restart | `BUSY` |
 * | `BUSY` | `free`: the job was released | `IDLE`; `UNREACHABLE`, if it is away or still runs what was given up |
 * | any | `becomeUnreachable`: nothing is heard of it | `UNREACHABLE` |
 * | `UNREACHABLE` | `becomeReachable`: it is back | `BUSY` if it has a session, else `IDLE` |
 */
export abstract class AgentBase {
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
  abstract readonly isOurs: boolean;
  /** Takes a script with its command; the others know `put` and `exec` only. */
  abstract readonly canRun: boolean;
  /** It posts again what was not stored, and says in each poll which command it has; existing agents do neither. */
  abstract readonly keepsWork: boolean;
  /**
   * An operator speaks for it, and runs its commands in environments that it makes for each job: agents say where their scripts are,
   * operators do not.
   */
  abstract readonly isOperated: boolean;
  waiter: Waiter | null = null;
  session: JobSession | null = null;
  /** From when on its silence counts, by the monotonic clock: its last contact, or the start of the server where that was later; later by the time for which the server stood still since. */
  lastContactMs: number;
  /** The time of day at which it was last heard of, as far as that is known; for readers only. */
  heardAtMs: number;
  /** Number of answers to its requests by HTTP code, since the server started; see answer-counts.ts. */
  readonly answers: Map<number, number> = new Map();
  /** Since when one of our own agents has no poll open, by the monotonic clock as all times below; null while it polls. */
  disconnectedAtMs: number | null = null;
  unreachableSince: Timestamp | null = null;
  /** Another agent seems to be this one, started again: it counts as gone after this time, unless it is heard of. */
  replacement: { readonly atMs: number; readonly patienceSeconds: number } | null = null;
  /** Since when it takes no further job, as somebody asked; null while it takes jobs. */
  drainingSince: Timestamp | null = null;
  /** An offer of its channel is on its way to a run. */
  isOffered = false;
  /** A command that nobody waits for any more, which the agent may still be running. */
  abandoned: string | null = null;
  /** The job that was given up last, with the sentence about it, and whether a step of the job has said it. */
  lostJob: { readonly jobId: JobId; readonly why: string; readonly isTold: boolean } | null = null;
  /** The answer to a result that is being stored may have the next command, which then waits for it. */
  takesInAnswer = false;
  /** Since when the operator that speaks for it should ask once more for the job that is over; null while it need not. */
  leavingSinceMs: number | null = null;
  /** Taken to poll while a command runs. */
  isAsync = false;
  /** The token that it came with last; null before it was heard of, and once that token does not count any more. */
  token: HeldToken | null = null;
  /** What the polls and posts of an existing agent tell of it. */
  readonly rhythm: Rhythm;

  constructor(id: AgentId, record: AgentRecord, nowMs: number) {
    const { registration, createdAt, registrant = null, replaces = null } = record;
    this.id = id;
    this.registration = registration;
    this.createdAt = createdAt;
    this.registrant = registrant;
    this.identity = identityOf(registration, registrant);
    this.replaces = replaces;
    this.lastContactMs = nowMs;
    this.heardAtMs = epochMs(createdAt);
    this.rhythm = createRhythm(!registration.metadata.version, nowMs);
  }

  /** What it is told next. Changes what is known of the command: it counts as handed out, as told to stop, and so on. */
  abstract nextOrder(poll: Poll, nowMs: number): Handout | null;

  /** How long a poll may be held that may be held for `holdMs`, in milliseconds. */
  abstract holdTime(holdMs: number, livenessSeconds: number): number;

  /** True when a poll tells that it runs no command any more, though it never said how the one ended that it has or had. */
  abstract hasNothing(poll: Poll, nowMs: number): boolean;

  /** Of those that it was told of, the transfer that a post says to have failed. */
  abstract failedTransfer(told: readonly Transfer[], post: ExistingPost): Transfer | null;

  /** True when what a poll tells is not enough: the agent is to ask again, knowing more. */
  mustAskAgain(_poll: Poll): boolean {
    return false;
  }

  /** True for a command that was told to stop and never reached the agent: it need not begin. */
  isStoppedBefore(_command: Command, _poll: Poll): boolean {
    return false;
  }

  /** True when its next poll tells that it wrote a file that it was sent. */
  hasWritten(_transfer: Transfer): boolean {
    return false;
  }

  /** A job was given up while it was away: the release would remove what the job left there. */
  owe(_release: Command): void {}

  /** Its poll was answered, or its connection `isBroken`, which means that it may be gone. */
  noteDisconnection(_host: AgentHost, _isBroken: boolean): void {}

  patience({ livenessSeconds }: LivenessTimes): Patience {
    const seconds = this.registration.spec.liveness_probe ?? livenessSeconds;
    return [seconds, `no contact for ${seconds} s`];
  }

  /** Why its job is given up now; null while it is not. */
  absence(times: LivenessTimes, nowMs: number): string | null {
    return this.silence(times, nowMs);
  }

  /** Why its command counts as lost though it asks for work all the time; null while it does not. */
  unheardOf(_times: LivenessTimes, _nowMs: number): string | null {
    return null;
  }

  /** Why it counts as unreachable now; null while it does not. */
  silence(times: LivenessTimes, nowMs: number): string | null {
    const [seconds, why] = this.patience(times);
    if (nowMs - this.lastContactMs > seconds * 1000) return why;
    const { atMs = nowMs, patienceSeconds = 0 } = this.replacement ?? {};
    if (nowMs - atMs > patienceSeconds * 1000) {
      return `an agent of its name, token and script_path registered, and it was silent for ${patienceSeconds} s since then`;
    }
    const grace = Math.min(times.disconnectGraceSeconds, seconds);
    return this.disconnectedAtMs !== null && nowMs - this.disconnectedAtMs > grace * 1000
      ? `its connection broke and it did not come back within ${grace} s`
      : null;
  }

  /** What it says in a poll holds. */
  notePoll(_poll: Poll): void {
    this.disconnectedAtMs = null;
  }

  noteContact(clock: Clock): void {
    const nowMs = clock.monotonicMs();
    this.lastContactMs = nowMs;
    this.replacement = null;
    this.heardAtMs = clock.now();
    // What it posts gives it more time to poll again.
    if (this.disconnectedAtMs !== null) this.disconnectedAtMs = nowMs;
  }

  /** It was heard of; if it was unreachable, it is back. */
  touch(host: AgentHost): void {
    this.noteContact(host.clock);
    if (this.unreachableSince !== null) this.becomeReachable(host);
  }

  /** Takes time in which no agent could be heard from its silence. */
  forgive(ms: number, nowMs: number): void {
    const later = (atMs: number) => Math.min(atMs + ms, nowMs);
    this.lastContactMs = later(this.lastContactMs);
    if (this.disconnectedAtMs !== null) this.disconnectedAtMs = later(this.disconnectedAtMs);
  }

  /** What becomes known of it and changes no phase. */
  note(facts: Partial<Pick<AgentBase, AgentFact>>): void {
    Object.assign(this, facts);
  }

  begin({ pool }: AgentHost, session: JobSession, namespace: string): void {
    this.session = session;
    this.unreachableSince = null;
    const { workflowId, jobId } = session;
    pool.setPhase(channelIdOf(this), 'BUSY', { job: { namespace, workflowId, jobId } });
  }

  /** Ends its session, as it counts as gone, and gives the sentence about that. */
  lose(session: JobSession, why: string): string {
    const { command } = session;
    this.session = null;
    if (command?.phase === 'running') this.abandoned = command.id;
    if (command?.isRelease) this.owe(command);
    const sentence = `Agent "${this.registration.metadata.name}" (${this.id}) was lost: ${why}.`;
    this.lostJob = { jobId: session.jobId, why: sentence, isTold: false };
    return sentence;
  }

  /** The sentence about the loss of a job, for the first of its steps that asks. */
  tellLoss(jobId: JobId): string | null {
    const lost = this.lostJob;
    if (lost?.jobId !== jobId || lost.isTold) return null;
    this.lostJob = { ...lost, isTold: true };
    return lost.why;
  }

  /** Ends a session; its channel is free for others, unless it is away or still runs what was given up. Safe to repeat. */
  free(host: AgentHost, session: JobSession): void {
    if (this.session !== session) return;
    this.session = null;
    const { abandoned, unreachableSince } = this;
    if (abandoned !== null || unreachableSince !== null) {
      const sinceMs = unreachableSince === null ? host.clock.now() : epochMs(unreachableSince);
      this.becomeUnreachable(host, sinceMs);
    } else if (this.isOperated) this.leavingSinceMs = host.clock.monotonicMs();
    else this.#becomeFree(host);
  }

  /**
   * An operator asks once more after the end of a job, removes its environment when there is nothing, and drops a command that it gets
   * then. So its channel is free only when it has asked, or does not ask.
   */
  endLeave(host: AgentHost): void {
    if (this.leavingSinceMs !== null) this.#becomeFree(host);
  }

  /** `sinceMs`: since when nothing was heard of it, or it works on something that is not wanted. */
  becomeUnreachable(host: AgentHost, sinceMs: number): void {
    this.leavingSinceMs = null;
    this.unreachableSince = formatTimestamp(sinceMs);
    this.joinPool(host);
    const since = this.unreachableSince;
    const keepsJob = this.session !== null;
    host.pool.setPhase(channelIdOf(this), 'UNREACHABLE', {
      since,
      ...(keepsJob ? {} : { job: null }),
    });
    host.poolChanged();
  }

  /**
   * The channel goes on with its job, or is free again, unless the agent still runs what was given up: only those who poll meanwhile can
   * tell that. One of ours is there when it asks for work, whatever else is heard of it.
   */
  becomeReachable(host: AgentHost): void {
    if (this.disconnectedAtMs !== null || (this.abandoned !== null && this.isAsync)) return;
    this.unreachableSince = null;
    this.abandoned = null;
    if (this.session === null) this.#becomeFree(host);
    else host.pool.setPhase(channelIdOf(this), 'BUSY');
  }

  /**
   * From now on jobs know of the channel. One of our own agents may be told to stop before it has its id: of such a one jobs hear
   * nothing until it asks for work, or is lost.
   */
  joinPool({ pool }: AgentHost): void {
    const channelId = channelIdOf(this);
    if (pool.phaseOf(channelId) !== null) return;
    const { metadata, spec } = this.registration;
    const namespaces = namespacesOf(this);
    const { tags } = spec;
    pool.upsertChannel({ channelId, handlerId: HANDLER_ID, name: metadata.name, namespaces, tags });
    pool.setDraining(channelId, this.drainingSince !== null);
  }

  /** A channel that is offered to a job is not free for others until the run has answered. */
  #becomeFree({ pool, poolChanged }: AgentHost): void {
    this.leavingSinceMs = null;
    pool.setPhase(channelIdOf(this), this.isOffered ? 'PENDING' : 'IDLE');
    poolChanged();
  }
}

type AgentFact =
  | ('waiter' | 'heardAtMs' | 'replacement' | 'drainingSince')
  | ('isOffered' | 'abandoned' | 'isAsync' | 'takesInAnswer' | 'token');

/** Only its methods change it. */
export type Agent = Readonly<AgentBase>;

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
