/** Which hooks of a simulated workflow hold where: those of called workflows are for their jobs alone. */
import { isDownloadKey } from './call-plan.ts';
import { allJobs, type HookPlan, type HookPlans, jobsOnWay, type WorkflowPlan } from './plan.ts';

/** All hooks of a plan, its own and those of called workflows. */
export const everyHook = (plan: WorkflowPlan): readonly HookPlan[] => [
  ...Object.values(plan.hooks).flat(),
  ...allJobs(plan.jobs).flatMap(({ bundle }) => bundle?.called.hooks ?? []),
];

export const everyHookOn = (plan: WorkflowPlan, on: HookPlan['on']): readonly HookPlan[] =>
  everyHook(plan).filter((hook) => hook.on === on);

/** Hooks for the job with this key. Download jobs have none of the workflow. */
export function hooksFor(plan: WorkflowPlan, key: string): HookPlans {
  const { hooks } = plan;
  if (isDownloadKey(key)) return { ...hooks, workflow: [] };
  const called = jobsOnWay(plan, key).flatMap(({ bundle }) => bundle?.called.hooks ?? []);
  return withCalled(hooks, called);
}

/** Hooks of a called workflow run inside those of its caller. */
export const withCalled = (hooks: HookPlans, called: readonly HookPlan[]): HookPlans => ({
  ...hooks,
  workflow: [...hooks.workflow, ...called],
});
