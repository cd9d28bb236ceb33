/** Facts of a run that the history of tests keeps beside its executions. */

import { hash } from 'node:crypto';
import { isUuid, type WorkflowId } from '@tutti/manifests';
import { branchOf, isMainBranch, projectOf, versionOf } from '@tutti/test-history';
import { createRedactor, type Job, type Run } from '@tutti/workflow';
import { branchIn, rerunIn, versionIn } from '@tutti/workflow/facts';
import type { RunDirectory } from '../../bus/bus.ts';
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
  /** Masks a text. */
  readonly shown: (text: string) => string;
}

/** The part of the record of an agent that is read here. */
interface StoredAgent {
  readonly registration: { readonly metadata: { readonly name: string } };
}

const VERSION_VARIABLE = 'TUTTI_VERSION';
/** Reruns of reruns that are looked at for a version. */
const RERUNS_MAX = 10;
const sha256 = (text: string): string => hash('sha256', text);

type Runs = Pick<RunDirectory, 'find'>;

interface FactDeps {
  readonly store: Pick<Store, 'document'>;
  readonly runs: Runs;
}

/** Texts are those that may be shown. */
export async function knownRun(
  { store, runs }: FactDeps,
  { run, row, mainBranches }: { run: Run; row: WorkflowRow; mainBranches: readonly string[] },
): Promise<KnownRun> {
  const shown = shownBy(run);
  const { version, branch } = await testedBy(runs, run);
  const labels = new Map(Object.entries(run.labels));
  const { places, jobs } = await placesOf(store, run, shown);
  return {
    jobs,
    shown,
    facts: {
      workflowId: row.workflowId,
      namespace: row.namespace,
      project: shown(projectOf({ name: row.name, labels })),
      name: row.name,
      version,
      branch,
      isMain: isMainBranch(branch, mainBranches),
      createdAt: row.createdAt,
      places,
    },
  };
}

function shownBy({ masks }: Run): (text: string) => string {
  const redactor = createRedactor(masks);
  return (text) => redactor.document({ text }).text;
}

interface Tested {
  readonly version: string | null;
  readonly branch: string | null;
}

const UNKNOWN: Tested = { version: null, branch: null };

/** The request of the run decides, else its checkouts, else the run that it repeats. Texts are masked before they are compared or hashed. */
async function testedBy(runs: Runs, run: Run, left = RERUNS_MAX): Promise<Tested> {
  const shown = shownBy(run);
  const shownOrNull = (text: string | null) => (text === null ? null : shown(text));
  const annotations = annotationsOf(run);
  const { checkouts, versions } = run.tested;
  const asked = {
    version: shownOrNull(versionIn(annotations)),
    branch: shownOrNull(branchIn(annotations)),
  };
  const isAsked = asked.version !== null && asked.branch !== null;
  const earlier = isAsked || left === 0 ? null : await earlierOf(runs, run);
  const repeated = earlier === null ? UNKNOWN : await testedBy(runs, earlier, left - 1);
  const services = [variableOf(run, VERSION_VARIABLE), ...versions].map(shown);
  const code = { requested: asked.version, checkouts, repeated: repeated.version };
  const branch = branchOf({ requested: asked.branch, checkouts, repeated: repeated.branch });
  return { version: versionOf({ ...code, services }, sha256), branch: shownOrNull(branch) };
}

/** Null where the run repeats none, and where the earlier one is gone. */
async function earlierOf(runs: Runs, run: Run): Promise<Run | null> {
  const id = rerunIn(annotationsOf(run));
  const earlier = isUuid(id) ? await runs.find(id as WorkflowId) : null;
  return earlier?.namespace === run.namespace ? earlier : null;
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
