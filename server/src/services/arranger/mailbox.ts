/**
 * The mailbox of one run: it decides inputs one after the other, and commits the waiting ones together. A failed commit (the log
 * had grown elsewhere, the store failed) leaves no trace. The run is folded again from the log, and inputs are decided again or
 * their senders get the error.
 */
import {
  isRunEvent,
  type LoggedEvent,
  loggedEvent,
  type Steps,
  type WorkflowId,
} from '@tutti/manifests';
import {
  createRedactor,
  DECISION_STEPS_MAX,
  type Decision,
  type DecisionContext,
  decide,
  emptyRun,
  maskSteps,
  type Redactor,
  type Run,
  type RunInput,
  type ShownEvent,
} from '@tutti/workflow';
import type { CommittedEvent, Dispatcher, Following, PublishOutcome } from '../../bus/bus.ts';
import { REDACTION_LIMITS, type RedactionThreads, redactedInThread } from '../../bus/redaction.ts';
import type { Clock, Ids } from '../../runtime/clock.ts';
import { heapBytes } from '../../runtime/heap-bytes.ts';
import type { MemoryProblem, RunMemory } from '../../runtime/run-memory.ts';
import { nextTurn, Turns } from '../../runtime/turns.ts';
import {
  type AppendResult,
  type DocumentWrite,
  type Projection,
  RUN_MASKS,
  type Store,
} from '../../store/store.ts';
import { type FoldedLog, foldLog } from './folded-log.ts';
import { isNoticeOnly, overfullReason } from './overfull.ts';
import { RunShare } from './run-share.ts';
import type { ResultsEvent } from './test-histories.ts';

export interface MailboxDeps {
  readonly store: Store;
  readonly dispatcher: Dispatcher;
  readonly clock: Pick<Clock, 'timestamp' | 'now'>;
  readonly ids: Ids;
  /** Tags for the environments of download jobs, besides those of the calling jobs. */
  readonly downloadTags: readonly string[];
  /** Computes projections from the events that moved the run from `before` to `after`. */
  project(
    before: Run,
    after: Run,
    events: readonly CommittedEvent[],
    redactor: Pick<Redactor, 'document'>,
  ): Steps<Projection>;
  /** Limit for the events of a run, as JSON: beyond it, the run stops reporting. */
  readonly runBytesMax: number;
  /** Called after each commit, before the senders are answered. */
  changed(run: Run): void;
  /** Called after each commit of a run beyond that limit, with the reason as a sentence. */
  overfull(run: Run, reason: string): void;
  /** Called after each commit of a run that leaves too little memory. */
  crowded(run: Run, problem: MemoryProblem): void;
  readonly memory: RunMemory;
  readonly documents: RedactionThreads;
}

export interface Message {
  /** Accepted together, or not at all. */
  readonly inputs: readonly RunInput[];
  readonly documents: readonly DocumentWrite[];
  readonly following: readonly Following[];
}

interface Letter extends Message {
  readonly resolve: (outcome: PublishOutcome) => void;
  readonly reject: (error: unknown) => void;
}

interface DraftedEvent {
  readonly event: LoggedEvent;
  readonly json: string;
  /** False where it left the run as it was. */
  readonly folds: boolean;
}

interface Draft {
  readonly run: Run;
  readonly events: readonly DraftedEvent[];
  /** Size of the events as JSON. */
  readonly bytes: number;
  readonly documents: readonly DocumentWrite[];
  /** Outcomes of the decided letters, from the first one on. */
  readonly outcomes: readonly PublishOutcome[];
  /** Steps of the evaluations. */
  readonly steps: number;
}

