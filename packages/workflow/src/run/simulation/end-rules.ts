/** Cancelled and superseded jobs and runs end as asked, and none ends so without a reason. */
import type { RunEvent, WorkflowCanceledEvent } from '@tutti/manifests';
import { factOf } from '../../facts/decode.ts';
import { bundlesAround, jobsOfBundle, jobsOfWorkflow } from '../job-tree.ts';
import type { Job, Run, SupersededBy } from '../run.ts';
import { setsThatFailWith } from './fail-fast-rules.ts';
import { must } from './must.ts';

/** Causes that end a run before its jobs do. */
type Cause = 'error' | 'timeout' | 'superseded' | 'user';

export class EndRules {
  #cause: Cause | null = null;
  /** Reason of the cancellation that counts. */
  #reason: string | null = null;
  /** Takeovers by key of the job. */
  readonly #takenOver = new Map<string, SupersededBy>();
  /** Keys of the sets that were told to stop for a failure, and of the bundles that went on. */
  readonly #halts: { readonly set: string; readonly spared: string | null }[] = [];

  check(event: RunEvent, run: Run): void {
    if (event.kind === 'ExecutionError' && this.#cause === null) this.#cause = 'error';
    if (event.kind === 'WorkflowCancellation') {
      const { cause } = factOf(event);
      if (this.#cause === null || (this.#cause === 'timeout' && cause === 'user')) {
        this.#cause = cause;
        this.#reason = event.details?.reason ?? null;
      }
    }
    if (event.kind === 'Notification') this.#note(event, run);
    if (event.kind === 'WorkflowCanceled') this.#checkDetails(event.details, run);
  }

  #note(event: Extract<RunEvent, { kind: 'Notification' }>, run: Run): void {
    const fact = factOf(event);
    if (fact.type === 'Halted') {
      this.#halts.push({ set: fact.bundle, spared: fact.spared });
      this.#checkHalt(fact.bundle, run);
      if (fact.spared !== null) this.#checkSpared(fact.spared, run);
    }
    const { job_id: jobId } = event.metadata;
    if (fact.type === 'JobEnded' && fact.supersededBy !== null) {
      this.#take(fact.job, fact.supersededBy);
    } else if (fact.type === 'Superseded') {
      this.#take((jobId === undefined ? undefined : run.jobKeys.get(jobId)) ?? '', fact.by);
    }
  }

  #take(key: string, by: SupersededBy): void {
    must(!this.#takenOver.has(key), `The group of job ${key} is taken over twice.`);
    this.#takenOver.set(key, by);
  }

  /** Jobs stop for one beside them that failed, but not for one that gave way. */
  #checkHalt(set: string, run: Run): void {
    const failures = [...run.jobs.values()].filter(
      ({ key, result }) =>
        result === 'failure' || (result === 'cancelled' && !this.#takenOver.has(key)),
    );
    const hasFailed = failures.some((job) => setsThatFailWith(run, job).includes(set));
    must(hasFailed, `The jobs of "${set}" stop, though none of them failed.`);
  }

  /** Jobs go on beside stopped ones only where the author wrote so. */
  #checkSpared(key: string, run: Run): void {
    const { definition, bundle } = run.jobs.get(key) ?? {};
    const isWritten = definition?.strategy?.['fail-fast'] !== undefined;
    must(isWritten && bundle?.set.failFast === false, `Bundle ${key} goes on for nothing.`);
  }

  checkRun(run: Run): void {
    for (const job of run.jobs.values()) {
      if (job.result === null) continue;
      const isTaken = this.#takenOver.has(job.key);
      const isCancelled = job.result === 'cancelled';
      must(!isTaken || isCancelled, `Job ${job.key}, which gave way, ends ${job.result}.`);
      must(!isCancelled || this.#hasReason(run, job), `Job ${job.key} is cancelled for nothing.`);
    }
  }

  #hasReason(run: Run, job: Job): boolean {
    if (run.cancellation !== null || this.#takenOver.has(job.key)) return true;
    const around = bundlesAround(run, job);
    const isHalted = this.#halts.some(({ set, spared }) => isIn(set, job) && !isIn(spared, job));
    const isAroundStopped = around.some(
      ({ key, overtime }) => this.#takenOver.has(key) || overtime !== 'none',
    );
    const isInside = jobsOfBundle(run, job).some(({ result }) => result === 'cancelled');
    const isUnplaced = job.bundle === null && job.startedAt === null && job.requestedAt !== null;
    return isHalted || isAroundStopped || isInside || isUnplaced || job.overtime !== 'none';
  }

  #checkDetails({ status, reason }: WorkflowCanceledEvent['details'], run: Run): void {
    const { isWanted, says } = this.#expected(run);
    must((status === 'cancelled') === isWanted, `A run should not end with the status ${status}.`);
    must(says === null || reason === says, `A run ends for "${reason}", not for "${says}".`);
  }

  /** Whether somebody wanted the end, and the expected reason. */
  #expected(run: Run): { readonly isWanted: boolean; readonly says: string | null } {
    if (this.#cause !== null) {
      const isWanted = this.#cause === 'user' || this.#cause === 'superseded';
      return { isWanted, says: this.#reason };
    }
    const bad = jobsOfWorkflow(run).filter(
      ({ result }) => result === 'failure' || result === 'cancelled',
    );
    const taken = bad.flatMap(({ key }) => this.#takenOver.get(key) ?? []);
    const [first] = taken;
    const isWanted = first !== undefined && taken.length === bad.length;
    return { isWanted, says: isWanted ? sentence(first) : null };
  }
}

/** The empty key is that of the jobs of the workflow. */
const isIn = (set: string | null, { key }: Job): boolean =>
  set !== null && (set === '' || key.startsWith(`${set}/`) || key === set);

const sentence = ({ group, by }: SupersededBy): string =>
  `Concurrency group "${group}" was taken over by workflow ${by}.`;
