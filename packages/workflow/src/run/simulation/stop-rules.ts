/**
 * Steps that may still start after a stop. After an error: none. After a cancellation, and in an overdue job: only steps that always run.
 * In a job whose cleanup is overdue: none.
 */
import type { JobId, RunEvent } from '@tutti/manifests';
import { STEP_SEQUENCE } from '@tutti/manifests';
import { factOf } from '../../facts/decode.ts';
import { BundleTracker, isStop, keyOf } from './bundle-rules.ts';
import { everyHookOn } from './hook-plan.ts';
import { must } from './must.ts';
import { allJobs, type Condition, type StepPlan, type WorkflowPlan } from './plan.ts';
import { stepsByKey, wordsOf } from './plan-manifest.ts';

const STARTS_ALWAYS: readonly Condition[] = ['always', 'cancelled'];
/** On teardown a step asks for nothing that it does not say. */
const CLEANS_UP: readonly Condition[] = [...STARTS_ALWAYS, 'default', 'plain'];

export class StopRules {
  readonly #steps: ReadonlyMap<string, StepPlan>;
  readonly #jobs: ReadonlyMap<string, Condition>;
  /** Keys of the steps of teardown hooks. */
  readonly #cleanup: ReadonlySet<string>;
  /** Steps of functions that cleanup steps call; nothing is cancelled in them. */
  readonly #inCleanup = new Set<string>();
  readonly #bundles = new BundleTracker();
  readonly #running = new Set<JobId>();
  readonly #stopped = new Set<JobId>();
  readonly #over = new Set<JobId>();
  #cause: 'error' | 'timeout' | 'user' | null = null;

  constructor(plan: WorkflowPlan) {
    this.#steps = stepsByKey(plan);
    const cleanup = everyHookOn(plan, 'teardown').flatMap(({ before, after }) => [
      ...before,
      ...after,
    ]);
    this.#cleanup = new Set(cleanup.map(({ key }) => key));
    const note = (step: StepPlan): void => {
      this.#inCleanup.add(step.key);
      step.nested?.forEach(note);
    };
    for (const { nested } of cleanup) nested?.forEach(note);
    this.#jobs = new Map(allJobs(plan.jobs).map(({ name, condition }) => [name, condition]));
  }

  check(event: RunEvent): void {
    this.#halted(this.#bundles.hear(event));
    if (event.kind === 'ExecutionError' && this.#cause === null) this.#stop('error');
    if (event.kind === 'WorkflowCancellation') {
      // The same steps may start after any cancellation; only a time limit may be followed by another cause.
      const cause = factOf(event).cause === 'timeout' ? 'timeout' : 'user';
      if (this.#cause === null || (this.#cause === 'timeout' && cause === 'user'))
        this.#stop(cause);
    }
    const fact = factOf(event);
    if (fact.type === 'JobOverdue') this.#overdue(fact.event.metadata.job_id);
    else if (event.kind === 'Notification' && isStop(fact)) {
      const { job_id: jobId } = event.metadata;
      if (jobId !== undefined) this.#stopped.add(jobId);
    }
    if (event.kind === 'ExecutionResult') {
      const { job_id: jobId, step_sequence_id: sequence } = event.metadata;
      if (sequence === STEP_SEQUENCE.request) this.#running.add(jobId);
      if (sequence === STEP_SEQUENCE.release) this.#running.delete(jobId);
    }
    this.#checkStart(event);
  }

  #stop(cause: 'error' | 'timeout' | 'user'): void {
    this.#cause = cause;
    for (const jobId of this.#running) this.#stopped.add(jobId);
    this.#bundles.halt('');
  }

  /** Jobs that run in these bundles stop; that is no time limit of their own. */
  #halted(bundles: readonly string[]): void {
    for (const jobId of this.#running) {
      if (this.#bundles.isWithin(jobId, bundles)) this.#stopped.add(jobId);
    }
  }

  #overdue(jobId: JobId | undefined): void {
    if (jobId === undefined) return;
    if (this.#stopped.has(jobId)) this.#over.add(jobId);
    this.#stopped.add(jobId);
  }

  #checkStart(event: RunEvent): void {
    if (event.kind === 'ProviderCommand') {
      this.#checkStep(event.metadata.job_id, wordsOf(event.step.with));
    } else if (event.kind === 'GeneratorCommand') {
      const key = keyOf(event.metadata);
      must(!this.#bundles.isStopped(key), `Bundle ${key} asks for jobs after it was told to stop.`);
    } else if (event.kind === 'ExecutionCommand') {
      const { job_id: jobId, step_sequence_id: sequence } = event.metadata;
      if (sequence === STEP_SEQUENCE.request) this.#checkJob(keyOf(event.metadata));
      if (sequence >= 0) this.#checkStep(jobId, event.scripts[0] ?? '');
    }
  }

  /** Jobs of a matrix have no condition of their own. */
  #checkJob(key: string): void {
    must(this.#cause !== 'error', `Job ${key} starts after the error.`);
    if (!this.#bundles.isHalted(key)) return;
    const condition = this.#jobs.get(key.slice(key.lastIndexOf('/') + 1)) ?? 'default';
    must(STARTS_ALWAYS.includes(condition), `Job ${key} starts beside jobs that were stopped.`);
  }

  #checkStep(jobId: JobId, words: string): void {
    const [key = ''] = words.split(' ');
    must(this.#cause !== 'error', `Step ${key} starts after the error.`);
    must(!this.#over.has(jobId), `Step ${key} starts after the time to clean up.`);
    const condition = this.#steps.get(key)?.condition ?? 'default';
    const always = this.#cleanup.has(key) ? CLEANS_UP : STARTS_ALWAYS;
    const isFree = !this.#stopped.has(jobId) || this.#inCleanup.has(key);
    const mayStart = isFree || always.includes(condition);
    must(mayStart, `Step ${key} starts in a job that was told to stop.`);
  }
}