/** Inputs decided in one commit; more would let one run's flood delay the commits of others. */
const BATCH_MAX = 64;
/** Bytes of events as JSON beyond which further inputs wait for the next commit: many steps may print at once. */
const BATCH_BYTES_MAX = 4 * 1024 * 1024;
/** Steps of evaluations after which further inputs wait for the next turn of the event loop. One input may take twice as many. */
const BATCH_STEPS_MAX = DECISION_STEPS_MAX / 2;
/** Each lost try means that another writer of the same log made progress. */
const TRIES_MAX = 20;
/** A run that begins is counted in full only above this size: counting takes milliseconds. */
const LARGE_RUN_BYTES = 1024 * 1024;
const ACCEPTED: PublishOutcome = { outcome: 'accepted' };

function decideAll(before: Run, inputs: readonly RunInput[], context: DecisionContext): Decision {
  const events: LoggedEvent[] = [];
  let run = before;
  let steps = 0;
  for (const input of inputs) {
    const decision = decide(run, input, context);
    if (decision.outcome === 'refused') return decision;
    run = decision.run;
    steps += decision.steps;
    // One by one: a call has a limit of arguments.
    for (const event of decision.events) events.push(event);
  }
  return { outcome: 'accepted', events, run, steps };
}

/** Decides the inputs of a message, and the events that its sender chooses then. */
function decideMessage(before: Run, message: Message, context: DecisionContext): Decision {
  const first = decideAll(before, message.inputs, context);
  if (first.outcome === 'refused') return first;
  let all = first;
  let last = first;
  for (const choose of message.following) {
    const event = choose(last.events, last.run);
    const next = event === null ? null : decide(last.run, { type: 'event', event }, context);
    if (next === null || next.outcome === 'refused') break;
    all = { ...next, events: [...all.events, ...next.events], steps: all.steps + next.steps };
    last = next;
  }
  return all;
}

const hasResults = (event: LoggedEvent): event is ResultsEvent =>
  isRunEvent(event) && event.kind === 'Notification' && event.spec.testResults !== undefined;

/** Stores the masks for readers that do not fold the run. */
function masksWrite(before: Run, after: Run): readonly DocumentWrite[] {
  if (before.masks === after.masks || after.masks.length === 0) return [];
  const json = JSON.stringify(after.masks);
  return [{ collection: RUN_MASKS, key: after.workflowId, json }];
}

export class Mailbox {
  readonly #deps: MailboxDeps;
  readonly #workflowId: WorkflowId;
  readonly #letters: Letter[] = [];
  readonly #share: RunShare;
  /** The state that inputs are decided on; null if the log must be read first. */
  #run: Run | null;
  /** State after the last known commit; it stays if a later one fails. */
  #committed: Run | null = null;
  /** State after the commit under way; null without one. */
  #coming: Run | null = null;
  #seq: number;
  /** Size of the events as JSON, in characters, which nearly always equals bytes. */
  #bytes = 0;
  #loading: Promise<Run> | null = null;
  #draining: Promise<void> | null = null;
  #redactor: { readonly masks: Run['masks']; readonly value: Redactor };
  #delivering = false;

  /** With a share of the memory, the run is new, so there is no log to read. */
  constructor(workflowId: WorkflowId, deps: MailboxDeps, share: RunShare | null) {
    this.#deps = deps;
    this.#workflowId = workflowId;
    this.#run = share === null ? null : emptyRun;
    this.#share = share ?? new RunShare(deps.memory);
    this.#seq = 0;
    this.#redactor = { masks: emptyRun.masks, value: createRedactor(emptyRun.masks) };
  }

  /** Rejects with `ServiceUnavailable` if waiting inputs take too much memory. */
  submit(message: Message): Promise<PublishOutcome> {
    return new Promise((resolve, reject) => {
      const leave = this.isIdle ? null : this.#deps.memory.holdWaiting(heapBytes(message.inputs));
      const letter: Letter = {
        ...message,
        resolve: (outcome) => {
          leave?.();
          resolve(outcome);
        },
        reject: (error) => {
          leave?.();
          reject(error);
        },
      };
      this.#letters.push(letter);
      this.#draining ??= this.#drain();
    });
  }

