/**
 * Reading of free entries in events. What others wrote there is not trusted: an entry of another type reads as absent.
 *
 * Our own entries, all under names with a dot so that they collide with nobody's:
 * - `tutti.actor`: whose request caused the event; only the server writes it.
 * - `tutti.deadline-ms`: epoch milliseconds after which a step, or the workflow, has taken too long.
 * - `tutti.timeout-ms`: how long a job may wait for its environment, and again how long it may run there.
 * - `tutti.continue-on-error`: the evaluated setting of a step; on -2, that a failure of the job counts as a success.
 * - `tutti.cause`: `timeout` on a command or a cancellation that a time limit made; `superseded` on one for another run.
 * - `tutti.timeout`: `job` or `step`, for what ran longer than its time limit.
 * - `tutti.superseded`: the concurrency group of a job, and the run that took it over.
 * - `tutti.conclusion`, `tutti.outputs`: result and outputs of a job (on -2) or outputs of a provider step.
 * - `tutti.step-ended`: the run itself says that a step is over (others may tell outcomes, which mean nothing to the run).
 * - `tutti.job`: key of the job that an event is about, when its job id is not known yet or its name is not unique.
 * - `tutti.granted`: key of the job whose concurrency group was granted; empty for the workflow itself.
 * - `tutti.halted`: key of the bundle whose jobs are told to stop because one of them failed; empty for the workflow itself.
 * - `tutti.failed`, `tutti.spared`: beside it, the key of the job that failed, one of these or in a bundle of these, and that of the
 *   bundle around it whose jobs go on.
 * - `tutti.max-parallel`, `tutti.fail-fast`: the evaluated settings of the jobs of a bundle, or of the workflow.
 * - `tutti.matrix`: the values of the cell of each job of a matrix, by its name.
 * - `tutti.jobs`, `tutti.rerun-of`: annotations of a run of some jobs alone, and of one that runs an earlier one again.
 * - `tutti.taken`: the jobs that such a run takes over, with their results and outputs; never shown.
 * - `tutti.taken-over`: at the end of such a job, the run and the id under which it ran.
 * - `tutti.uses`, `tutti.called`: the file of the run that a job calls, and what of the workflow in it holds for its jobs.
 * - `tutti.download`: the bundle whose workflow a job fetches, where that is, and the id of the step that does it.
 * - `tutti.problems`: what is wrong with the jobs of a generator or of a called workflow, or with the answer of a provider; only on the
 *   way to the run.
 * - `tutti.warnings`: warnings about a workflow, or about the jobs of a generator; only on the way to the run.
 * - `tutti.waiting`: why a job waits.
 * - `tutti.missing-reports`: reports that a step named and that its result does not have.
 * - `tutti.general-errors`: errors of a report that are about no single test case of it.
 * - `tutti.hooks`: hooks hold for the function that is called.
 * - `tutti.channel-hooks`: on the offer of a channel, the hooks that its operator wants around each job there.
 * - `tutti.hook`: the name of the hook that a step is of.
 * - `tutti.use-workspace`, `tutti.keep-workspace`: what a step of a hook said of the workspace.
 * - `tutti.secrets`: names of the variables of a command that are secrets.
 * - `tutti.masks`: texts that a step masks, and that the run masks from then on; never shown.
 * - `tutti.output`: lines of a step that runs, in a notification.
 * - `tutti.streamed`: how many lines of a result notifications gave before.
 */
import type { Hook, WorkflowId } from '@tutti/manifests';
import type { JobResult, SupersededBy } from './run.ts';

type Entries = object | undefined;

function entry(entries: Entries, name: string): unknown {
  if (entries === undefined || !Object.hasOwn(entries, name)) return undefined;
  return Object.getOwnPropertyDescriptor(entries, name)?.value;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const areRecords = (value: unknown): boolean => Array.isArray(value) && value.every(isRecord);

function isHook(value: unknown): value is Hook {
  if (!isRecord(value)) return false;
  const { name, if: condition, events, before = [], after = [] } = value;
  const isNamed = typeof name === 'string' && ['string', 'undefined'].includes(typeof condition);
  return isNamed && [events, before, after].every(areRecords);
}

const RESULTS: ReadonlySet<unknown> = new Set(['success', 'failure', 'cancelled', 'skipped']);

/** A flag in the `spec` of a notification, where published schemas allow no boolean. Earlier versions wrote booleans. */
export const flagText = (flag: boolean): 'true' | 'false' => (flag ? 'true' : 'false');

export const extension = {
  number(entries: Entries, name: string): number | null {
    const value = entry(entries, name);
    return typeof value === 'number' && Number.isFinite(value) ? value : null;
  },
  /** Null for what is neither true nor false. */
  flag(entries: Entries, name: string): boolean | null {
    const value = entry(entries, name);
    if (value === true || value === flagText(true)) return true;
    return value === false || value === flagText(false) ? false : null;
  },
  isTrue(entries: Entries, name: string): boolean {
    return extension.flag(entries, name) === true;
  },
  text(entries: Entries, name: string): string | null {
    const value = entry(entries, name);
    return typeof value === 'string' ? value : null;
  },
  record(entries: Entries, name: string): Readonly<Record<string, unknown>> {
    const value = entry(entries, name);
    return isRecord(value) ? value : {};
  },
  /** The items of a list that are texts. */
  list(entries: Entries, name: string): readonly string[] {
    const value = entry(entries, name);
    return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
  },
  /** The entries of a record that are texts. */
  texts(entries: Entries, name: string): Readonly<Record<string, string>> {
    const texts = Object.entries(extension.record(entries, name)).filter(
      (each): each is [string, string] => typeof each[1] === 'string',
    );
    return Object.fromEntries(texts);
  },
  /** The entries of a list that are hooks, as far as folding them goes; whoever wrote them checked the rest. */
  hooks(entries: Entries, name: string): readonly Hook[] {
    const value = entry(entries, name);
    return Array.isArray(value) ? value.filter(isHook) : [];
  },
  supersededBy(entries: Entries): SupersededBy | null {
    const value = extension.record(entries, 'tutti.superseded');
    const { group, by } = value;
    const isWhole = typeof group === 'string' && typeof by === 'string';
    return isWhole ? { group, by: by as WorkflowId } : null;
  },
  /** A result; anything unknown reads as a failure, never as a success. */
  result(entries: Entries, name: string): JobResult {
    const value = entry(entries, name);
    return RESULTS.has(value) ? (value as JobResult) : 'failure';
  },
} as const;
