/** Which hooks of a simulated workflow hold where: those of called workflows are for their jobs alone. */
import { isDownloadKey } from './call-plan.ts';
import { allJobs, type HookPlan, type HookPlans, jobsOnWay, type WorkflowPlan } from './plan.ts';

/** All that there are, whoever wants them. */
export const everyHook = (plan: WorkflowPlan): readonly HookPlan[] => [
  ...Object.values(plan.hooks).flat(),
  ...allJobs(plan.jobs).flatMap(({ bundle }) => bundle?.called.hooks ?? []),
];

export const everyHookOn = (plan: WorkflowPlan, on: HookPlan['on']): readonly HookPlan[] =>
  everyHook(plan).filter((hook) => hook.on === on);

/** Those for the job with this key. Authors have none for jobs that nobody wrote. */
export function hooksFor(plan: WorkflowPlan, key: string): HookPlans {
  const { hooks } = plan;
  if (isDownloadKey(key)) return { ...hooks, workflow: [] };
  const called = jobsOnWay(plan, key).flatMap(({ bundle }) => bundle?.called.hooks ?? []);
  return withCalled(hooks, called);
}

/** Those of a called workflow stand within those of whoever calls. */
export const withCalled = (hooks: HookPlans, called: readonly HookPlan[]): HookPlans => ({
  ...hooks,
  workflow: [...hooks.workflow, ...called],
});
