/** Reads the results of the attempts of a judged step from the log of its run. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RunEvent, TestsCommandEvent } from '@tutti/manifests';
import { factOf, historiesIn } from '@tutti/workflow/facts';
import type { Store } from '../../store/store.ts';
import { type Attempt, addResult } from './verdict.ts';

export interface AttemptResults {
  readonly attempts: readonly Attempt[];
  isBroken: boolean;
}

/** Events that are read at a time: one with test results has some 64 KiB. */
const PAGE = 64;

export async function readAttempts(
  store: Pick<Store, 'events'>,
  command: TestsCommandEvent,
  signal: AbortSignal,
): Promise<AttemptResults> {
  const reader = new AttemptReader(command);
  for (let fromSeq = 1; ; ) {
    signal.throwIfAborted();
    const page = await store.events(command.metadata.workflow_id, fromSeq, PAGE);
    for (const json of page?.items ?? []) reader.add(json);
    if (page === null || page.items.length === 0) break;
    fromSeq += page.items.length;
    if (fromSeq > page.total) break;
    // A long log takes seconds, in which other requests want answers.
    await nextTurn();
  }
  return reader.results;
}

const WANTED = ['"attachment_origin"', '"ExecutionResult"', '"ProviderCommand"'];

class AttemptReader {
  readonly results: AttemptResults;
  readonly #command: TestsCommandEvent;
  /** The attempt of each attachment, from 0. */
  readonly #attempts: ReadonlyMap<string, number>;

  constructor(command: TestsCommandEvent) {
    this.#command = command;
    this.#attempts = new Map(
      command.attachments.flatMap((ids, attempt) => ids.map((id) => [id, attempt] as const)),
    );
    const attempts = command.attachments.map((): Attempt => new Map());
    this.results = { attempts, isBroken: false };
  }

  add(json: string): void {
    // Parsing every event of a long log only to look at its kind would take seconds.
    if (!json.includes(this.#command.metadata.job_id)) return;
    if (WANTED.some((part) => json.includes(part))) this.#take(JSON.parse(json));
  }

  #take(event: RunEvent): void {
    const fact = factOf(event);
    switch (fact.type) {
      case 'FunctionCalled':
        // Reports of earlier attempts were judged before.
        if (this.#isOfStep(fact.event.metadata.step_id)) this.results.isBroken = false;
        break;
      case 'StepAnswered': {
        const isOfStep = this.#isOfStep(fact.event.metadata.step_origin[0]);
        if (isOfStep && fact.missingReports.length > 0) this.results.isBroken = true;
        break;
      }
      case 'ReportRead':
      case 'WorkerChanged':
        this.#read(fact.event, fact.fault !== null);
        break;
      default:
    }
  }

  #isOfStep(stepId: string | undefined): boolean {
    return stepId === this.#command.metadata.step_id;
  }

  #read(event: Extract<RunEvent, { kind: 'Notification' }>, isBroken: boolean): void {
    const of = event.metadata.attachment_origin?.[0];
    if (isBroken && this.#attempts.get(of ?? '') === this.results.attempts.length - 1) {
      this.results.isBroken = true;
    }
    const histories = historiesIn(event);
    for (const [index, result] of (event.spec.testResults ?? []).entries()) {
      const attempt = this.#attempts.get(result.attachment_origin ?? of ?? '');
      const tests = attempt === undefined ? undefined : this.results.attempts[attempt];
      if (tests !== undefined) addResult(tests, result, histories[index] ?? null);
    }
  }
}
