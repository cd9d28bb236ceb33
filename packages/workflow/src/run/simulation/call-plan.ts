/** Calls of other workflows in a simulated one: files that come with the run, and a repository from which jobs fetch them. */
import type { WorkflowJob, WorkflowStep } from '@tutti/manifests';
import {
  allJobs,
  type BundlePlan,
  type JobPlan,
  type StepPlan,
  VARIABLE,
  type WorkflowPlan,
} from './plan.ts';

const REPOSITORY = 'https://example.org/any.git';
export const COMMIT = '0123456789abcdef0123456789abcdef01234567';

export const isCall = ({ form }: BundlePlan): boolean => form === 'file' || form === 'repository';

const fileOf = ({ name }: JobPlan): string => `${name}.yaml`;

/** What `uses` of a job says. What a job fetches has to find an environment. */
export function callOf(job: JobPlan, { form, input }: BundlePlan): WorkflowJob {
  const given = input === null ? {} : { with: { i: input } };
  return form === 'file'
    ? { uses: `./${fileOf(job)}`, ...given }
    : { uses: `${REPOSITORY}/${fileOf(job)}@main`, 'runs-on': 'linux', ...given };
}

/** The name by which the server is asked for the file of a call. */
export const calledFileOf = (job: JobPlan): string =>
  job.bundle?.form === 'file' ? fileOf(job) : `${REPOSITORY}/${fileOf(job)}@main`;

const calls = (plan: WorkflowPlan, form: BundlePlan['form']): readonly JobPlan[] =>
  allJobs(plan.jobs).filter(({ bundle }) => bundle?.form === form);

/** The files that come with the run. */
export function filesOf(plan: WorkflowPlan): Readonly<Record<string, string>> {
  return Object.fromEntries(calls(plan, 'file').map((job) => [fileOf(job), `blob-of-${job.name}`]));
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
    leaves: null,
    attaches: false,
    nested: null,
  };
}

export const fetchSteps = (plan: WorkflowPlan): readonly StepPlan[] =>
  calls(plan, 'repository').map(fetchStepOf);

export const isFetch = ({ id, key }: StepPlan): boolean =>
  id === FETCH_ID && key.startsWith('fetch-');

/** What the function answers to the job that fetches this file; null for any other function. */
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
