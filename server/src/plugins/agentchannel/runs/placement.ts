/** Places jobs. The channel pool assigns channels to jobs that ask for an environment. Each assignment is offered to the run. */
import {
  apiVersionOf,
  assertNever,
  type ChannelId,
  type ExecutionCommandEvent,
  type ExecutionErrorEvent,
  type ExecutionResultEvent,
  executionError,
  type Hook,
  type JobId,
  type LoggedEvent,
  type NotificationEvent,
  STEP_SEQUENCE,
  type WaitingReason,
} from '@tutti/manifests';
import { describeWaiting, type Job, jobById, type Run, withOwnJobs } from '@tutti/workflow';
import { factOf, metadataEntries, specEntries } from '@tutti/workflow/facts';
import type { Following } from '../../../bus/bus.ts';
import { Turns } from '../../../runtime/turns.ts';
import { type Agent, channelIdOf, osOf, rootOf } from '../jobs/agent.ts';
import { type AgentChannelContext, detach, type HandOn } from '../jobs/context.ts';
import type { JobSession } from '../jobs/job-session.ts';
import { LIMITS } from '../jobs/limits.ts';
import { offerNothing, offerOf } from './offer.ts';

type Request = Parameters<AgentChannelContext['pool']['addRequest']>[0];
type Assignment = ReturnType<AgentChannelContext['pool']['takeAssignments']>[number];
type WaitingChange = ReturnType<AgentChannelContext['pool']['waitingChanged']>[number];

export class Placement {
  readonly #context: AgentChannelContext;
  /** Jobs that have asked, and are not in the pool yet. */
  readonly #asked = new Map<JobId, Request>();
  /** Jobs that were in the pool, and get an offer in the commit of a release. */
  readonly #handedOn = new Map<JobId, Request>();
  /** The round that places jobs now. */
  #placing: Promise<void> | null = null;
  readonly #offers = new Map<ChannelId, Promise<void>>();
  #notice: NodeJS.Timeout | null = null;
  /** Set for a pause after a notice to the first jobs of queues. */
  #pause: NodeJS.Timeout | null = null;
  #stopped = false;
  /** Jobs go by age; the order in which they asked is their age. */
  #requests = 0;
  /** Jobs from before a restart are older than all that come after it. */
  #restored = Number.MIN_SAFE_INTEGER;

  constructor(context: AgentChannelContext) {
    this.#context = context;
  }

