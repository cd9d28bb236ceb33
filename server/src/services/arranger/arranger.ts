/** The arranger: one mailbox per live run, and the clock for their deadlines. */
import {
  type Actor,
  actorIn,
  isRunEvent,
  type LoggedEvent,
  OrchestratorError,
  type WorkflowEvent,
  type WorkflowId,
  workflowCancellation,
} from '@tutti/manifests';
import { allDeadlines, isLive, nextDeadline, type Run, type RunInput } from '@tutti/workflow';
import type { PublishOptions, PublishOutcome, RunDirectory, RunGate } from '../../bus/bus.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { MemoryProblem } from '../../runtime/run-memory.ts';
import type { Service } from '../../runtime/service.ts';
import { Turns } from '../../runtime/turns.ts';
import { ConcurrencyGroups, type GroupChange } from './concurrency-groups.ts';
import { DeadlineQueue } from './deadline-queue.ts';
import { type FoldedLogs, foldGrownLogs, foldLiveLogs, foldLog } from './folded-log.ts';
import { FollowedClock } from './followed-clock.ts';
import { Mailbox, type MailboxDeps, type Message } from './mailbox.ts';
import { isToBeEnded } from './overfull.ts';
import { admitRun } from './run-share.ts';

export interface Arranger extends Service, RunGate, RunDirectory {
  /** Folds the live runs, which another server goes on with. `start` then reads only those that have changed. */
  prepare(): Promise<void>;
  /** Undoes `prepare`: a third server takes the runs. */
  forgetPrepared(): void;
}

/** Node's longest timer is 24.8 days; a later deadline is looked at again then. */
const TIMER_MAX_MS = 2 ** 31 - 1;
/** Pause between two tries to store an input that nothing sends again, in milliseconds. And the number of tries: one hour. */
const RETRY_MS = 1_000;
const TRIES_MAX = 3_600;

const LEFT = 'The workflow waits for the server that it was started on, which does not run.';

interface ArrangerDeps extends Omit<MailboxDeps, 'changed' | 'clock' | 'overfull' | 'crowded'> {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether runs of a server stay with it; local runs do not. */
  readonly isLocal?: boolean;
  /** Instead of `RETRY_MS`. */
  readonly retryMs?: number;
}

export function createArranger(deps: ArrangerDeps): Arranger {
  return new RunArranger(deps);
}

/** The event that begins a run; null for any other input. */
function beginIn(input: RunInput): WorkflowEvent | null {
  if (input.type !== 'event' || !isRunEvent(input.event)) return null;
  return input.event.kind === 'Workflow' ? input.event : null;
}

class RunArranger implements Arranger {
  readonly name = 'arranger';
  readonly #deps: Omit<ArrangerDeps, 'clock'> & MailboxDeps;
  readonly #clock: FollowedClock;
  readonly #mailboxes = new Map<WorkflowId, Mailbox>();
  /** Ids of the runs that are not over. */
  readonly #live = new Set<WorkflowId>();
  readonly #deadlines = new DeadlineQueue();
  readonly #groups = new ConcurrencyGroups();
  /** Live runs that stay with their server. */
  readonly #left = new Set<WorkflowId>();
  /** Timers that retry inputs which could not be stored. */
  readonly #retries = new Set<NodeJS.Timeout>();
  #timer: { readonly handle: NodeJS.Timeout; readonly atMs: number } | null = null;
  #prepared: Promise<FoldedLogs | null> | null = null;
  #stopped = false;
  #isChecking = false;

  constructor(deps: ArrangerDeps) {
    const changed = (run: Run) => this.#changed(run);
    this.#clock = new FollowedClock(deps.clock, (ms) => this.#jumped(ms));
    const overfull = (run: Run, reason: string) => this.#end(run, reason);
    const crowded = (run: Run, { reason, toEnd }: MemoryProblem) =>
      this.#end(toEnd === 'itself' ? run : (this.#largestOf(toEnd.largestOf) ?? run), reason);
    this.#deps = { ...deps, clock: this.#clock, changed, overfull, crowded };
  }

  async prepare(): Promise<void> {
    // After a failure, `start` reads all.
    this.#prepared ??= foldLiveLogs(this.#deps.store).catch(() => null);
    await this.#prepared;
  }

  forgetPrepared(): void {
    this.#prepared = null;
  }

