/** The agent channel: agents register, poll for what to do, and post what came of it (specification 4.3). */
import {
  type AgentId,
  type AgentRegistration,
  agentNotKnown,
  apiVersionOf,
  type ChannelId,
  type ExecutionResultEvent,
  STEP_SEQUENCE,
  type Timestamp,
} from '@tutti/manifests';
import type { Service } from '../../runtime/service.ts';
import { type Agent, type AgentOrder, channelIdOf, createAgent, namespacesOf } from './agent.ts';
import { commandReceived, jobEnded, offerAccepted } from './channel-events.ts';
import { type AgentChannelContext, type AgentChannelDeps, detach, HANDLER_ID } from './context.ts';
import { LIMITS } from './limits.ts';
import { becomeReachable, giveUp, sweep, touch } from './liveness.ts';
import { untell } from './orders.ts';
import { Placement } from './placement.ts';
import { type HeldPoll, poll } from './polls.ts';
import { restoreSessions } from './restore.ts';

const AGENTS = 'agents';

interface AgentRecord {
  readonly registration: AgentRegistration;
  readonly createdAt: Timestamp;
}

export class AgentChannel implements Service {
  readonly name = 'agentchannel';
  readonly context: AgentChannelContext;
  readonly #placement: Placement;
  readonly #unsubscribe: (() => void)[] = [];
  #sweeper: NodeJS.Timeout | null = null;
  #holdsPolls = true;

  constructor(deps: AgentChannelDeps) {
    this.context = { ...deps, agents: new Map() };
    this.#placement = new Placement(this.context);
  }

  async start(): Promise<void> {
    const { bus, store } = this.context;
    for (const { key, json } of await store.documents(AGENTS)) {
      const record: AgentRecord = JSON.parse(json);
      this.#admit(key as AgentId, record);
    }
    await restoreSessions(this.context);
    this.#unsubscribe.push(
      bus.subscribe('ExecutionCommand', (event) =>
        commandReceived(this.context, this.#placement, event),
      ),
      bus.subscribe('ExecutionResult', (event) => this.#resultPublished(event)),
      bus.subscribe('Notification', (event) => jobEnded(this.context, event)),
    );
    this.#sweeper = setInterval(() => {
      sweep(this.context, this.#placement, (agent) => {
        detach(this.context, 'Forgetting an agent', this.deregister(agent.id));
      });
    }, LIMITS.sweepMs);
    this.#placement.changed();
  }

  async stop(): Promise<void> {
    if (this.#sweeper !== null) clearInterval(this.#sweeper);
    this.#placement.stop();
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    this.releasePolls();
    await Promise.all([...this.context.agents.values()].map(({ session }) => session?.tail));
  }

  /** Answers the polls that are held, and holds none from now on, so that the server can stop. */
  releasePolls(): void {
    this.#holdsPolls = false;
    for (const agent of this.context.agents.values()) agent.waiter?.answer(null);
  }

  async register(registration: AgentRegistration): Promise<Agent> {
    const { clock, ids, store } = this.context;
    const id = ids.ordered<AgentId>();
    const record: AgentRecord = { registration, createdAt: clock.timestamp() };
    const documents = [{ collection: AGENTS, key: id, json: JSON.stringify(record) }];
    await store.write({ documents });
    const agent = this.#admit(id, record);
    this.#placement.changed();
    return agent;
  }

  #admit(id: AgentId, { registration, createdAt }: AgentRecord): Agent {
    const now = this.context.clock.now();
    const agent = createAgent(id, registration, createdAt, now);
    // After a restart our own agents come back within the grace time, or are lost.
    if (agent.isOurs) agent.disconnectedAtMs = now;
    this.context.agents.set(id, agent);
    this.context.pool.upsertChannel({
      channelId: channelIdOf(agent),
      handlerId: HANDLER_ID,
      name: registration.metadata.name,
      namespaces: namespacesOf(agent),
      tags: registration.spec.tags,
    });
    return agent;
  }

  /** De-registers; the workflow that the agent was working for is cancelled (specification 3.2). */
  async deregister(id: AgentId): Promise<void> {
    const agent = this.agent(id);
    const { session } = agent;
    await this.context.store.write({ documents: [{ collection: AGENTS, key: id, json: null }] });
    this.context.agents.delete(id);
    this.context.pool.removeChannel(channelIdOf(agent));
    agent.waiter?.answer(null);
    if (session !== null) await this.#cancelRunOf(agent, session.workflowId);
    giveUp(this.context, agent, session, 'it was de-registered');
    await session?.tail;
    this.#placement.changed();
  }

  async #cancelRunOf(
    agent: Agent,
    workflowId: NonNullable<Agent['session']>['workflowId'],
  ): Promise<void> {
    const run = await this.context.runs.find(workflowId);
    if (run === null) return;
    await this.context.bus.publish({
      apiVersion: apiVersionOf(this.context.apiGroup, 'WorkflowCancellation'),
      kind: 'WorkflowCancellation',
      metadata: {
        name: run.name,
        workflow_id: workflowId,
        namespace: run.namespace,
        creationTimestamp: this.context.clock.timestamp(),
      },
      details: {
        reason: `Agent "${agent.registration.metadata.name}" was de-registered.`,
        source: 'agentchannel',
      },
    });
  }

  agent(id: AgentId): Agent {
    const agent = this.context.agents.get(id);
    if (agent === undefined) throw agentNotKnown(id);
    return agent;
  }

  /** Notes a contact of an agent. */
  touch(agent: Agent): void {
    touch(this.context, this.#placement, agent);
  }

  /** The agent's next order; null is 204. */
  async poll(agent: Agent, held: HeldPoll): Promise<AgentOrder | null> {
    agent.disconnectedAtMs = null;
    if (agent.isOurs && agent.abandoned !== held.running) agent.abandoned = null;
    this.touch(agent);
    const patient = this.#holdsPolls ? held : { ...held, holdMs: 0 };
    return await poll(this.context, agent, patient, (why) => {
      giveUp(this.context, agent, agent.session, why);
      becomeReachable(this.context, this.#placement, agent);
    });
  }

  /** The connection of a poll broke, before or while `order` was on its way. */
  disconnected(agent: Agent, order: AgentOrder | null): void {
    if (order !== null) untell(agent.session, order);
    if (agent.isOurs && agent.waiter === null) agent.disconnectedAtMs = this.context.clock.now();
  }

  /** Epoch milliseconds of the last contact; null for a channel that is none of ours. */
  lastContact(channelId: ChannelId): number | null {
    return this.context.agents.get(channelId as string as AgentId)?.lastContactMs ?? null;
  }

  #resultPublished(event: ExecutionResultEvent): void {
    offerAccepted(this.context, event);
    if (event.metadata.step_sequence_id === STEP_SEQUENCE.release) this.#released(event);
  }

  /** The job's environment is free for others, unless its agent is away or still runs what was given up. */
  #released(event: ExecutionResultEvent): void {
    const agent = this.context.agents.get(event.metadata.channel_id as string as AgentId);
    if (agent?.session?.jobId !== event.metadata.job_id) return;
    agent.session = null;
    if (agent.abandoned !== null) {
      agent.unreachableSince = this.context.clock.timestamp();
      this.context.pool.setPhase(channelIdOf(agent), 'UNREACHABLE', {
        since: agent.unreachableSince,
      });
    } else if (agent.unreachableSince === null) {
      this.context.pool.setPhase(channelIdOf(agent), 'IDLE');
    }
    this.#placement.changed();
  }
}
