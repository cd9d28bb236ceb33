/** Rule for environments: each request of a job names its tags and those of the bundles around it. It names no others. */
import type { RunEvent } from '@tutti/manifests';
import { BundleTracker } from './bundle-rules.ts';
import { expectedTags } from './environment-plan.ts';
import { must } from './must.ts';
import type { WorkflowPlan } from './plan.ts';

export class EnvironmentRules {
  readonly #plan: WorkflowPlan;
  readonly #bundles = new BundleTracker();
  readonly #tags = new Map<string, readonly string[] | null>();

  constructor(plan: WorkflowPlan) {
    this.#plan = plan;
  }

  check(event: RunEvent): void {
    this.#bundles.hear(event);
    if (event.kind !== 'ExecutionCommand' && event.kind !== 'ProviderCommand') return;
    const key = this.#bundles.keyOf(event.metadata.job_id) ?? '';
    const expected = this.#tagsOf(key);
    must(expected !== null, `Job ${key} goes on, though nobody can tell its tags.`);
    const given = event['runs-on'].join();
    must(
      given === expected.join(),
      `Job ${key} should run on ${expected.join()}, not on ${given}.`,
    );
  }

  #tagsOf(key: string): readonly string[] | null {
    const tags = this.#tags.has(key) ? this.#tags.get(key) : expectedTags(this.#plan, key);
    this.#tags.set(key, tags ?? null);
    return tags ?? null;
  }
}
