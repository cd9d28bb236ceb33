/** Which insights of a request are generated, once the run is as they will show it. */
import { evaluateCondition } from '@tutti/expressions';
import { isOrchestratorError } from '@tutti/manifests';
import { insightScope, type Run } from '@tutti/workflow';
import type { WantedInsight } from './insight-request.ts';

/** `skipped`: why the insight is not generated. */
export type InsightPlan =
  | { readonly name: string; readonly skipped: null; readonly insight: WantedInsight }
  | { readonly name: string; readonly skipped: string };

/** An insight whose condition does not hold, or cannot be evaluated for this run, is not generated. */
export function planInsight(insight: WantedInsight, run: Run): InsightPlan {
  const { name, condition } = insight;
  try {
    return evaluateCondition(condition, insightScope(run))
      ? { name, skipped: null, insight }
      : { name, skipped: 'The condition does not hold.' };
  } catch (error) {
    if (!isOrchestratorError(error)) throw error;
    return { name, skipped: `The condition cannot be evaluated: ${error.message}` };
  }
}