  async start(): Promise<void> {
    const { store } = this.#deps;
    const prepared = await this.#prepared;
    this.#prepared = null;
    const logs =
      prepared === null ? await foldLiveLogs(store) : await foldGrownLogs(store, prepared);
    const runs: Run[] = [];
    for (const log of logs.values()) {
      const { run } = log;
      this.#mailbox(run.workflowId).restore(log);
      if (this.#isOurs(run)) runs.push(run);
      else this.#leave(run.workflowId);
    }
    this.#notify(this.#groups.restore(runs));
    for (const run of runs) this.#follow(run);
    this.#arm();
  }

  #isOurs({ isLocal }: Run): boolean {
    return isLocal || this.#deps.isLocal !== true;
  }

  #leave(id: WorkflowId): void {
    this.#forget(id);
    this.#left.add(id);
  }

  #forget(id: WorkflowId): void {
    this.#mailboxes.get(id)?.leaveMemory();
    this.#mailboxes.delete(id);
    this.#clock.forget(id);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer.handle);
    this.#timer = null;
    for (const retry of this.#retries) clearTimeout(retry);
    this.#retries.clear();
    await Promise.all([...this.#mailboxes.values()].map((mailbox) => mailbox.settled()));
  }

  async submit(
    workflowId: WorkflowId,
    event: LoggedEvent,
    { documents = [], preceding = [], following = [] }: PublishOptions,
  ): Promise<PublishOutcome> {
    if (event.kind === 'WorkflowCancellation') this.#left.delete(workflowId);
    if (this.#left.has(workflowId)) throw new OrchestratorError('ServiceUnavailable', LEFT);
    const inputs = [...preceding, event].map((each): RunInput => ({ type: 'event', event: each }));
    return await this.#send(workflowId, { inputs, documents, following });
  }

  *live(): Iterable<Run> {
    for (const mailbox of this.#mailboxes.values()) {
      const run = mailbox.current;
      const isLeft = run !== null && this.#left.has(run.workflowId);
      if (run !== null && isLive(run) && !isLeft) yield run;
    }
  }

  get liveCount(): number {
    return this.#live.size;
  }

  current(workflowId: WorkflowId): Run | null {
    return this.#mailboxes.get(workflowId)?.current ?? null;
  }

  async find(workflowId: WorkflowId): Promise<Run | null> {
    const mailbox = this.#mailboxes.get(workflowId);
    const run = await (mailbox?.run() ??
      foldLog(this.#deps.store, workflowId).then((log) => log.run));
    return run.phase === 'NONE' ? null : run;
  }

  async #send(workflowId: WorkflowId, message: Message): Promise<PublishOutcome> {
    const [first] = message.inputs;
    const mailbox = this.#mailbox(workflowId, first === undefined ? null : beginIn(first));
    try {
      return await mailbox.submit(message);
    } finally {
      this.#evictIfOver(workflowId, mailbox);
    }
  }

  /** Throws if a new run does not fit into memory. */
  #mailbox(workflowId: WorkflowId, begin: WorkflowEvent | null = null): Mailbox {
    const known = this.#mailboxes.get(workflowId);
    if (known !== undefined) return known;
    const share = begin === null ? null : admitRun(this.#deps.memory, begin);
    const mailbox = new Mailbox(workflowId, this.#deps, share);
    this.#mailboxes.set(workflowId, mailbox);
    return mailbox;
  }

  /** Removes an ended run from memory once nothing is under way for it. */
  #evictIfOver(workflowId: WorkflowId, mailbox: Mailbox): void {
    const over = mailbox.current === null || !isLive(mailbox.current);
    if (over && mailbox.isIdle && this.#mailboxes.get(workflowId) === mailbox) {
      this.#forget(workflowId);
    }
  }

  #changed(run: Run): void {
    this.#follow(run);
    this.#arm();
    this.#notify(this.#groups.update(run));
    if (!this.#isChecking) void this.#findDeadlocks();
  }

  #follow(run: Run): void {
    if (isLive(run)) this.#live.add(run.workflowId);
    else this.#live.delete(run.workflowId);
    this.#setDeadline(run);
  }

  /** Resolves when all claims are checked, most of them at once. */
  async #findDeadlocks(): Promise<void> {
    this.#isChecking = true;
    const turns = new Turns();
    for (
      let change = this.#groups.checkNext();
      change !== null;
      change = this.#groups.checkNext()
    ) {
      this.#notify(change);
      if (turns.isOver) await turns.next();
    }
    this.#isChecking = false;
  }

  #setDeadline(run: Run): void {
    const { workflowId } = run;
    this.#deadlines.set(workflowId, nextDeadline(run, this.#clock.movedOf(workflowId)));
  }

  /** The system's clock was set, or the machine slept. */
  #jumped(ms: number): void {
    for (const [workflowId, mailbox] of this.#mailboxes) {
      if (this.#left.has(workflowId)) continue;
      const states = mailbox.states.filter(isLive);
      this.#clock.move(workflowId, states.flatMap(allDeadlines), ms);
      const { current } = mailbox;
      if (current !== null && isLive(current)) this.#setDeadline(current);
    }
    if (this.#timer !== null) clearTimeout(this.#timer.handle);
    this.#timer = null;
    this.#deps.logger.info(
      { ms: Math.round(ms) },
      'The clock of the system jumped; timeouts of runs move with it.',
    );
    setImmediate(() => this.#arm());
  }

  /** Null if all of them are ending. */
  #largestOf(namespace: string): Run | null {
    let largest: Run | null = null;
    let most = 0;
    for (const { current, bytes } of this.#mailboxes.values()) {
      if (current?.namespace !== namespace || bytes <= most || !isToBeEnded(current)) continue;
      largest = current;
      most = bytes;
    }
    return largest;
  }

  #end(run: Run, reason: string): void {
    if (!isToBeEnded(run)) return;
    const { clock, logger } = this.#deps;
    logger.warn({ workflowId: run.workflowId, reason }, 'A run is too large: it is canceled.');
    const event = workflowCancellation({ apiGroup: run.apiGroup, clock }, run, { reason });
    this.#post(run.workflowId, { type: 'event', event });
  }

  /** Superseded runs come first: a group must not be granted to a run that is ending. */
  #notify({ superseded, granted, held, deadlocked }: GroupChange): void {
    for (const { workflowId, job, group, by } of superseded) {
      const actor = this.#startedBy(by);
      this.#post(workflowId, { type: 'superseded', job, group, by, ...(actor && { actor }) });
    }
    for (const { workflowId, job } of granted) this.#post(workflowId, { type: 'granted', job });
    for (const { workflowId, job, group, heldBy, heldByJob } of held) {
      this.#post(workflowId, { type: 'held', job, group, heldBy, heldByJob });
    }
    for (const { workflowId, job, group, heldBy } of deadlocked) {
      this.#post(workflowId, { type: 'deadlocked', job, group, heldBy });
    }
  }

  /** The actor whose request started a run; the manifest is the first event of the run. */
  #startedBy(workflowId: WorkflowId): Actor | null {
    const run = this.#mailboxes.get(workflowId)?.current ?? null;
    return run === null ? null : actorIn(run.manifest.metadata);
  }

  /**
   * Sends an input without a waiting sender. It is retried here, because nothing else sends it again. Without it the run would
   * wait for ever, for its own group or for an overdue step.
   */
  #post(workflowId: WorkflowId, input: RunInput, tries = 1): void {
    const message = { inputs: [input], documents: [], following: [] };
    this.#send(workflowId, message).catch((error) => {
      if (this.#stopped) return;
      const about = { err: error, workflowId, input: input.type };
      if (tries === 1) this.#deps.logger.error(about, 'Input not stored; it is tried again.');
      if (tries < TRIES_MAX) this.#postLater(workflowId, input, tries + 1);
      else this.#deps.logger.error(about, 'Input not stored before the next start.');
    });
  }

  #postLater(workflowId: WorkflowId, input: RunInput, tries: number): void {
    const retry = setTimeout(() => {
      this.#retries.delete(retry);
      this.#post(workflowId, input, tries);
    }, this.#deps.retryMs ?? RETRY_MS);
    this.#retries.add(retry);
  }

  #arm(): void {
    const atMs = this.#deadlines.earliest();
    if (this.#timer !== null) {
      if (atMs !== null && this.#timer.atMs <= atMs) return;
      clearTimeout(this.#timer.handle);
      this.#timer = null;
    }
    if (atMs === null || this.#stopped) return;
    const delay = Math.min(Math.max(0, Math.ceil(atMs - this.#clock.now())), TIMER_MAX_MS);
    this.#timer = { atMs, handle: setTimeout(() => this.#due(), delay) };
  }

  #due(): void {
    this.#timer = null;
    const nowMs = this.#clock.now();
    for (const workflowId of this.#deadlines.takeDue(nowMs)) {
      const moved = this.#clock.movedOf(workflowId);
      this.#post(workflowId, { type: 'deadline', nowMs, moved });
    }
    this.#arm();
  }
}
