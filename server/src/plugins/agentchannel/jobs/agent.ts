/**
 * An agent: a process that registered and polls. It is one channel, so it runs one job at a time.
 *
 * Only the registration is stored. The rest is only in memory, and a restart learns it again. It is the waiting poll, the silence, and
 * whether the agent polls during a command (asynchronous mode).
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
import { type ChannelPhase, type ChannelPool, epochMs } from '@tutti/workflow';
import type { HeldToken } from '../../../auth/held-tokens.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { ExistingPost } from './agent-post.ts';
import { checkPhase } from './check-phase.ts';
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
   * The agent cannot report later whether it got the order. So the delivery must be durable before. The command must not be sent again once
   * a byte of it may have left.
   */
  readonly isOnce: boolean;
  /** Takes the order back, so that the next poll gets it. */
  takeBack(): void;
}

/** The state that an agent reports in a poll; existing agents report nothing. */
export interface Poll {
  /** The last command it accepted. */
  readonly last: string | null;
  /** The command it runs now. */
  readonly running: string | null;
}

/**
 * A poll that is held. `answer` is called once, with an order (that may still be made durable) or with null for 204. Posts of the
 * agent that come meanwhile update the commands that the poll named.
 */
export interface Waiter {
  last: string | null;
  running: string | null;
  readonly answer: (handout: Handout | null | Promise<Handout>) => void;
}

/** The part of an agent that is stored and outlives the server. */
export interface AgentRecord {
  readonly registration: AgentRegistration;
  readonly createdAt: Timestamp;
  readonly registrant?: Registrant;
  readonly replaces?: AgentId;
}

/** The silence after which an agent counts as unreachable, in seconds, and the reason that is shown then. */
export type Patience = readonly [seconds: number, why: string];

/** Settings for the silence that agents may keep. */
export interface LivenessTimes {
  readonly livenessSeconds: number;
  readonly synchronousLivenessSeconds: number;
  readonly disconnectGraceSeconds: number;
  readonly absenceSeconds: number;
}

/** The parts of the server that change with an agent's phase. */
export interface AgentHost {
  readonly pool: ChannelPool;
  readonly clock: Clock;
  /** Call it after any change of channels or requests in the pool. */
  readonly poolChanged: () => void;
}

/**
 * The common part of our agents and existing ones. The pool keeps the phase of the agent's channel (specification 3.1); `PENDING` comes
 * with an offer. An unreachable agent of ours keeps its session for a while. Its job goes on when it comes back in time.
 *
 * | From | Method | To |
 * |---|---|---|
 * | | `joinPool`: the agent may get jobs | `IDLE` |
 * | `IDLE`, `PENDING`, `UNREACHABLE` | `begin`: an offer was accepted, or a job goes on after a restart | `BUSY` |
 * | `PENDING` | `endOffer`: the run did not take the offer | `IDLE` |
 * | `BUSY`, `UNREACHABLE` | `free`: the job was released | `IDLE`; `BUSY`, until an operator has left; `UNREACHABLE`, if the agent is away or runs an abandoned command |
 * | `BUSY` | `endLeave`: an operator has left the job | `IDLE` |
 * | `IDLE`, `PENDING`, `BUSY`, `UNREACHABLE` | `becomeUnreachable`: the agent is silent | `UNREACHABLE` |
 * | `BUSY`, `UNREACHABLE` | `becomeReachable`: the agent is back, or its lost command was given up | `BUSY` if the agent has a session, else `IDLE` |
 * | any | `leavePool`: the agent was de-registered | |
 *
 * `PENDING` stands for `IDLE` while an offer is on its way.
 */
