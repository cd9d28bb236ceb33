/** The agent channel: agents register, poll for orders, and post output and results (specification 4.3). */
import {
  type Actor,
  type AgentId,
  type AgentRegistration,
  actorEntry,
  agentNotKnown,
  type ChannelId,
  OrchestratorError,
  type Steps,
  type WorkflowId,
  workflowCancellation,
} from '@tutti/manifests';
import type { ChannelPhase } from '@tutti/workflow';
import type { Service } from '../../runtime/service.ts';
import { Turns } from '../../runtime/turns.ts';
import { releaseToken } from './agents/agent-tokens.ts';
import { createAgent } from './agents/create-agent.ts';
import { drainRemoval, readDrains } from './agents/drains.ts';
import { giveUp, sweepSteps } from './agents/liveness.ts';
import { withPassingAgents } from './agents/passing-agents.ts';
import { expectSign, Identities, keepSigns } from './existing/replacement.ts';
import {
  type Agent,
  type AgentRecord,
  channelIdOf,
  type Handout,
  type Poll,
} from './jobs/agent.ts';
import { AgentShares } from './jobs/agent-shares.ts';
import { endOutgoing, endSilently } from './jobs/commands.ts';
import {
  type AgentChannelContext,
  type AgentChannelDeps,
  detach,
  insist,
  retryUnfinished,
} from './jobs/context.ts';
import { LIMITS } from './jobs/limits.ts';
import { type HeldPoll, poll } from './jobs/polls.ts';
import { identityOf, type Registrant } from './jobs/registrant.ts';
import { AGENTS, agentWrite } from './jobs/stored-agents.ts';
import { contactRemoval, readContacts, StoredContacts } from './jobs/stored-contacts.ts';
import { WaitTimes } from './jobs/wait-times.ts';
import {
  commandReceived,
  isCurrent,
  resultPublished,
  STOPPED_STATUS,
} from './runs/channel-events.ts';
import { MissedEvents } from './runs/missed-events.ts';
import { Placement } from './runs/placement.ts';
import { restoreSessions } from './runs/restore.ts';

export class AgentChannel implements Service {
  readonly name = 'agentchannel';
  readonly context: AgentChannelContext;
  readonly #placement: Placement;
  readonly #contacts: StoredContacts;
  readonly #identities = new Identities();
  readonly #unsubscribe: (() => void)[] = [];
  #endTicks: () => void = () => {};
  #isSweeping = false;
  #swept: Promise<void> = Promise.resolve();
  #lastTickMs = 0;
  #holdsPolls = true;

  constructor(deps: AgentChannelDeps) {
    this.context = {
      ...deps,
      ...(deps.isLocal && { store: withPassingAgents(deps.store) }),
      agents: new Map(),
      agentShares: new AgentShares(deps),
      missingTags: new Map(),
      poolChanged: () => this.#placement.changed(),
      requestReceived: (event) => this.#placement.requestReceived(event),
      requestAnswered: (jobId) => this.#placement.requestAnswered(jobId),
      handOn: (agent, session) => this.#placement.handOn(agent, session),
      placed: (channelId) => this.#placement.settled(channelId),
      unfinished: new Set(),
      waits: new WaitTimes(),
    };
    this.#placement = new Placement(this.context);
    this.#contacts = new StoredContacts(this.context);
  }

  async start(): Promise<void> {
    const { store, disconnectGraceSeconds } = this.context;
    const agents = await store.documents(AGENTS);
    const contacts = await readContacts(store);
    const drains = await readDrains(store);
    if (agents.length > 0) this.#placement.giveAgentsTime(disconnectGraceSeconds * 1000);
    for (const { key, json } of agents) {
      const record: AgentRecord = JSON.parse(json);
      const agent = this.#admit(key as AgentId, record);
      const heardAtMs = contacts.get(agent.id) ?? agent.heardAtMs;
      agent.note({ heardAtMs, drainingSince: drains.get(key) ?? null });
      // Its first contact shows whether it is still alive.
      agent.becomeUnreachable(this.context, agent.heardAtMs);
    }
    this.#contacts.begin();
    const missed = new MissedEvents();
    await restoreSessions(this.context, {
      taken: () => this.#subscribe(missed),
      requested: (run, job) => this.#placement.requestRestored(run, job),
    });
    missed.makeUp();
    const nowMs = this.context.clock.monotonicMs();
    for (const agent of this.context.agents.values()) expectSign(this.context, agent, nowMs);
    this.#lastTickMs = this.context.clock.monotonicMs();
    this.#tickLater();
  }

