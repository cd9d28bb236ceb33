/** The reports that the steps of a job attach by their names: no pattern of another step means them. */
import type { ChannelOs, JobId, WorkflowStep } from '@tutti/manifests';
import { attachmentsOf, linesOf } from './rehearsal-lines.ts';

/** Jobs whose names are kept in memory. */
const JOBS_MAX = 64;

/** The scripts that become of a step that calls a function, as far as they are known. Expressions in it have no values yet. */
export type ScriptsOfCall = (step: WorkflowStep, os: ChannelOs) => Promise<readonly string[]>;

export class NamedReports {
  readonly #scriptsOfCall: ScriptsOfCall;
  readonly #jobs = new Map<JobId, Promise<ReadonlySet<string>>>();

  constructor(scriptsOfCall: ScriptsOfCall) {
    this.#scriptsOfCall = scriptsOfCall;
  }

  /** `steps` are those of the job as the workflow has them. */
  of(jobId: JobId, steps: readonly WorkflowStep[], os: ChannelOs): Promise<ReadonlySet<string>> {
    const known = this.#jobs.get(jobId);
    if (known !== undefined) return known;
    const reading = this.#read(steps, os);
    this.#jobs.set(jobId, reading);
    for (const id of this.#jobs.keys()) {
      if (this.#jobs.size <= JOBS_MAX) break;
      this.#jobs.delete(id);
    }
    return reading;
  }

  async #read(steps: readonly WorkflowStep[], os: ChannelOs): Promise<ReadonlySet<string>> {
    const names = new Set<string>();
    for (const step of steps) {
      const scripts = step.run === undefined ? await this.#scriptsOfCall(step, os) : [step.run];
      for (const { name, isPattern } of attachmentsOf(linesOf(scripts), os === 'windows')) {
        if (!isPattern) names.add(name);
      }
    }
    return names;
  }
}