export abstract class AgentBase {
  readonly id: AgentId;
  readonly registration: AgentRegistration;
  readonly createdAt: Timestamp;
  /** Null for an agent that registered with an earlier version of the server. */
  readonly registrant: Registrant | null;
  /** See `identityOf`. */
  readonly identity: string | null;
  /** The agent that this one seems to replace after a restart, until that one gives a sign of life. */
  replaces: AgentId | null;
  /** Speaks protocol `tutti.v1`. */
  abstract readonly isOurs: boolean;
  /** Takes a script with its command; the others know `put` and `exec` only. */
  abstract readonly canRun: boolean;
  /** It repeats posts and files that were not stored, and names its command in each poll; existing agents do neither. */
  abstract readonly keepsWork: boolean;
  /** An operator speaks for it, and makes an environment for each job. Agents name the folder of their scripts, operators do not. */
  abstract readonly isOperated: boolean;
  /** Abilities of this server that the answer to its registration names. */
  readonly abilities: object = {};
  waiter: Waiter | null = null;
  session: JobSession | null = null;
  /** Start of its silence, by the monotonic clock: its last contact, or the server's start. Standstills of the server do not count. */
  lastContactMs: number;
  /** Time of day of its last known contact; for readers only. */
  heardAtMs: number;
  /** Number of answers to its requests by HTTP code, since the server started; see answer-counts.ts. */
  readonly answers: Map<number, number> = new Map();
  /** Time since when one of our own agents has no poll open, by the monotonic clock as all times below. Null while it polls. */
  disconnectedAtMs: number | null = null;
  unreachableSince: Timestamp | null = null;
  /** It was de-registered. */
  isGone = false;
  /** Another agent seems to replace this one after a restart. Without a sign of life, this one counts as gone after the time. */
  replacement: { readonly atMs: number; readonly patienceSeconds: number } | null = null;
  /** Time since when it drains; null while it takes jobs. */
  drainingSince: Timestamp | null = null;
  /** An offer of its channel is on its way to a run. */
  isOffered = false;
  /** A command that no job waits for any more, which the agent may still be running. */
  abandoned: string | null = null;
  /** The job that was given up last, and the sentence about it. Also whether a step of the job has shown the sentence. */
  lostJob: { readonly jobId: JobId; readonly why: string; readonly isReported: boolean } | null =
    null;
  /** A result is being stored. Its answer may contain the next command, which waits for it. */
  takesInAnswer = false;
  /** Time since when its operator should ask once more for the job that is over; null while it need not. */
  leavingSinceMs: number | null = null;
  /** It has polled while it ran a command. */
  isAsync = false;
  /** The token of its last request; null before its first contact, and once the token is invalid. */
  token: HeldToken | null = null;
  /** Derived from the polls and posts of an existing agent: its mode, its pauses, its command. */
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

  /** The next order for the agent. Notes on the command that it was handed out, that a stop was sent, and so on. */
  abstract nextOrder(poll: Poll, nowMs: number): Handout | null;

  /** Milliseconds for which the server holds a poll of this agent, at most `holdMs`. */
  abstract holdTime(holdMs: number, livenessSeconds: number): number;

  /** True when a poll shows that the agent runs no command, though it never posted the result of its command. */
  abstract hasNothing(poll: Poll, nowMs: number): boolean;

  /** The transfer that a post reports as failed, one of `sent`. */
  abstract failedTransfer(sent: readonly Transfer[], post: ExistingPost): Transfer | null;

  /** True when a poll knows too little: the agent should ask again. */
  mustAskAgain(_poll: Poll): boolean {
    return false;
  }

  /** True for a command that was stopped before it reached the agent: it need not begin. */
  isStoppedBefore(_command: Command, _poll: Poll): boolean {
    return false;
  }

  /** True when the agent's next poll proves that it wrote the file. */
  hasWritten(_transfer: Transfer): boolean {
    return false;
  }

  /** Keeps the release of a job that was given up while the agent was away. The release removes the files of the job. */
  retryDelivery(_release: Command): void {}

  /** Its poll was answered, or its connection broke (`isBroken`), so the agent may be gone. */
  noteDisconnection(_host: AgentHost, _isBroken: boolean): void {}

