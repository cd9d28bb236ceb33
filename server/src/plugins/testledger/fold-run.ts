/** Folds the executions of a run that is over into the history of its tests. Done again after a kill, it repeats nothing. */
import { hash } from 'node:crypto';
import { parseTimestamp, type WorkflowId } from '@tutti/manifests';
import {
  failureOf,
  functionOf,
  hasRecovered,
  isFailure,
  isFirstAttempt,
  isMass,
  Ledger,
  testIdOf,
  variantIdOf,
} from '@tutti/test-history';
import type { TestCaseManifest } from '@tutti/workflow';
import type { RunDirectory } from '../../bus/bus.ts';
import type { Logger } from '../../runtime/logger.ts';
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
import { CAUSE_LIMITS, HISTORY_LIMITS } from './limits.ts';
import { releasesFor } from './recovered-tests.ts';
import { type KnownRun, knownRun, type TestedJob } from './run-facts.ts';
import { CauseTracer, type TracedFailure } from './trace-causes.ts';

export interface FoldDeps {
  readonly store: Pick<
    Store,
    | 'workflow'
    | 'testCases'
    | 'begunRun'
    | 'knownVariants'
    | 'knownCauses'
    | 'testVariants'
    | 'testJournal'
    | 'document'
    | 'write'
  >;
  readonly runs: Pick<RunDirectory, 'find'>;
  readonly mainBranches: readonly string[];
  readonly logger: Pick<Logger, 'warn'>;
  /** Ends the work between two pages. */
  readonly signal: AbortSignal;
}

/** Folds nothing of a run that was removed meanwhile. */
export async function foldRun(deps: FoldDeps, { workflowId, mark }: UnfoldedRun): Promise<void> {
  const row = await deps.store.workflow(workflowId);
  if (row === null) return;
  const run = await deps.runs.find(workflowId);
  if (run === null) throw new Error('A run has results and no events.');
  const known = await knownRun(deps, { run, row, mainBranches: deps.mainBranches });
  const begun = await beginning(deps, workflowId, known);
  const folding = new Folding(deps, begun, known);
  for await (const items of casesOf(deps, workflowId)) {
    await folding.foldPage(await pageOf(deps, items, known));
  }
  const { onlyFailed, begunAnew } = folding;
  if (begunAnew > 0) {
    deps.logger.warn({ workflowId, variants: begunAnew }, 'Ledgers of another format begin anew.');
  }
  const end = { run: begun.run, workflowId, mark, onlyFailed };
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

/** An execution with what its report says of it. */
interface ReadExecution extends KeptExecution {
  readonly details: TestCaseManifest['execution'];
}

/** A variant of a page, with those of its executions that are not yet kept. */
interface PagedVariant {
  readonly test: TestRow;
  readonly variant: VariantRow;
  readonly executions: readonly ReadExecution[];
  /** Null where none was folded, or it has another format. */
  readonly before: Ledger | null;
  readonly hasOtherFormat: boolean;
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
    const before = ledger === null ? null : Ledger.read(ledger);
    return {
      ...rest,
      executions: executions.filter(({ attempt }) => attempt > lastAttempt),
      before,
      hasOtherFormat: ledger !== null && before === null,
    };
  });
}

const sha1 = (bytes: Uint8Array): string => hash('sha1', bytes);
const NO_JOB: TestedJob = { key: '', place: 0 };

const jobOf = ({ jobs }: KnownRun, jobId: string): TestedJob => jobs.get(jobId) ?? NO_JOB;

/** A test case of a run with its executions. */
type ReportedCase = Pick<StoredTestCase, 'jobId' | 'json' | 'history' | 'executions' | 'counting'>;

export function caseOf(
  stored: ReportedCase,
  known: KnownRun,
): Omit<PagedVariant, 'before' | 'hasOtherFormat'> {
  const { jobId, json } = stored;
  const manifest: TestCaseManifest = JSON.parse(json);
  const { technology, suiteName: suite, testCaseName: name } = manifest.test;
  const { namespace, project } = known.facts;
  const parts = { namespace, project, technology, suite, name };
  const id = testIdOf(parts, sha1);
  const job = jobOf(known, jobId);
  const variant = { job: job.key, function: functionOf(manifest.test) };
  return {
    test: { id, ...parts },
    variant: { id: variantIdOf(id, variant, sha1), ...variant },
    executions: executionsOf(stored, manifest, job.place),
    hasFailed: isFailure({ outcome: manifest.test.outcome }),
  };
}

/** The newest executions are kept, and the one that counts. A result that came later than that may count less. */
function executionsOf(
  { history, executions, counting }: ReportedCase,
  manifest: TestCaseManifest,
  place: number,
): readonly ReadExecution[] {
  let attempt = executions;
  const others = history.toReversed().map((json) => {
    if (attempt === counting) attempt -= 1;
    return executionOf(JSON.parse(json), attempt--, place);
  });
  return [...others, executionOf(manifest, counting, place)].toSorted(
    (one, other) => one.attempt - other.attempt,
  );
}

