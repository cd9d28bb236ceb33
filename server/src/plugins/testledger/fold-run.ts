/** Folds the executions of a run that is over into the history of its tests. Done again after a kill, it repeats nothing. */
import { hash } from 'node:crypto';
import { parseTimestamp, type WorkflowId } from '@tutti/manifests';
import {
  failureRate,
  isFailure,
  isFirstAttempt,
  isMass,
  Ledger,
  percentilesOf,
  testIdOf,
  variantIdOf,
  windowOf,
} from '@tutti/test-history';
import type { TestCaseManifest } from '@tutti/workflow';
import type { RunDirectory } from '../../bus/bus.ts';
import { Turns } from '../../runtime/turns.ts';
import type { Store, StoredTestCase } from '../../store/store.ts';
import type {
  FoldedVariant,
  JournalRow,
  KeptExecution,
  TestedRun,
  TestRow,
  UnfoldedRun,
  VariantRow,
} from '../../store/test-history.ts';
import { HISTORY_LIMITS } from './limits.ts';
import { type KnownRun, knownRun, type TestedJob } from './run-facts.ts';

export interface FoldDeps {
  readonly store: Pick<
    Store,
    'workflow' | 'testCases' | 'begunRun' | 'knownVariants' | 'document' | 'write'
  >;
  readonly runs: Pick<RunDirectory, 'find'>;
  readonly mainBranches: readonly string[];
  /** Ends the work between two pages. */
  readonly signal: AbortSignal;
}

/** Folds nothing of a run that was removed meanwhile. */
export async function foldRun(deps: FoldDeps, { workflowId, mark }: UnfoldedRun): Promise<void> {
  const row = await deps.store.workflow(workflowId);
  if (row === null) return;
  const run = await deps.runs.find(workflowId);
  if (run === null) throw new Error('A run has results and no events.');
  const known = await knownRun(deps.store, { run, row, mainBranches: deps.mainBranches });
  const begun = await beginning(deps, workflowId, known);
  const folding = new Folding(deps, begun);
  for await (const items of casesOf(deps, workflowId)) {
    await folding.foldPage(await pageOf(deps, items, known));
  }
  const end = { run: begun.run, workflowId, mark, onlyFailed: folding.onlyFailed };
  await deps.store.write({ testHistory: { end } });
}

/** Jobs with a mass failure are found and stored before anything is folded. Folding changes what they are found by. */
async function beginning(
  deps: FoldDeps,
  workflowId: WorkflowId,
  known: KnownRun,
): Promise<TestedRun> {
  const { store } = deps;
  const begun = await store.begunRun(workflowId);
  if (begun !== null) return begun;
  const massJobs = known.facts.isMain ? await massJobsOf(deps, workflowId, known) : [];
  await store.write({ testHistory: { begin: { ...known.facts, massJobs } } });
  const written = await store.begunRun(workflowId);
  if (written === null) throw new Error('The folding of a run was begun, and is not there.');
  return written;
}

async function massJobsOf(
  deps: FoldDeps,
  workflowId: WorkflowId,
  known: KnownRun,
): Promise<readonly string[]> {
  const counts = new Map<string, { ran: number; newFailures: number }>();
  const count = (job: string, isNewFailure: boolean) => {
    const sum = counts.get(job) ?? { ran: 0, newFailures: 0 };
    sum.ran += 1;
    if (isNewFailure) sum.newFailures += 1;
    counts.set(job, sum);
  };
  for await (const items of casesOf(deps, workflowId)) {
    // Most test cases passed at once, and nothing more of them is read.
    const [passed, others] = [items.filter(hasPassedAtOnce), items.filter(hasNotPassedAtOnce)];
    for (const { jobId } of passed) count(jobOf(known, jobId).key, false);
    for (const { variant, executions, before } of await pageOf(deps, others, known)) {
      const first = executions.find(isFirstAttempt);
      if (first === undefined || first.outcome === 'skipped') continue;
      count(variant.job, isFailure(first) && before?.hasFailedInLastRun !== true);
    }
  }
  return [...counts].filter(([, sum]) => isMass(sum)).map(([job]) => job);
}

const hasPassedAtOnce = ({ outcome, executions }: StoredTestCase): boolean =>
  outcome === 'success' && executions === 1;
const hasNotPassedAtOnce = (item: StoredTestCase): boolean => !hasPassedAtOnce(item);

/** A variant of a page, with those of its executions that are not yet kept. */
interface PagedVariant {
  readonly test: TestRow;
  readonly variant: VariantRow;
  readonly executions: readonly KeptExecution[];
  /** Null where none was folded. */
  readonly before: Ledger | null;
  /** Whether no attempt passed. */
  readonly hasFailed: boolean;
}

/** Pages of test cases; everything else has its turn in between. */
async function* casesOf(
  { store, signal }: FoldDeps,
  workflowId: WorkflowId,
): AsyncGenerator<readonly StoredTestCase[]> {
  const turns = new Turns();
  for (let offset = 0; ; ) {
    const { items } = await store.testCases(workflowId, offset, HISTORY_LIMITS.pageCases);
    if (items.length === 0) return;
    yield items;
    offset += items.length;
    signal.throwIfAborted();
    if (turns.isOver) await turns.next();
  }
}

async function pageOf(
  { store }: FoldDeps,
  items: readonly StoredTestCase[],
  known: KnownRun,
): Promise<readonly PagedVariant[]> {
  if (items.length === 0) return [];
  const cases = items.map((item) => caseOf(item, known));
  const stored = await store.knownVariants(
    known.facts.workflowId,
    cases.map(({ variant }) => variant.id),
  );
  const byId = new Map(stored.map((each) => [each.id, each]));
  return cases.map(({ executions, ...rest }) => {
    const { ledger = null, lastAttempt = 0 } = byId.get(rest.variant.id) ?? {};
    return {
      ...rest,
      executions: executions.filter(({ attempt }) => attempt > lastAttempt),
      before: ledger === null ? null : Ledger.read(ledger),
    };
  });
}