  patience({ livenessSeconds }: LivenessTimes): Patience {
    const seconds = this.registration.spec.liveness_probe ?? livenessSeconds;
    return [seconds, `no contact for ${seconds} s`];
  }

  /** The reason to give up its job now; null without one. */
  absence(times: LivenessTimes, nowMs: number): string | null {
    return this.silence(times, nowMs);
  }

  /** The reason why its command counts as lost though the agent asks for work all the time; null without one. */
  unheardOf(_times: LivenessTimes, _nowMs: number): string | null {
    return null;
  }

  /** The reason why it counts as unreachable now; null without one. */
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

  /** Takes over what the agent reports in a poll. */
  notePoll(_poll: Poll): void {
    this.disconnectedAtMs = null;
  }

  noteContact(clock: Clock): void {
    const nowMs = clock.monotonicMs();
    this.lastContactMs = nowMs;
    this.replacement = null;
    this.heardAtMs = clock.now();
    // A post gives the agent more time for its next poll.
    if (this.disconnectedAtMs !== null) this.disconnectedAtMs = nowMs;
  }

  /** Notes a contact; an unreachable agent becomes reachable. */
  touch(host: AgentHost): void {
    this.noteContact(host.clock);
    if (this.unreachableSince !== null) this.becomeReachable(host);
  }

  /** Deducts time from its silence in which the server could hear no agent. */
  forgive(ms: number, nowMs: number): void {
    const later = (atMs: number) => Math.min(atMs + ms, nowMs);
    this.lastContactMs = later(this.lastContactMs);
    if (this.disconnectedAtMs !== null) this.disconnectedAtMs = later(this.disconnectedAtMs);
  }

  /** Notes facts about the agent that change no phase. */
  note(facts: Partial<Pick<AgentBase, AgentFact>>): void {
    Object.assign(this, facts);
  }

  begin(host: AgentHost, session: JobSession, namespace: string): void {
    if (this.isGone) return;
    this.#checkFrom(host, 'IDLE', 'PENDING', 'UNREACHABLE');
    this.session = session;
    this.unreachableSince = null;
    const { workflowId, jobId } = session;
    host.pool.setPhase(channelIdOf(this), 'BUSY', { job: { namespace, workflowId, jobId } });
  }

  /** Its offer was answered. The channel is still pending if the run did not take it: otherwise it is busy, or was lost meanwhile. */
  endOffer(host: AgentHost): void {
    this.isOffered = false;
    if (host.pool.phaseOf(channelIdOf(this)) === 'PENDING') this.#becomeFree(host);
  }

  /** Ends the session of a lost agent, and returns the sentence about the loss. */
  lose(session: JobSession, why: string): string {
    const { command } = session;
    if (this.session !== session) throw new Error(`Agent ${this.id} has another session.`);
    this.session = null;
    if (command?.phase === 'running') this.abandoned = command.id;
    if (command?.isRelease) this.retryDelivery(command);
    const sentence = `Agent "${this.registration.metadata.name}" (${this.id}) was lost: ${why}.`;
    this.lostJob = { jobId: session.jobId, why: sentence, isReported: false };
    return sentence;
  }

  /** The sentence about the loss of a job, for the first of its steps that asks. */
  reportLoss(jobId: JobId): string | null {
    const lost = this.lostJob;
    if (lost?.jobId !== jobId || lost.isReported) return null;
    this.lostJob = { ...lost, isReported: true };
    return lost.why;
  }

  /** Ends a session. Its channel is free for others, unless the agent is away or still runs an abandoned command. Safe to repeat. */
  free(host: AgentHost, session: JobSession): void {
    if (this.session !== session) return;
    this.session = null;
    if (this.isGone) return;
    this.#checkFrom(host, 'BUSY', 'UNREACHABLE');
    const { abandoned, unreachableSince } = this;
    if (abandoned !== null || unreachableSince !== null) {
      const sinceMs = unreachableSince === null ? host.clock.now() : epochMs(unreachableSince);
      this.becomeUnreachable(host, sinceMs);
    } else if (this.isOperated) this.leavingSinceMs = host.clock.monotonicMs();
    else this.#becomeFree(host);
  }