function executionOf(
  { test, execution }: TestCaseManifest,
  attempt: number,
  place: number,
): ReadExecution {
  return {
    attempt,
    place,
    outcome: test.outcome,
    startedMs: parseTimestamp(execution.startTime) ?? 0,
    durationMs: execution.duration,
    details: execution,
  };
}

/** A change of the state of a variant. */
interface Change extends Record<'from' | 'to', Ledger['state']> {
  readonly entry: JournalRow;
}

/** One folding of a run, page by page. */
class Folding {
  readonly #deps: FoldDeps;
  readonly #run: TestedRun;
  readonly #massJobs: ReadonlySet<string>;
  readonly #shown: KnownRun['shown'];
  readonly #tracer: CauseTracer;
  /** Tests that failed to the end of the run; two of them are enough to know that there are several. */
  readonly #failed = new Set<string>();
  /** Variants whose ledger could not be read. */
  begunAnew = 0;

  constructor(deps: FoldDeps, run: TestedRun, { shown }: Pick<KnownRun, 'shown'>) {
    this.#deps = deps;
    this.#run = run;
    this.#shown = shown;
    const { namespace, project, createdAt } = run;
    const atMs = Math.round(parseTimestamp(createdAt) ?? 0);
    this.#tracer = new CauseTracer(deps.store, { namespace, project, atMs });
    this.#massJobs = new Set(run.massJobs);
  }

  /** On another branch a failure may be that of the change. */
  get onlyFailed(): string | null {
    const [only = null, other] = this.#failed;
    return other === undefined && this.#run.isMain ? only : null;
  }

  async foldPage(page: readonly PagedVariant[]): Promise<void> {
    for (const { test, hasFailed, hasOtherFormat } of page) {
      if (hasFailed && this.#failed.size < 2) this.#failed.add(test.id);
      if (hasOtherFormat) this.begunAnew += 1;
    }
    const folded = page
      .filter(({ executions }) => executions.length > 0)
      .map((each) => this.#fold(each));
    if (folded.length === 0) return;
    const items = await this.#tracer.trace(page.flatMap((each) => this.#failuresOf(each)));
    const variants = folded.map(({ variant }) => variant);
    const changes = folded.flatMap(({ change }) => change ?? []);
    const recovered = changes.filter(({ from, to }) => hasRecovered(from, to));
    const released = await releasesFor(this.#deps.store, recovered, variants);
    const entries = changes.map(({ entry }) => entry);
    const part = {
      run: this.#run.run,
      variants,
      journal: [...entries, ...released],
      ...(items.length === 0 ? {} : { causes: { bounds: CAUSE_LIMITS, items } }),
    };
    await this.#deps.store.write({ testHistory: { part } });
  }

  /** Texts are those that may be shown. */
  #failuresOf({ variant, executions }: PagedVariant): readonly TracedFailure[] {
    return executions.filter(isFailure).map(({ details, place }) => {
      const { type, message, stack } = failureOf(details);
      const shown = this.#shown;
      const failure = { type: shown(type), message: shown(message), stack: shown(stack) };
      return { failure, variantId: variant.id, place };
    });
  }

  #fold({ test, variant, executions: read, before }: PagedVariant): {
    readonly variant: FoldedVariant;
    readonly change: Change | null;
  } {
    const executions = read.map(({ details: _, ...execution }) => execution);
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
    return {
      variant: { ...kept, ledger: { ...figuresOf(ledger, executions), bytes: ledger.write() } },
      change: this.#changeOf(kept, stateBefore, ledger),
    };
  }

  #changeOf(
    { test, variant, executions }: Pick<FoldedVariant, 'test' | 'variant' | 'executions'>,
    from: Ledger['state'],
    { state: to }: Ledger,
  ): Change | null {
    if (from === to) return null;
    const { workflowId, version } = this.#run;
    const entry = {
      atMs: Math.round(executions.at(-1)?.startedMs ?? 0),
      testId: test.id,
      variantId: variant.id,
      kind: 'state',
      json: JSON.stringify({ from, to, workflow_id: workflowId, version }),
    };
    return { from, to, entry };
  }
}

/** Lists are ordered by them. With fewer digits, few of them change with a run. */
function figuresOf(ledger: Ledger, executions: readonly KeptExecution[]) {
  const { flakeRate, durationMs, ...counts } = ledger.figuresAt(executions.at(-1)?.startedMs ?? 0);
  return {
    ...counts,
    flakeRate: Math.round(flakeRate * 1_000) / 1_000,
    durationMs: durationMs === null ? null : Number(durationMs.toPrecision(2)),
    lastFailedMs: executions.findLast(isFailure)?.startedMs ?? null,
  };
}
