/** Calls of other workflows in a simulated one. They are files that come with the run, and a repository from which jobs fetch them. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import type { WorkflowJob, WorkflowStep } from '@tutti/manifests';
import {
  allJobs,
  type BundlePlan,
  type JobPlan,
  type StepPlan,
  VARIABLE,
  type WorkflowPlan,
} from './plan.ts';

/** The address of the repository that calls name without a resource. */
export const REPOSITORY = 'https://example.org/any.git';
export const COMMIT = '0123456789abcdef0123456789abcdef01234567';

export const isCall = ({ form }: BundlePlan): boolean => form === 'file' || form === 'repository';

const fileOf = ({ name }: JobPlan): string => `${name}.yaml`;

/** The `uses` entry of a calling job. */
export function callOf(job: JobPlan, bundle: BundlePlan): WorkflowJob {
  const { form, input, reference } = bundle;
  const given = input === null ? {} : { with: { i: input } };
  const file = fileOf(job);
  if (form === 'repository') {
    return { uses: `${repositoryOf(bundle)}/${file}@main`, ...given };
  }
  const isEvaluated = reference === 'expression';
  return { uses: isEvaluated ? `\${{ resources.files['${file}'] }}` : `./${file}`, ...given };
}

function repositoryOf({ reference }: BundlePlan): string {
  switch (reference) {
    case 'direct':
      return REPOSITORY;
    case 'resource':
      return 'shop';
    case 'expression':
      return '${{ resources.repositories.shop }}';
  }
}

/** The name by which the server is asked for the file of a call. */
export function calledFileOf(job: JobPlan): string {
  if (job.bundle?.form !== 'repository') return fileOf(job);
  return `${job.bundle.reference === 'direct' ? REPOSITORY : 'shop'}/${fileOf(job)}@main`;
}

/** The files that are called by jobs which are written together, or generated for these. */
export function calledFilesOf(jobs: readonly JobPlan[]): readonly string[] {
  return jobs.flatMap((job) => {
    if (job.bundle?.form === 'file') return [fileOf(job)];
    return job.bundle === null || isCall(job.bundle) ? [] : calledFilesOf(job.bundle.jobs);
  });
}

const calls = (plan: WorkflowPlan, form: BundlePlan['form']): readonly JobPlan[] =>
  allJobs(plan.jobs).filter(({ bundle }) => bundle?.form === form);

/** The files that come with the run. */
export function filesOf(plan: WorkflowPlan): Readonly<Record<string, string>> {
  const names = [...calls(plan, 'file').map(fileOf), ...(plan.resources?.files ?? [])];
  return Object.fromEntries(names.map((name) => [name, `blob-of-${name}`]));
}

const FETCH_ID = 'fetch';

/** The step by which a function fetches the file of a call. */
export function fetchStepOf({ name, bundle }: JobPlan): StepPlan {
  return {
    key: `fetch-${name}`,
    id: FETCH_ID,
    condition: 'default',
    exitCode: bundle?.trouble === 'unfetched' ? 1 : 0,
    output: '',
    continueOnError: false,
    timeoutMinutes: null,
    trouble: bundle?.trouble === 'fetch-hangs' ? 'hangs' : 'none',
    variable: null,
    shell: null,
    directory: null,
    leaves: null,
    attaches: false,
    nested: null,
  };
}

export const fetchSteps = (plan: WorkflowPlan): readonly StepPlan[] =>
  calls(plan, 'repository').map(fetchStepOf);

export const isFetch = ({ id, key }: StepPlan): boolean =>
  id === FETCH_ID && key.startsWith('fetch-');

/** Steps of the function for the download job of this file; null for any other function. */
export function fetchAnswer(given: unknown): readonly WorkflowStep[] | null {
  const path = typeof given === 'object' && given !== null && 'path' in given ? given.path : null;
  if (typeof path !== 'string') return null;
  const name = path.replace(/\.yaml$/, '');
  return [{ id: FETCH_ID, run: `fetch-${name} \${{ variables.${VARIABLE} }}` }];
}

export const FETCH_OUTPUTS = {
  commit: `\${{ steps.${FETCH_ID}.outputs.commit }}`,
  problem: `\${{ steps.${FETCH_ID}.outputs.problem }}`,
};

export const isDownloadKey = (key: string): boolean => key.includes('/.download_job_');

/** The key of the job that fetches the file of a call. */
export const downloadKeyOf = (key: string): string =>
  `${key}/.download_job_${key.slice(key.lastIndexOf('/') + 1)}`;