const sha1 = (bytes: Uint8Array): Uint8Array => hash('sha1', bytes, 'buffer');
const NO_JOB: TestedJob = { key: '', place: 0 };

const jobOf = ({ jobs }: KnownRun, jobId: string): TestedJob => jobs.get(jobId) ?? NO_JOB;

export function caseOf(
  {
    jobId,
    json,
    history,
    executions,
  }: Pick<StoredTestCase, 'jobId' | 'json' | 'history' | 'executions'>,
  known: KnownRun,
): Omit<PagedVariant, 'before'> {
  const manifest: TestCaseManifest = JSON.parse(json);
  const { technology, suiteName: suite, testCaseName: name } = manifest.test;
  const { namespace, project } = known.facts;
  const parts = { namespace, project, technology, suite, name };
  const id = testIdOf(parts, sha1);
  const job = jobOf(known, jobId);
  const variant = { job: job.key, function: functionOf(manifest) };
  // The one that counts became of the test case, so it is the last.
  const all = [...history.map((each): TestCaseManifest => JSON.parse(each)), manifest];
  const first = executions - all.length + 1;
  return {
    test: { id, ...parts },
    variant: { id: variantIdOf(id, variant, sha1), ...variant },
    executions: all.map((each, at) => executionOf(each, first + at, job.place)),
    hasFailed: isFailure({ outcome: manifest.test.outcome }),
  };
}

/** Without its version, which says how a test is run. Test cases of one job that differ in their reference only are told apart. */
function functionOf({ test: { uses, test } }: TestCaseManifest): string {
  return [uses.replace(/@[^@]*$/, ''), test].filter((text) => text !== '').join(' ');
}

function executionOf(
  { test, execution }: TestCaseManifest,
  attempt: number,
  place: number,
): KeptExecution {
  return {
    attempt,
    place,
    outcome: test.outcome,
    startedMs: parseTimestamp(execution.startTime) ?? 0,
    durationMs: execution.duration,
  };
}

/** One folding of a run, page by page. */
class Folding {
  readonly #deps: FoldDeps;
  readonly #run: TestedRun;
  readonly #massJobs: ReadonlySet<string>;
  /** Tests that failed to the end of the run; two of them are enough to know that there are several. */
  readonly #failed = new Set<string>();

  constructor(deps: FoldDeps, run: TestedRun) {
    this.#deps = deps;
    this.#run = run;
    this.#massJobs = new Set(run.massJobs);
  }

  /** On another branch a failure may be that of the change. */
  get onlyFailed(): string | null {
    const [only = null, other] = this.#failed;
    return other === undefined && this.#run.isMain ? only : null;
  }

  async foldPage(page: readonly PagedVariant[]): Promise<void> {
    for (const { test, hasFailed } of page) {
      if (hasFailed && this.#failed.size < 2) this.#failed.add(test.id);
    }
    const folded = page
      .filter(({ executions }) => executions.length > 0)
      .map((each) => this.#fold(each));
    if (folded.length === 0) return;
    const part = {
      run: this.#run.run,
      variants: folded.map(({ variant }) => variant),
      journal: folded.flatMap(({ change }) => change ?? []),
    };
    await this.#deps.store.write({ testHistory: { part } });
  }

  #fold({ test, variant, executions, before }: PagedVariant): {
    readonly variant: FoldedVariant;
    readonly change: JournalRow | null;
  } {
    const kept = { test, variant, executions };
    if (!this.#run.isMain) return { variant: { ...kept, ledger: null }, change: null };
    const { run, versionNumber: version } = this.#run;
    const ledger = before ?? new Ledger();
    const stateBefore = ledger.state;
    const isMassJob = this.#massJobs.has(variant.job);
    for (const { startedMs: atMs, ...rest } of executions) {
      const execution = { ...rest, run, version, atMs: Math.round(atMs) };
      if (isMassJob) ledger.noteRun(execution);
      else ledger.fold(execution);
    }
    const figures = figuresOf(ledger, executions);
    return {
      variant: { ...kept, ledger: { ...figures, bytes: ledger.write() } },
      change: this.#changeOf(kept, stateBefore, ledger),
    };
  }

  #changeOf(
    { test, variant, executions }: Pick<PagedVariant, 'test' | 'variant' | 'executions'>,
    from: Ledger['state'],
    { state: to }: Ledger,
  ): JournalRow | null {
    if (from === to) return null;
    const { workflowId, version } = this.#run;
    return {
      atMs: Math.round(executions.at(-1)?.startedMs ?? 0),
      testId: test.id,
      variantId: variant.id,
      kind: 'state',
      json: JSON.stringify({ from, to, workflow_id: workflowId, version }),
    };
  }
}

function figuresOf(ledger: Ledger, executions: readonly KeptExecution[]) {
  const newestMs = executions.at(-1)?.startedMs ?? 0;
  const rate = failureRate(windowOf(ledger.counted, newestMs));
  return {
    state: ledger.state,
    flakeRate: ledger.judgement.flakeRate,
    failures: rate?.count ?? 0,
    executions: rate?.of ?? 0,
    durationMs: percentilesOf(ledger.durations)?.p50 ?? null,
    lastFailedMs: executions.findLast(isFailure)?.startedMs ?? null,
  };
}