  /** Runs go on while they are restored, and what is restored makes them go on. */
  #subscribe(missed: MissedEvents): void {
    const { bus } = this.context;
    this.#unsubscribe.push(
      bus.subscribe('ExecutionCommand', (event) =>
        missed.handle((isLate) => {
          // The log that a late command was restored from may have had it.
          if (!isLate || !isCurrent(this.context, event)) commandReceived(this.context, event);
        }),
      ),
      bus.subscribe('ExecutionResult', (event) =>
        missed.handle(() => resultPublished(this.context, event)),
      ),
      bus.subscribe('Notification', (event) => missed.handle(() => this.#placement.noticed(event))),
    );
  }

  #tickLater(): void {
    this.#endTicks = this.context.timers.after(LIMITS.sweepMs, () => {
      this.#tickLater();
      this.tick();
    });
  }

  /**
   * The work of every `LIMITS.sweepMs`. A late tick shows that the server stood still, or had no turn, for that time. Nobody could
   * reach the server then, so the time does not count as silence of an agent.
   */
  tick(): void {
    const now = this.context.clock.monotonicMs();
    const lateMs = now - this.#lastTickMs - LIMITS.sweepMs;
    this.#lastTickMs = now;
    if (lateMs > LIMITS.sweepMs)
      for (const agent of this.context.agents.values()) agent.forgive(lateMs, now);
    this.sweep();
  }

  /** Checks all agents once. */
  sweep(): void {
    retryUnfinished(this.context);
    void this.#contacts.keep();
    void keepSigns(this.context);
    if (this.#isSweeping) return;
    this.#swept = new Turns().run(this.#sweepSteps());
    detach(this.context, 'A look at all agents', {}, this.#swept);
  }

  /** In steps, since thousands of agents may fall silent at one time. */
  *#sweepSteps(): Steps<void> {
    this.#isSweeping = true;
    try {
      yield* sweepSteps(this.context, ({ id }) => {
        detach(this.context, 'Forgetting an agent', { agentId: id }, this.deregister(id));
      });
    } finally {
      this.#isSweeping = false;
    }
  }

  async stop(): Promise<void> {
    this.#endTicks();
    this.#placement.stop();
    await this.#swept;
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    this.releasePolls();
    await Promise.all([...this.context.agents.values()].map(({ session }) => session?.tail));
    await this.#contacts.store();
  }

  /** Answers the held polls, and holds no further ones, so that the server can stop. */
  releasePolls(): void {
    this.#holdsPolls = false;
    this.answerPolls();
  }

  /** Answers the held polls. Their agents ask again, perhaps through another replica. */
  answerPolls(): void {
    for (const agent of this.context.agents.values()) agent.waiter?.answer(null);
  }

  /** Throws `TooManyRequests` where there is no room for one more agent. */
  requireRoom(registration: AgentRegistration): void {
    const { agentShares, pool } = this.context;
    agentShares.requireRoom(registration);
    if (!pool.isCrowded(registration.metadata.namespaces ?? '')) return;
    const message =
      'Too many agents have tags that waiting jobs ask for. Wait until some of these jobs have ended, or de-register agents.';
    throw new OrchestratorError('TooManyRequests', message);
  }

  async register(registration: AgentRegistration, registrant: Registrant): Promise<Agent> {
    const { clock, ids, store } = this.context;
    const id = ids.ordered<AgentId>();
    const sinceMs = clock.monotonicMs();
    const replaces = this.#identities.predecessorOf(identityOf(registration, registrant));
    const record: AgentRecord = {
      registration,
      createdAt: clock.timestamp(),
      registrant,
      ...(replaces === null ? {} : { replaces }),
    };
    await store.write({ documents: [agentWrite(id, record)] });
    const agent = this.#admit(id, record);
    // One of our own agents joins the pool when it asks for work.
    if (agent.disconnectedAtMs === null) this.#join(agent);
    expectSign(this.context, agent, sinceMs);
    return agent;
  }

  #admit(id: AgentId, record: AgentRecord): Agent {
    const agent = createAgent(id, record, this.context.clock.monotonicMs());
    this.context.agents.set(id, agent);
    this.#identities.add(agent);
    this.context.agentShares.add(record.registration, 1);
    return agent;
  }

  #join(agent: Agent): void {
    if (this.context.pool.phaseOf(channelIdOf(agent)) !== null) return;
    agent.joinPool(this.context);
    this.#placement.changed();
  }

  /** De-registers; the workflow that the agent was working for is cancelled (specification 3.2). */
  async deregister(id: AgentId, actor: Actor | null = null): Promise<void> {
    const agent = this.agent(id);
    const registration = { collection: AGENTS, key: id, json: null };
    const documents = [registration, contactRemoval(id), drainRemoval(id)];
    await this.context.store.write({ documents });
    // De-registered by another request meanwhile.
    if (!this.context.agents.delete(id)) return;
    this.#identities.remove(agent);
    releaseToken(this.context, agent);
    this.context.agentShares.add(agent.registration, -1);
    agent.leavePool(this.context);
    agent.waiter?.answer(null);
    const { session } = agent;
    if (session !== null) {
      await insist(this.context, 'Cancelling the run of an agent that goes', session.about, () =>
        this.#cancelRunOf(agent, session.workflowId, actor),
      );
    }
    await giveUp(this.context, agent, 'it was de-registered');
    this.#placement.changed();
  }

  async #cancelRunOf(agent: Agent, workflowId: WorkflowId, actor: Actor | null): Promise<void> {
    const run = await this.context.runs.find(workflowId);
    if (run === null) return;
    const { name, namespace } = run;
    const event = workflowCancellation(
      this.context,
      { name, workflowId, namespace },
      {
        reason: `Agent "${agent.registration.metadata.name}" was de-registered.`,
        source: 'agentchannel',
      },
    );
    const by = actor === null ? {} : actorEntry(actor);
    await this.context.bus.publish({ ...event, metadata: { ...event.metadata, ...by } });
  }

  /** Phases of the channels of all agents; an agent that has not asked for work yet is idle. */
  *phases(): Iterable<ChannelPhase> {
    const { agents, pool } = this.context;
    for (const agent of agents.values()) yield pool.phaseOf(channelIdOf(agent)) ?? 'IDLE';
  }

  agent(id: AgentId): Agent {
    const agent = this.context.agents.get(id);
    if (agent === undefined) throw agentNotKnown(id);
    return agent;
  }

  /** The agent's next order; null is 204. */
  async poll(agent: Agent, held: HeldPoll): Promise<Handout | null> {
    agent.notePoll(held);
    if (agent.hasNothing(held, this.context.clock.monotonicMs())) this.#freeIdle(agent);
    agent.touch(this.context);
    this.#join(agent);
    await this.#settle(agent, held);
    try {
      const handout = await poll(this.context, agent, held, this.#holdsPolls);
      if (handout === null) agent.endLeave(this.context);
      return handout;
    } finally {
      agent.noteDisconnection(this.context, false);
    }
  }

  /** The agent has lost its command on the way, or the command's result, and can have the next one. */
  #freeIdle(agent: Agent): void {
    const hasLost = agent.session?.command?.phase === 'running';
    if (hasLost) void giveUp(this.context, agent, 'it asks for work but sent no result');
    agent.note({ abandoned: null });
    if (hasLost) agent.becomeReachable(this.context);
  }

  /** Settles two reports of a poll. The agent has written files, or the run stopped a command before delivery. */
  async #settle(agent: Agent, held: Poll): Promise<void> {
    const { context } = this;
    await endOutgoing(context, agent, (transfer) => agent.hasWritten(transfer));
    const { session } = agent;
    const command = session?.command ?? null;
    if (session === null || command === null || !agent.isStoppedBefore(command, held)) return;
    await endSilently({ context, agent, session, command }, { exitStatus: STOPPED_STATUS });
  }

  /**
   * Handles a broken connection of a poll: before the answer was written (`isUnsent`) or while `handout` was on its way. Null: without an
   * order.
   */
  disconnected(agent: Agent, handout: Handout | null, isUnsent: boolean): void {
    if (handout !== null && (isUnsent || !handout.isOnce)) handout.takeBack();
    agent.noteDisconnection(this.context, true);
  }

  /** Epoch milliseconds of the last known contact; null for a channel of another channel handler. */
  lastContact(channelId: ChannelId): number | null {
    return this.context.agents.get(channelId as string as AgentId)?.heardAtMs ?? null;
  }
}
