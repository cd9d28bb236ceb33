/** Translates a workflow of GitHub Actions. */
import { SOURCES_VARIABLE } from '../sources-variable.ts';
import { variablesOf, withoutForeign } from './github-expressions.ts';
import { nameComparedImages, taggedStrategy, tagsOf } from './github-matrix.ts';
import { asFolder } from './github-shell.ts';
import { githubStep } from './github-step.ts';
import {
  given,
  jobName,
  type Translation,
  textsOf,
  Undone,
  type Values,
  valuesOf,
} from './translation.ts';

/** `checkout` is the step that brings the sources. */
export function fromGithub(source: Values, name: string, checkout: Values): Translation {
  const undone = new Undone();
  undone.keys('workflow', source, ['name', 'run-name', 'env', 'jobs', 'defaults']);
  const entries = Object.entries(valuesOf(source.jobs));
  const called = entries.filter(([, job]) => valuesOf(job).uses !== undefined).map(([key]) => key);
  for (const key of called) undone.add(`job ${key}`, 'left out, since it calls another workflow.');
  const variables = variablesOf(source.env, 'workflow: env', undone);
  const { 'working-directory': folder, ...run } = valuesOf(valuesOf(source.defaults).run);
  const context = { undone, called, checkout, folder, variables: Object.keys(variables) };
  const jobs = entries
    .filter(([key]) => !called.includes(key))
    .map(([key, job]) => [jobName(key), translatedJob(key, valuesOf(job), context)]);
  const text = JSON.stringify(jobs) + JSON.stringify(source.env ?? {});
  const secrets = [...text.matchAll(/\bsecrets\.(\w+)/g)].map(([, secret]) => [secret, '']);
  return {
    workflow: given({
      metadata: { name: typeof source.name === 'string' ? source.name : name },
      variables,
      secrets: Object.fromEntries(secrets),
      defaults: given({ run: given(run) }),
      jobs: Object.fromEntries(jobs),
    }),
    undone: undone.sentences,
  };
}

interface Context {
  readonly undone: Undone;
  /** Jobs that are left out. */
  readonly called: readonly string[];
  readonly checkout: Values;
  /** The directory of jobs that name none. */
  readonly folder: unknown;
  /** Names of the variables of the workflow. */
  readonly variables: readonly string[];
}

const JOB_KEYS = [
  ...['name', 'if', 'needs', 'runs-on', 'strategy', 'env', 'outputs', 'defaults', 'steps'],
  ...['timeout-minutes', 'continue-on-error'],
];

function translatedJob(key: string, job: Values, context: Context): Values {
  const { undone, called, checkout } = context;
  const place = `job ${key}`;
  undone.keys(place, job, JOB_KEYS);
  const steps = Array.isArray(job.steps) ? job.steps.map(valuesOf) : [];
  const hasSources = steps.some(({ uses }) => /^actions\/checkout@/.test(String(uses)));
  const sources = hasSources ? `\${{ variables.${SOURCES_VARIABLE} }}` : null;
  const own = variablesOf(job.env, `${place}: env`, undone);
  const variables = [...context.variables, ...Object.keys(own)];
  const translated = steps.flatMap((step, index) =>
    githubStep(step, {
      place: `${place}, step ${index + 1}`,
      undone,
      checkout,
      sources,
      variables,
    }),
  );
  if (translated.length === 0) undone.add(place, 'has no step with an equivalent.');
  nameComparedImages([job.if, job.env, translated], place, undone);
  const runsOn = withoutForeign(job['runs-on'], `${place}: runs-on`, undone);
  const tags = tagsOf(runsOn, place, undone);
  const strategy = valuesOf(withoutForeign(job.strategy, `${place}: strategy`, undone));
  return given({
    name: job.name,
    if: withoutForeign(job.if, `${place}: if`, undone),
    'runs-on': tags,
    needs: textsOf(job.needs)
      .filter((each) => !called.includes(each))
      .map(jobName),
    strategy: taggedStrategy(strategy, tags, place, undone),
    variables: own,
    defaults: defaultsOf(job, sources, context, place),
    'timeout-minutes': job['timeout-minutes'],
    'continue-on-error': job['continue-on-error'],
    outputs: withoutForeign(job.outputs, `${place}: outputs`, undone),
    steps:
      translated.length > 0
        ? translated
        : [{ run: 'echo "::error::This job has no steps yet." && exit 1' }],
  });
}

/** The directory of the workflow holds for a job that names none, and begins in the sources. */
function defaultsOf(
  job: Values,
  sources: string | null,
  { undone, folder: ofWorkflow }: Context,
  place: string,
): Values {
  const { 'working-directory': ofJob = ofWorkflow, ...run } = valuesOf(valuesOf(job.defaults).run);
  const folder = withoutForeign(ofJob, `${place}: working-directory`, undone);
  const below = typeof folder === 'string' ? [asFolder(folder)] : [];
  const parts = sources === null ? below : [sources, ...below];
  const directory = parts.length === 0 ? undefined : parts.join('/');
  return given({ run: given({ ...run, 'working-directory': directory }) });
}