  /** A job asks for an environment. */
  requestReceived(event: ExecutionCommandEvent): void {
    const request = requestOf(event, this.#requests++);
    this.#asked.set(request.jobId, request);
    this.changed();
  }

  /** Its job waits no more. */
  requestAnswered(jobId: JobId): void {
    this.#asked.delete(jobId);
    this.#handedOn.delete(jobId);
    this.#context.pool.removeRequest(jobId);
  }

  /**
   * Offers the agent to the next job of the run in the commit of its release. The job may ask for it in that commit. Jobs of other runs that
   * come first get an offer afterwards.
   */
  async handOn(agent: Agent, session: JobSession): Promise<HandOn> {
    const hooks = await this.#hooks().catch(() => null);
    let chosen: Request | null = null;
    const end = () => {
      const isOpen = chosen !== null && this.#handedOn.delete(chosen.jobId);
      if (chosen === null || !isOpen) return;
      this.#context.pool.addRequest(chosen);
      this.changed();
    };
    const following: Following = (decided, run) => {
      end();
      chosen = hooks === null ? null : this.#takeNext(agent, session, decided);
      if (chosen === null || hooks === null) return null;
      return offerOfAgent(this.#context, { agent, request: chosen, run, hooks });
    };
    return { following, end };
  }

  #takeNext(agent: Agent, session: JobSession, decided: readonly LoggedEvent[]): Request | null {
    if (this.#stopped || this.#asked.size > 0 || !agent.isFreeAfter(session)) return null;
    const { pool } = this.#context;
    const asked = decided.filter(isRequest).map((event) => requestOf(event, this.#requests));
    const { workflowId } = session;
    const waits = new Set(asked.map(({ jobId }) => jobId));
    const next = pool.takeNext(channelIdOf(agent), { workflowId, asked });
    // A job that asks in that commit has no other place in the queue.
    if (next !== null && !waits.has(next.jobId)) this.#handedOn.set(next.jobId, next);
    return next;
  }

  /** Like `requestReceived`, for a job that asked before a restart. Call it for the oldest job first. */
  requestRestored({ workflowId, namespace }: Run, job: Job & { readonly jobId: JobId }): void {
    this.#context.pool.addRequest({
      jobId: job.jobId,
      workflowId,
      jobName: job.name,
      namespace,
      tags: job.tags,
      order: this.#restored++,
    });
    this.changed();
  }

  /** A job that ended without an environment waits for none any more. Until its end it keeps its place in the queue. */
  noticed(event: NotificationEvent): void {
    const fact = factOf(event);
    switch (fact.type) {
      case 'JobEnded':
        this.#forget(event.metadata.job_id);
        break;
      case 'Halted':
      case 'Superseded':
      case 'JobOverdue':
      case 'Granted':
      case 'Held':
      case 'DownloadBegun':
      case 'StepOverdue':
      case 'StepEnded':
      case 'StepPrinted':
      case 'WorkerChanged':
      case 'ReportRead':
      case 'Noted':
        break;
      default:
        assertNever(fact);
    }
  }

  #forget(jobId: JobId | undefined): void {
    if (jobId !== undefined) this.requestAnswered(jobId);
  }

  /** Call it after any change of channels or requests. All changes of one turn are placed together. */
  changed(): void {
    if (this.#stopped) return;
    if (this.#placing === null) {
      this.#placing = Promise.resolve().then(() => this.#place());
      detach(this.#context, 'Placing jobs', {}, this.#placing);
    }
    // Long enough that jobs which find an environment at once leave no notice.
    if (this.#notice === null) this.#noticeLater(LIMITS.waitingNoticeMs);
  }

  /** Resolves when an idle channel has got its next job, if there is one for it. */
  async settled(channelId: ChannelId): Promise<void> {
    await this.#placing?.catch(() => undefined);
    await this.#offers.get(channelId)?.catch(() => undefined);
  }

  /** After a restart: notices about waiting jobs begin after this time, in which agents can come back. */
  giveAgentsTime(ms: number): void {
    if (this.#notice === null) this.#noticeLater(ms);
  }

  stop(): void {
    this.#stopped = true;
    if (this.#notice !== null) clearTimeout(this.#notice);
    if (this.#pause !== null) clearTimeout(this.#pause);
    this.#notice = null;
    this.#pause = null;
  }

  /** Placing thousands of jobs, or agents, takes more than one turn; later changes are placed in the next round. */
  async #place(): Promise<void> {
    const turns = new Turns();
    try {
      while (!this.#stopped && this.#placeNext()) if (turns.isOver) await turns.next();
    } finally {
      this.#placing = null;
    }
  }

  /** Returns whether there was anything to place. */
  #placeNext(): boolean {
    const { pool } = this.#context;
    if (pool.forgetUnused()) return true;
    const [asked] = this.#asked.values();
    if (asked !== undefined) {
      this.#asked.delete(asked.jobId);
      this.#ask(asked);
      return true;
    }
    const [assignment] = pool.takeAssignments(1);
    if (assignment === undefined) return false;
    const { jobId, workflowId } = assignment.request;
    const offer = this.#offer(assignment);
    this.#offers.set(assignment.channelId, offer);
    detach(this.#context, 'An offer', { workflowId, jobId }, offer);
    return true;
  }

  #ask(request: Request): void {
    const { pool, bus } = this.#context;
    if (pool.hasRoomFor(request)) {
      pool.addRequest(request);
      return;
    }
    const { workflowId, jobId } = request;
    const refusal = bus.publish(tooManyTagSets(this.#context, request));
    detach(this.#context, 'The refusal of a job', { workflowId, jobId }, refusal);
  }

  async #offer({ request, channelId }: Assignment): Promise<void> {
    const { bus, agents, runs } = this.#context;
    const agent = agents.get(channelId as string as Agent['id']);
    // Channels and agents come and go together.
    if (agent === undefined) return;
    agent.note({ isOffered: true });
    try {
      const hooks = await this.#hooks();
      const run = runs.current(request.workflowId);
      await bus.publish(offerOfAgent(this.#context, { agent, request, run, hooks }));
    } catch (error) {
      // The offer was not stored, so the job still waits. The next check of the agents tries again.
      this.#context.unfinished.add(async () => {
        this.#context.pool.addRequest(request);
        this.changed();
      });
      throw error;
    } finally {
      agent.endOffer(this.#context);
      this.#offers.delete(channelId);
      this.changed();
    }
  }

  async #hooks(): Promise<readonly Hook[]> {
    return (await this.#context.hooks?.hooks()) ?? [];
  }

  #noticeLater(delayMs: number): void {
    this.#notice = setTimeout(() => {
      detach(this.#context, 'Waiting notices', {}, this.#publishWaiting());
    }, delayMs);
  }

  /**
   * Publishes the reason of each waiting job, once per change. Thousands can begin to wait at once, so it goes lot by lot, and looks
   * again after each lot. `#notice` is set until all reasons are published.
   */
  async #publishWaiting(): Promise<void> {
    const changes = this.#context.pool.waitingChanged(LIMITS.waitingNotices);
    if (changes.length === 0) return this.#publishNextInLine();
    await this.#publishAll(changes, isSaid);
    const isAll = changes.length < LIMITS.waitingNotices;
    if (!this.#stopped)
      this.#noticeLater(isAll ? LIMITS.waitingNoticeMs : LIMITS.waitingNoticePauseMs);
  }

  /** Notices about the first jobs of queues. Where jobs come and go quickly they would never end, so there are pauses. */
  async #publishNextInLine(): Promise<void> {
    const next = this.#pause === null ? this.#context.pool.nextInLine(LIMITS.waitingNotices) : [];
    const published = await this.#publishAll(next, isSame);
    this.#notice = null;
    if (published === 0 || this.#stopped) return;
    this.#pause = setTimeout(() => {
      this.#pause = null;
      if (this.#notice === null) this.#noticeLater(0);
    }, LIMITS.nextInLinePauseMs);
  }

  /** Returns the number of jobs with a new reason. */
  async #publishAll(changes: readonly WaitingChange[], isKnown: typeof isSaid): Promise<number> {
    const published = changes.flatMap((change) => {
      const notice = this.#publish(change, isKnown);
      if (notice === null) return [];
      const { workflowId, jobId } = change;
      detach(this.#context, 'A waiting notice', { workflowId, jobId }, notice);
      return [notice];
    });
    await Promise.allSettled(published);
    return published.length;
  }

  /** Null when there is nothing to publish. */
  #publish(
    { jobId, workflowId, reason: general }: WaitingChange,
    isKnown: typeof isSaid,
  ): Promise<unknown> | null {
    const { runs, bus, apiGroup, clock } = this.#context;
    const run = runs.current(workflowId);
    const job = run === null ? null : jobById(run, jobId);
    if (run === null || job === null || isKnown(job, general)) return null;
    const reason = withOwnJobs(run, general);
    if (this.#context.isLocal && reason.reason === 'no-environment')
      return bus.publish(offerNothing(this.#context, { run, job, jobId, absence: reason }));
    return bus.publish({
      apiVersion: apiVersionOf(apiGroup, 'Notification'),
      kind: 'Notification',
      metadata: {
        name: 'log notification',
        workflow_id: workflowId,
        namespace: run.namespace,
        creationTimestamp: clock.timestamp(),
        job_id: jobId,
        job_origin: job.origin,
      },
      spec: {
        logs: [describeWaiting(reason, job.name)],
        ...specEntries({ type: 'Held', job: null, reason }),
      },
    });
  }
}

function requestOf({ metadata, 'runs-on': tags }: ExecutionCommandEvent, order: number): Request {
  const { job_id: jobId, workflow_id: workflowId, namespace } = metadata;
  return { jobId, workflowId, jobName: metadata.name, namespace, tags, order };
}

const isRequest = (event: LoggedEvent): event is ExecutionCommandEvent =>
  event.kind === 'ExecutionCommand' && event.metadata.step_sequence_id === STEP_SEQUENCE.request;

/** Ends the run: a job that is in no queue would wait for ever. */
function tooManyTagSets(
  context: AgentChannelContext,
  { workflowId, namespace, jobName }: Request,
): ExecutionErrorEvent {
  const error = `Job "${jobName}" cannot wait for an environment: the jobs of namespace "${namespace}" wait for too many different sets of tags, or too many agents have these tags. Start fewer jobs at a time, or give them the same tags.`;
  return executionError(context, { name: jobName, workflow_id: workflowId, namespace }, error);
}

/** A restart is no news: an earlier notice to a job still holds. */
function isSaid({ waiting }: Job, reason: WaitingReason): boolean {
  if (waiting?.reason !== reason.reason) return false;
  if (waiting.reason !== 'no-environment' || reason.reason !== 'no-environment') return true;
  return waiting.missingTags.join() === reason.missingTags.join();
}

/** False also when other jobs hold the environments now: a notice names these jobs. */
function isSame(job: Job, reason: WaitingReason): boolean {
  if (!isSaid(job, reason)) return false;
  if (job.waiting?.reason !== 'busy' || reason.reason !== 'busy') return true;
  return occupantsOf(job.waiting) === occupantsOf(reason);
}

const occupantsOf = ({ environments }: Extract<WaitingReason, { reason: 'busy' }>): string =>
  environments
    .map(({ channel_id: channel, job_id: job }) => `${channel} ${job}`)
    .sort()
    .join();

interface AgentOffer {
  readonly agent: Agent;
  readonly request: Request;
  readonly run: Run | null;
  /** The operator's hooks. */
  readonly hooks: readonly Hook[];
}

function offerOfAgent(
  context: AgentChannelContext,
  { agent, request, run, hooks }: AgentOffer,
): ExecutionResultEvent {
  const job = run === null ? null : jobById(run, request.jobId);
  const { origin = [] } = job ?? {};
  context.waits.note(request, job, context.clock.now());
  const root = rootOf(agent);
  return offerOf(
    context,
    { ...request, origin },
    {
      channel_id: channelIdOf(agent),
      channel_name: agent.registration.metadata.name,
      channel_os: osOf(agent),
      ...(root === null ? {} : { channel_temp: root }),
      ...metadataEntries({ type: 'EnvironmentOffered', hooks }),
    },
  );
}
