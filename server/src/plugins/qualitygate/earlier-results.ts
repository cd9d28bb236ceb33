/**
 * The test results of jobs that a run took over from earlier runs. An earlier run may have taken a job over as well. Loaded for who asks
 * for them.
 */
import {
  BROKEN_REPORTS_SHOWN,
  type BrokenReport,
  brokenReportWarnings,
  isOrchestratorError,
  type JobId,
  messages,
  type WorkflowId,
} from '@tutti/manifests';
import {
  createRedactor,
  gateStatus,
  jobsWithin,
  maskSteps,
  type QualityGate,
  type TakenResults,
  takenResults,
} from '@tutti/workflow';
import { namesRerun } from '@tutti/workflow/facts';
import type { RunDirectory } from '../../bus/bus.ts';
import { Turns } from '../../runtime/turns.ts';
import type { Store } from '../../store/store.ts';
import {
  awaitWorkers,
  isGivenUp,
  type JudgeDeps,
  judgeRuns,
  type Patience,
  shownResults,
} from './judge-run.ts';
import { GATE_LIMITS } from './limits.ts';
import type { ResultSource } from './result-source.ts';

export interface EarlierDeps extends Pick<JudgeDeps, 'store' | 'clock' | 'feed'> {
  readonly runs: Pick<RunDirectory, 'find'>;
  readonly store: JudgeDeps['store'] & Pick<Store, 'brokenReports' | 'firstEvents'>;
}

/** Results that a run took over from one earlier run. */
interface EarlierResults {
  readonly workflowId: WorkflowId;
  /** As they may be shown: the keys of the jobs. */
  readonly jobs: readonly string[];
  readonly jobIds: ReadonlySet<JobId>;
  /** Names of all these jobs, for warnings that name jobs. */
  readonly names: ReadonlySet<string>;
  /** The run is no longer there, and its results are not either. */
  readonly isLost: boolean;
}

/** Newest run first; null when the time is over. */
async function earlierResults(
  deps: EarlierDeps,
  workflowId: WorkflowId,
  patience: Patience,
): Promise<readonly EarlierResults[] | null> {
  const run = (await isRerun(deps, workflowId)) ? await deps.runs.find(workflowId) : null;
  if (run === null) return [];
  await new Turns().run(maskSteps(run.masks));
  const redactor = createRedactor(run.masks);
  const shown = ({ keys }: { readonly keys: Iterable<string> }) =>
    redactor.document({ jobs: [...keys] }).jobs;
  const found: EarlierResults[] = [];
  let taken: TakenResults | null = takenResults(run);
  while (taken !== null) {
    if (isGivenUp(deps, patience)) return null;
    const earlier = await deps.runs.find(taken.from);
    if (earlier === null) return [...found, lostResults(taken.from, shown(taken))];
    const within = jobsWithin(earlier, taken.keys);
    const { ids: jobIds, names, keys } = within;
    const results = { workflowId: taken.from, jobs: shown(within), jobIds, names, isLost: false };
    if (keys.length > 0) found.push(results);
    taken = within.taken;
  }
  return found;
}

/** Most runs are none, and need not be folded from their logs. */
async function isRerun({ store }: EarlierDeps, workflowId: WorkflowId): Promise<boolean> {
  const [first] = await store.firstEvents([workflowId], 1);
  return typeof first === 'string' && namesRerun(first);
}

const lostResults = (workflowId: WorkflowId, jobs: readonly string[]): EarlierResults => ({
  workflowId,
  jobs,
  jobIds: new Set(),
  names: new Set(),
  isLost: true,
});

/** False when reports of these runs are still being read after the time. A run that was deleted is not waited for. */
async function awaitEarlier(
  deps: EarlierDeps,
  earlier: readonly EarlierResults[],
  patience: Patience,
): Promise<boolean> {
  for (const { workflowId, isLost } of earlier) {
    if (isLost) continue;
    try {
      if (!(await awaitWorkers(deps, workflowId, patience))) return false;
    } catch (error) {
      if (!isOrchestratorError(error) || error.reason !== 'NotFound') throw error;
    }
  }
  return true;
}

/** Marks earlier results as lost whose run was deleted while they were counted. */
async function stillThere(
  { store }: EarlierDeps,
  earlier: readonly EarlierResults[],
): Promise<readonly EarlierResults[]> {
  const rows = earlier.map(async (results) => {
    const isLost = results.isLost || (await store.workflow(results.workflowId)) === null;
    return { ...results, isLost };
  });
  return await Promise.all(rows);
}

/** Warnings about earlier results: lost ones, and reports that may miss test cases. */
export async function earlierWarnings(
  deps: EarlierDeps,
  earlier: readonly EarlierResults[],
): Promise<readonly string[]> {
  const warnings = earlier.map(async (results) =>
    results.isLost ? [lostText(results)] : await brokenReports(deps, results),
  );
  return (await Promise.all(warnings)).flat();
}

function lostText({ jobs, workflowId }: EarlierResults): string {
  const named = jobs.slice(0, GATE_LIMITS.namedJobs);
  return messages.takenResultsLost(named, jobs.length - named.length, workflowId);
}

async function brokenReports(
  { store }: EarlierDeps,
  { workflowId, names }: EarlierResults,
): Promise<readonly string[]> {
  const { items } = await store.brokenReports(workflowId, GATE_LIMITS.earlierReports);
  const reports = items
    .map((json): BrokenReport => JSON.parse(json))
    .filter(({ job }) => job === null || names.has(job));
  return brokenReportWarnings(reports.slice(0, BROKEN_REPORTS_SHOWN), reports.length);
}

interface Judged {
  readonly own: ResultSource;
  readonly isDone: boolean;
  readonly gate: QualityGate;
  readonly countsQuarantine: boolean;
}

/** Null when the time is over first. */
export async function judgeWithEarlier(
  deps: EarlierDeps & JudgeDeps,
  { own, isDone, gate, countsQuarantine }: Judged,
  patience: Patience,
) {
  const found = await earlierResults(deps, own.workflowId, patience);
  if (found === null || !(await awaitEarlier(deps, found, patience))) return null;
  const judging = { ...deps, patience, countsQuarantine };
  const results = await judgeRuns(judging, [own, ...found], gate);
  if (results === null) return null;
  const earlier = await stillThere(deps, found);
  const isWhole = earlier.every(({ isLost }) => !isLost);
  return {
    // Lost results can no longer be judged, so the gate must not pass.
    status: isWhole ? gateStatus(isDone, [...results.rules.values()]) : ('FAILURE' as const),
    ...shownResults(results),
    ...(earlier.length > 0 && { taken_over: earlier.map(shownEarlier) }),
    earlierWarnings: await earlierWarnings(deps, earlier),
  };
}

const shownEarlier = ({ workflowId, jobs, jobIds, isLost }: EarlierResults) => ({
  workflow_id: workflowId,
  jobs,
  job_ids: [...jobIds],
  ...(isLost && { lost: true }),
});