  /** True if its channel is free for others once this session, which still holds it, has ended. See `free`. */
  isFreeAfter(session: JobSession): boolean {
    const isThere = this.unreachableSince === null && this.abandoned === null && !this.isGone;
    return this.session === session && isThere && !this.isOperated;
  }

  /**
   * An operator asks once more after the end of a job. If there is nothing to do, it removes its environment, and it drops a command that it
   * gets then. So its channel is free only when it has asked, or need not ask.
   */
  endLeave(host: AgentHost): void {
    if (this.leavingSinceMs === null || this.isGone) return;
    this.#checkFrom(host, 'BUSY');
    this.#becomeFree(host);
  }

  /** `sinceMs`: start of its silence, or of its work on an abandoned command. */
  becomeUnreachable(host: AgentHost, sinceMs: number): void {
    if (this.isGone) return;
    this.joinPool(host);
    this.#checkFrom(host, 'IDLE', 'PENDING', 'BUSY', 'UNREACHABLE');
    this.leavingSinceMs = null;
    this.unreachableSince = formatTimestamp(sinceMs);
    const since = this.unreachableSince;
    const keepsJob = this.session !== null;
    host.pool.setPhase(channelIdOf(this), 'UNREACHABLE', {
      since,
      ...(keepsJob ? {} : { job: null }),
    });
    host.poolChanged();
  }

  /**
   * The channel goes on with its job, or is free again, unless the agent still runs an abandoned command. Only agents that poll meanwhile
   * can show that. One of our own agents becomes reachable only when it asks for work.
   */
  becomeReachable(host: AgentHost): void {
    if (this.disconnectedAtMs !== null || (this.abandoned !== null && this.isAsync)) return;
    if (this.isGone) return;
    this.#checkFrom(host, 'BUSY', 'UNREACHABLE');
    this.unreachableSince = null;
    this.abandoned = null;
    if (this.session === null) this.#becomeFree(host);
    else host.pool.setPhase(channelIdOf(this), 'BUSY');
  }

  /**
   * Adds the channel to the pool. One of our own agents may be stopped before it has got its id. So its channel is hidden from jobs
   * until it asks for work, or is lost.
   */
  joinPool({ pool }: AgentHost): void {
    const channelId = channelIdOf(this);
    if (this.isGone || pool.phaseOf(channelId) !== null) return;
    const { metadata, spec } = this.registration;
    const namespaces = namespacesOf(this);
    const { tags } = spec;
    pool.upsertChannel({ channelId, handlerId: HANDLER_ID, name: metadata.name, namespaces, tags });
    pool.setDraining(channelId, this.drainingSince !== null);
  }

  /** Removes its channel. Requests of the agent that are still open change nothing any more. */
  leavePool({ pool }: AgentHost): void {
    this.isGone = true;
    pool.removeChannel(channelIdOf(this));
  }

  #checkFrom({ pool }: AgentHost, ...from: readonly ChannelPhase[]): void {
    checkPhase(`Agent ${this.id}`, pool.phaseOf(channelIdOf(this)), from);
  }

  /** An offered channel is not free for other jobs until the run has answered. */
  #becomeFree({ pool, poolChanged }: AgentHost): void {
    this.leavingSinceMs = null;
    pool.setPhase(channelIdOf(this), this.isOffered ? 'PENDING' : 'IDLE');
    poolChanged();
  }
}

type AgentFact =
  | ('waiter' | 'heardAtMs' | 'replacement' | 'replaces' | 'drainingSince')
  | ('isOffered' | 'abandoned' | 'isAsync' | 'takesInAnswer' | 'token');

/** An agent as others see it. Only methods of the class change it. */
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

/** Script directory on the agent, if its registration has one. */
export const rootOf = (agent: Agent): string | null => agent.registration.spec.script_path || null;