  /** The run as of the last commit, read from the log if need be. */
  async run(): Promise<Run> {
    if (this.#run !== null) return this.#run;
    // Loaded once for all concurrent callers: a second load would overwrite the state that the first caller changed.
    this.#loading ??= this.#load().finally(() => {
      this.#loading = null;
    });
    return await this.#loading;
  }

  /** The run if it is in memory, even if it must be read again. */
  get current(): Run | null {
    return this.#run ?? this.#committed;
  }

  /** The state in memory, and the state after the commit under way. */
  get states(): readonly Run[] {
    return [this.current, this.#coming].filter((run) => run !== null);
  }

  /** True without waiting senders, as each sender sees it when it is answered. */
  get isIdle(): boolean {
    return this.#letters.length === 0 && !this.#delivering;
  }

  /** Memory of the run. */
  get bytes(): number {
    return this.#share.bytes;
  }

  /** Frees its memory for other runs. */
  leaveMemory(): void {
    this.#share.leave();
  }

  /** Resolves when nothing waits. */
  async settled(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    // Letters of one turn of the event loop travel together. Measuring a large new run took the rest of this turn.
    await (this.#share.bytes < LARGE_RUN_BYTES ? Promise.resolve() : nextTurn());
    while (this.#letters.length > 0) {
      const letters = this.#letters.splice(0, BATCH_MAX);
      this.#delivering = true;
      try {
        const steps = await this.#deliver(letters);
        if (steps >= BATCH_STEPS_MAX) await nextTurn();
      } catch (error) {
        this.#run = null;
        this.#delivering = false;
        for (const letter of letters) letter.reject(error);
      } finally {
        this.#coming = null;
      }
    }
    this.#draining = null;
  }

  /** Undecided letters return to the queue. Resolves with the steps of the evaluations. */
  async #deliver(letters: readonly Letter[]): Promise<number> {
    for (let tries = 1; ; tries += 1) {
      const before = await this.run();
      const turns = new Turns();
      const draft = await this.#draft(before, letters, turns);
      this.#coming = draft.run;
      const result = await this.#append(before, draft, turns);
      if (result.outcome === 'appended') {
        this.#commit(draft, result.seq);
        this.#letters.unshift(...letters.slice(draft.outcomes.length));
        this.#delivering = false;
        draft.outcomes.forEach((outcome, index) => {
          letters[index]?.resolve(outcome);
        });
        return draft.steps;
      }
      this.#run = null;
      if (tries === TRIES_MAX) {
        throw new Error(`The log of workflow ${this.#workflowId} is written to by others.`);
      }
    }
  }

  /** The run cannot change meanwhile: only this mailbox changes it, batch by batch. */
  async #draft(before: Run, letters: readonly Letter[], turns: Turns): Promise<Draft> {
    const { clock, ids, downloadTags } = this.#deps;
    const at = clock.timestamp();
    const context = { at, newId: () => ids.random<never>(), downloadTags };
    const events: DraftedEvent[] = [];
    const documents: DocumentWrite[] = [];
    const outcomes: PublishOutcome[] = [];
    let run = before;
    let steps = 0;
    let bytes = 0;
    for (const letter of letters) {
      if (steps >= BATCH_STEPS_MAX || bytes >= BATCH_BYTES_MAX) break;
      if (turns.isOver) await turns.next();
      const decision = this.#decide(run, letter, context);
      outcomes.push(decision.outcome === 'refused' ? decision : ACCEPTED);
      if (decision.outcome === 'refused') continue;
      const folds = decision.run !== run;
      run = decision.run;
      steps += decision.steps;
      for (const decided of decision.events) {
        if (turns.isOver) await turns.next();
        const event = loggedEvent(
          hasResults(decided) ? await this.#withHistories(run, decided, turns) : decided,
        );
        const json = JSON.stringify(event);
        events.push({ event, json, folds });
        bytes += json.length;
      }
      documents.push(...letter.documents);
    }
    return { run, events, bytes, documents, outcomes, steps };
  }

  /** Adds what is known of the tests: the log has all that scopes and gates look at. */
  async #withHistories(run: Run, event: ResultsEvent, turns: Turns): Promise<LoggedEvent> {
    await turns.run(maskSteps(run.masks));
    // Loaded with the first results: a start needs none of it.
    const { withHistories } = await import('./test-histories.ts');
    const known = { redactor: this.#redactorFor(run), nowMs: this.#deps.clock.now() };
    return await withHistories(this.#deps.store, event, run, known);
  }

  #decide(run: Run, message: Message, context: DecisionContext): Decision {
    const { runBytesMax } = this.#deps;
    if (this.#bytes < runBytesMax || !isNoticeOnly(message.inputs))
      return decideMessage(run, message, context);
    return { outcome: 'refused', why: overfullReason(runBytesMax) };
  }

  async #append(before: Run, draft: Draft, turns: Turns): Promise<AppendResult> {
    if (draft.events.length === 0 && draft.documents.length === 0) {
      return { outcome: 'appended', seq: this.#seq };
    }
    await turns.run(maskSteps(draft.run.masks));
    const redactor = this.#redactorFor(draft.run);
    const events: CommittedEvent[] = [];
    for (const { event, json } of draft.events) {
      if (turns.isOver) await turns.next();
      const shown =
        json.length > REDACTION_LIMITS.lengthHere
          ? await this.#largeShown(redactor, event, json)
          : redactor.shown(event, json);
      events.push({ event, json, shown });
    }
    const projection = await turns.run(this.#deps.project(before, draft.run, events, redactor));
    if (turns.isOver) await turns.next();
    const outbox = this.#deps.dispatcher.outboxFor(events);
    if (turns.isOver) await turns.next();
    return await this.#deps.store.append({
      workflowId: this.#workflowId,
      expectedSeq: this.#seq,
      events: draft.events.map(({ event, json, folds }) => ({ kind: event.kind, json, folds })),
      projection,
      documents: [...draft.documents, ...masksWrite(before, draft.run)],
      outbox,
    });
  }

  async #largeShown(redactor: Redactor, event: LoggedEvent, json: string): Promise<ShownEvent> {
    const share = `namespace ${event.metadata.namespace}`;
    const text = await redactedInThread(this.#deps.documents, redactor, json, share);
    if (text === null) return redactor.shown(event, json);
    // Parsing a large text takes a turn of its own.
    await nextTurn();
    return { event: JSON.parse(text), json: text };
  }

  #redactorFor({ masks }: Run): Redactor {
    if (this.#redactor.masks !== masks) this.#redactor = { masks, value: createRedactor(masks) };
    return this.#redactor.value;
  }

  #commit(draft: Draft, seq: number): void {
    const firstSeq = this.#seq + 1;
    this.#run = draft.run;
    this.#committed = draft.run;
    this.#seq = seq;
    this.#bytes += draft.bytes;
    if (draft.events.length === 0) return;
    this.#deps.changed(draft.run);
    const events = draft.events.map(({ event }) => event);
    this.#deps.dispatcher.committed(events, firstSeq);
    const { runBytesMax } = this.#deps;
    // The share already counts the first event.
    const counted = firstSeq === 1 ? (draft.events[0]?.json.length ?? 0) : 0;
    const problem = this.#share.grow(draft.run, draft.bytes - counted);
    if (this.#bytes >= runBytesMax) this.#deps.overfull(draft.run, overfullReason(runBytesMax));
    else if (problem !== null) this.#deps.crowded(draft.run, problem);
  }

  async #load(): Promise<Run> {
    const log = await foldLog(this.#deps.store, this.#workflowId);
    this.restore(log);
    return log.run;
  }

  /** Takes over a log that was read. */
  restore({ run, seq, size }: FoldedLog): void {
    this.#seq = seq;
    this.#bytes = size;
    this.#run = run;
    this.#committed = run;
    this.#share.restore(run, size);
  }
}
