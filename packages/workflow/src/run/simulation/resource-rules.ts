/** Each step sees the files of the workflow it is written in. Addresses are the same in every step. */
import type { ProviderCommandEvent, RunEvent } from '@tutti/manifests';
import { factOf } from '../../facts/decode.ts';
import { extension } from '../../facts/extensions.ts';
import { BundleTracker } from './bundle-rules.ts';
import { isCall, isDownloadKey, REPOSITORY } from './call-plan.ts';
import { must } from './must.ts';
import { jobsOnWay, type WorkflowPlan } from './plan.ts';
import { expectedResources, filesSeenIn, filesSeenInCall, namesOf } from './resource-plan.ts';

export class ResourceRules {
  readonly #plan: WorkflowPlan;
  readonly #bundles = new BundleTracker();

  constructor(plan: WorkflowPlan) {
    this.#plan = plan;
  }

  check(event: RunEvent): void {
    this.#bundles.hear(event);
    if (event.kind === 'ProviderCommand') this.#checkCall(event);
    const fact = factOf(event);
    if (fact.type === 'StepStarted') {
      const { job_id: jobId, step_origin: origin } = fact.event.metadata;
      const isWritten = origin.length === 0 && fact.hook === null;
      must(!isWritten || !this.#isBroken, `Job ${jobId} says an address that there is not.`);
    }
  }

  get #isBroken(): boolean {
    return this.#plan.resources?.isBroken === true;
  }

  #checkCall({ metadata, contexts, step }: ProviderCommandEvent): void {
    const key = this.#bundles.keyOf(metadata.job_id) ?? '';
    const seen = { files: namesOf(this.#filesAt(key)), ...this.#addressed() };
    const shown = JSON.stringify(contexts.resources);
    must(shown === JSON.stringify(seen), `A function called by job ${key} sees ${shown}.`);
    must(contexts.secrets === undefined, `A function called by job ${key} sees secrets.`);
    const given = extension.record(step, 'with');
    const asked = JSON.stringify(given.repository);
    const isFetch = given.path !== undefined;
    const wanted = JSON.stringify(isFetch ? this.#fetchedFrom(key) : this.#given(asked));
    must(asked === wanted, `Job ${key} gives the repository ${asked} instead of ${wanted}.`);
  }

  #fetchedFrom(key: string): unknown {
    const isDirect = jobsOnWay(this.#plan, key).at(-1)?.bundle?.reference === 'direct';
    return isDirect ? REPOSITORY : this.#repository;
  }

  /** Steps of hooks and of functions are given none. */
  #given(asked: string | undefined): unknown {
    return asked === undefined ? undefined : this.#repository;
  }

  get #repository(): unknown {
    return expectedResources(this.#plan)?.repositories[0];
  }

  #filesAt(key: string): readonly string[] {
    const around = jobsOnWay(this.#plan, key);
    const inside = isDownloadKey(key) ? around.slice(0, -1) : around;
    const call = inside.findLast(({ bundle }) => bundle !== null && isCall(bundle))?.bundle ?? null;
    return call === null ? filesSeenIn(this.#plan) : filesSeenInCall(call);
  }

  /** By name, as expressions see them. */
  #addressed(): object {
    const { repositories = [], testmanagers = [] } = expectedResources(this.#plan) ?? {};
    const byName = (items: readonly { readonly name: string }[]) =>
      Object.fromEntries(items.map((item) => [item.name, item]));
    return { repositories: byName(repositories), testmanagers: byName(testmanagers) };
  }
}
