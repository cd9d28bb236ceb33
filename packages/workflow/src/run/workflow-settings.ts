/** Settings of a workflow that are evaluated once, when its run begins. From then on the metadata of the event has them. */
import type { EvaluationBudget } from '@tutti/expressions';
import { limitEntries } from '../facts/encode.ts';
import { workflowScope } from './contexts.ts';
import { epochMs } from './deadlines.ts';
import { attempt, countOf, type Evaluated, flag, minutesToMs } from './evaluation.ts';
import type { Run } from './run.ts';

const NOTHING_SET: Evaluated<object> = { ok: true, value: {} };

/** Entries of the metadata; only for settings that exist, and of limits of jobs only for expressions. */
export function settingsOfWorkflow(run: Run, within: EvaluationBudget): Evaluated<object> {
  const { 'timeout-minutes': minutes, strategy = {} } = run.manifest;
  const { 'max-parallel': limit, 'fail-fast': failFast } = strategy;
  if (minutes === undefined && typeof limit !== 'string' && typeof failFast !== 'string') {
    return NOTHING_SET;
  }
  const scope = workflowScope(run, within);
  const deadline = attempt('timeout-minutes', () =>
    minutes === undefined
      ? {}
      : { deadlineMs: epochMs(run.createdAt) + minutesToMs(minutes, scope) },
  );
  if (!deadline.ok) return deadline;
  return attempt('strategy', () =>
    limitEntries({
      ...deadline.value,
      ...(typeof limit === 'string' ? { maxParallel: countOf(limit, scope) } : {}),
      ...(typeof failFast === 'string' ? { failFast: flag(failFast, scope) } : {}),
    }),
  );
}
