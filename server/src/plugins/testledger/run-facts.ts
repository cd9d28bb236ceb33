/** Facts of a run that the history of tests keeps beside its executions. */

import { hash } from 'node:crypto';
import { branchOf, isMainBranch, projectOf, versionOf } from '@tutti/test-history';
import { createRedactor, type Job, type Run } from '@tutti/workflow';
import { branchIn, versionIn } from '@tutti/workflow/facts';
import type { Store, WorkflowRow } from '../../store/store.ts';
import type { PlaceRow, TestedRunFacts } from '../../store/test-history.ts';

/** A job with results, as far as its history needs it. */
export interface TestedJob {
  /** Its key, which is the same in each run of the workflow. */
  readonly key: string;
  /** Index in the places of the run. */
  readonly place: number;
}

export interface KnownRun {
  readonly facts: Omit<TestedRunFacts, 'massJobs'>;
  /** By the ids of the jobs. */
  readonly jobs: ReadonlyMap<string, TestedJob>;
}

/** The part of the record of an agent that is read here. */
interface StoredAgent {
  readonly registration: { readonly metadata: { readonly name: string } };
}

const VERSION_VARIABLE = 'TUTTI_VERSION';
/** A rerun has the texts of the earlier run as its own. */
const NOT_REPORTED = { checkouts: [], repeated: null } as const;
const sha256 = (text: string): string => hash('sha256', text);

/** Texts are those that may be shown. */
export async function knownRun(
  store: Pick<Store, 'document'>,
  { run, row, mainBranches }: { run: Run; row: WorkflowRow; mainBranches: readonly string[] },
): Promise<KnownRun> {
  const redactor = createRedactor(run.masks);
  const shown = (text: string): string => redactor.document({ text }).text;
  const annotations = annotationsOf(run);
  const branch = branchOf({ requested: branchIn(annotations), ...NOT_REPORTED });
  const requested = versionIn(annotations);
  const services = [variableOf(run, VERSION_VARIABLE)];
  const version = versionOf({ requested, ...NOT_REPORTED, services }, sha256);
  const labels = new Map(Object.entries(run.labels));
  const { places, jobs } = await placesOf(store, run, shown);
  return {
    jobs,
    facts: {
      workflowId: row.workflowId,
      namespace: row.namespace,
      project: shown(projectOf({ name: row.name, labels })),
      name: row.name,
      version: version === null ? null : shown(version),
      branch: branch === null ? null : shown(branch),
      isMain: isMainBranch(branch, mainBranches),
      createdAt: row.createdAt,
      places,
    },
  };
}

function annotationsOf({ manifest }: Run): object {
  const { annotations } = manifest.metadata;
  return typeof annotations === 'object' && annotations !== null ? annotations : {};
}

/** Empty if the workflow does not have it. */
function variableOf({ manifest }: Run, name: string): string {
  const variable = manifest.variables?.[name];
  const value = typeof variable === 'object' ? variable.value : variable;
  return value === undefined ? '' : String(value);
}

async function placesOf(store: Pick<Store, 'document'>, run: Run, shown: (text: string) => string) {
  const places = new Map<string, { readonly at: number; readonly row: PlaceRow }>();
  const jobs = new Map<string, TestedJob>();
  for (const job of run.jobs.values()) {
    if (job.jobId === null || job.bundle !== null) continue;
    const id = job.ranOn ?? '';
    const known = places.get(id);
    const at = known?.at ?? places.size;
    if (known === undefined) places.set(id, { at, row: await placeOf(store, job, shown) });
    jobs.set(job.jobId, { key: shown(job.key), place: at });
  }
  return { jobs, places: [...places.values()].map(({ row }) => row) };
}

/** An agent that is gone has no name any more. */
async function placeOf(
  store: Pick<Store, 'document'>,
  { ranOn, tags }: Job,
  shown: (text: string) => string,
): Promise<PlaceRow> {
  const json = ranOn === null ? null : await store.document('agents', ranOn);
  const record: StoredAgent | null = json === null ? null : JSON.parse(json);
  return { agent: record?.registration.metadata.name ?? null, tags: tags.map(shown) };
}
