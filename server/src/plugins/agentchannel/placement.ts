/** From jobs that ask for an environment to offers: what the channel pool assigns is offered to the run. */
import {
  apiVersionOf,
  type ExecutionResultEvent,
  STEP_SEQUENCE,
  type StepId,
} from '@tutti/manifests';
import { describeWaiting } from '@tutti/workflow';
import { type Agent, channelIdOf, osOf, rootOf } from './agent.ts';
import { type AgentChannelContext, detach, HANDLER_ID } from './context.ts';
import { LIMITS } from './limits.ts';

type Assignment = ReturnType<AgentChannelContext['pool']['takeAssignments']>[number];
type WaitingChange = ReturnType<AgentChannelContext['pool']['waitingChanged']>[number];

export class Placement {
  readonly #context: AgentChannelContext;
  #placing = false;
  #notice: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(context: AgentChannelContext) {
    this.#context = context;
  }

  /** To be called after any change of channels or requests. What changed in the same turn is looked at together. */
  changed(): void {
    if (this.#stopped) return;
    if (!this.#placing) {
      this.#placing = true;
      queueMicrotask(() => this.#place());
    }
    // Long enough that jobs which find an environment at once leave no notice behind.
    if (this.#notice === null) this.#tellLater(LIMITS.waitingNoticeMs);
  }

  stop(): void {
    this.#stopped = true;
    if (this.#notice !== null) clearTimeout(this.#notice);
    this.#notice = null;
  }

  #place(): void {
    this.#placing = false;
    const assignments = this.#context.pool.takeAssignments(LIMITS.batch);
    for (const assignment of assignments) {
      detach(this.#context, 'An offer', this.#offer(assignment));
    }
    if (assignments.length === LIMITS.batch) {
      this.#placing = true;
      setImmediate(() => this.#place());
    }
  }

  async #offer(assignment: Assignment): Promise<void> {
    const { pool, bus, agents } = this.#context;
    const { channelId } = assignment;
    const agent = agents.get(channelId as string as Agent['id']);
    try {
      const outcome =
        agent === undefined
          ? { outcome: 'refused' }
          : await bus.publish(offerOf(this.#context, agent, assignment));
      if (outcome.outcome === 'accepted') return;
    } catch (error) {
      // Not stored: the job still waits.
      pool.addRequest(assignment.request);
      this.#free(assignment);
      throw error;
    }
    this.#free(assignment);
  }

  #free({ channelId }: Assignment): void {
    if (this.#context.pool.phaseOf(channelId) === 'PENDING') {
      this.#context.pool.setPhase(channelId, 'IDLE');
    }
    this.changed();
  }

  #tellLater(delayMs: number): void {
    this.#notice = setTimeout(() => {
      detach(this.#context, 'Waiting notices', this.#tellWaiting());
    }, delayMs);
  }

  /**
   * Says of each job that waits why it does, once per change. Thousands can begin to wait at once, so it goes lot by lot, and looks
   * again after each lot; `#notice` is set until there is nothing more to say.
   */
  async #tellWaiting(): Promise<void> {
    const changes = this.#context.pool.waitingChanged(LIMITS.waitingNotices);
    if (changes.length === 0) {
      this.#notice = null;
      return;
    }
    const told = changes.map((change) => this.#tell(change));
    for (const notice of told) detach(this.#context, 'A waiting notice', notice);
    await Promise.allSettled(told);
    if (this.#stopped) return;
    const isAll = changes.length < LIMITS.waitingNotices;
    this.#tellLater(isAll ? LIMITS.waitingNoticeMs : LIMITS.waitingNoticePauseMs);
  }

  async #tell({ jobId, workflowId, reason }: WaitingChange): Promise<void> {
    const { runs, bus, apiGroup, clock } = this.#context;
    const run = runs.current(workflowId);
    const name = run?.jobNames.get(jobId);
    if (run === null || name === undefined) return;
    await bus.publish({
      apiVersion: apiVersionOf(apiGroup, 'Notification'),
      kind: 'Notification',
      metadata: {
        name: 'log notification',
        workflow_id: workflowId,
        namespace: run.namespace,
        creationTimestamp: clock.timestamp(),
        job_id: jobId,
        job_origin: [],
      },
      spec: { logs: [describeWaiting(reason, name)], 'tutti.waiting': reason },
    });
  }
}

/** The answer to `ExecutionCommand` -1: this channel can run the job (wire facts 3.2). */
function offerOf(
  context: AgentChannelContext,
  agent: Agent,
  { request }: Assignment,
): ExecutionResultEvent {
  const root = rootOf(agent);
  return {
    apiVersion: apiVersionOf(context.apiGroup, 'ExecutionResult'),
    kind: 'ExecutionResult',
    metadata: {
      name: request.jobName,
      workflow_id: request.workflowId,
      namespace: request.namespace,
      creationTimestamp: context.clock.timestamp(),
      job_id: request.jobId,
      job_origin: [],
      step_id: context.ids.random<StepId>(),
      step_origin: [],
      step_sequence_id: STEP_SEQUENCE.request,
      channelhandler_id: HANDLER_ID,
      channel_id: channelIdOf(agent),
      channel_name: agent.registration.metadata.name,
      channel_os: osOf(agent),
      ...(root === null ? {} : { channel_temp: root }),
    },
    status: 0,
  };
}
