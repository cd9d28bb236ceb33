/** Judges a run with the results that it took over from earlier runs. */
import { gateStatus, type QualityGate } from '@tutti/workflow';
import {
  awaitEarlier,
  type EarlierDeps,
  type EarlierResults,
  earlierResults,
  earlierWarnings,
  stillThere,
} from './earlier-results.ts';
import { type JudgeDeps, judgeRuns, type Patience, type ResultSource } from './judge-run.ts';

interface Judged {
  readonly own: ResultSource;
  readonly isDone: boolean;
  readonly gate: QualityGate;
}

/** Null when the time is over first. */
export async function judgeWithEarlier(
  deps: EarlierDeps & JudgeDeps,
  { own, isDone, gate }: Judged,
  patience: Patience,
) {
  const found = await earlierResults(deps, own.workflowId, patience);
  if (found === null || !(await awaitEarlier(deps, found, patience))) return null;
  const results = await judgeRuns({ ...deps, patience }, [own, ...found], gate);
  if (results === null) return null;
  const earlier = await stillThere(deps, found);
  const isWhole = earlier.every(({ isLost }) => !isLost);
  return {
    // Lost results can no longer be judged, so the gate must not pass.
    status: isWhole ? gateStatus(isDone, [...results.values()]) : ('FAILURE' as const),
    rules: Object.fromEntries(results),
    ...(earlier.length > 0 && { taken_over: earlier.map(shownResults) }),
    earlierWarnings: await earlierWarnings(deps, earlier),
  };
}

const shownResults = ({ workflowId, jobs, jobIds, isLost }: EarlierResults) => ({
  workflow_id: workflowId,
  jobs,
  job_ids: [...jobIds],
  ...(isLost && { lost: true }),
});
