/** Translates a workflow of GitHub Actions. */
import { SOURCES_VARIABLE } from '../sources-variable.ts';
import { variablesOf, withoutForeign } from './github-expressions.ts';
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
  undone.keys('workflow', source, ['name', 'run-name', 'env', 'jobs', 'defaults', 'permissions']);
  const entries = Object.entries(valuesOf(source.jobs));
  const called = entries.filter(([, job]) => valuesOf(job).uses !== undefined).map(([key]) => key);
  for (const key of called) undone.add(`job ${key}`, 'left out, since it calls another workflow.');
  const jobs = entries
    .filter(([key]) => !called.includes(key))
    .map(([key, job]) => [
      jobName(key),
      translatedJob(key, valuesOf(job), { undone, called, checkout }),
    ]);
  const text = JSON.stringify(jobs) + JSON.stringify(source.env ?? {});
  const secrets = [...text.matchAll(/\bsecrets\.(\w+)/g)].map(([, secret]) => [secret, '']);
  return {
    workflow: given({
      metadata: { name: typeof source.name === 'string' ? source.name : name },
      variables: variablesOf(source.env, 'workflow: env', undone),
      secrets: Object.fromEntries(secrets),
      defaults: source.defaults,
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
}

const JOB_KEYS = [
  ...['name', 'if', 'needs', 'runs-on', 'strategy', 'env', 'outputs', 'defaults', 'steps'],
  ...['timeout-minutes', 'continue-on-error', 'permissions'],
];

function translatedJob(key: string, job: Values, { undone, called, checkout }: Context): Values {
  const place = `job ${key}`;
  undone.keys(place, job, JOB_KEYS);
  const { run = {} } = valuesOf(job.defaults);
  const steps = Array.isArray(job.steps) ? job.steps.map(valuesOf) : [];
  const hasSources = steps.some(({ uses }) => /^actions\/checkout@/.test(String(uses)));
  const sources = hasSources ? `\${{ variables.${SOURCES_VARIABLE} }}` : null;
  const folder = valuesOf(run)['working-directory'];
  const directory =
    sources === null || folder === undefined ? (folder ?? sources) : `${sources}/${folder}`;
  const translated = steps.flatMap((step, index) =>
    githubStep(step, { place: `${place}, step ${index + 1}`, undone, checkout, sources }),
  );
  if (translated.length === 0) undone.add(place, 'has no step with an equivalent.');
  return given({
    name: job.name,
    if: withoutForeign(job.if, `${place}: if`, undone),
    'runs-on': textsOf(withoutForeign(job['runs-on'], `${place}: runs-on`, undone)).map(tagOf),
    needs: textsOf(job.needs)
      .filter((each) => !called.includes(each))
      .map(jobName),
    strategy: withoutForeign(job.strategy, `${place}: strategy`, undone),
    variables: variablesOf(job.env, `${place}: env`, undone),
    defaults: given({ run: given({ ...valuesOf(run), 'working-directory': directory }) }),
    'timeout-minutes': job['timeout-minutes'],
    'continue-on-error': job['continue-on-error'],
    outputs: withoutForeign(job.outputs, `${place}: outputs`, undone),
    steps:
      translated.length > 0
        ? translated
        : [{ run: 'echo "::error::This job has no steps yet." && exit 1' }],
  });
}

/** The tag of the system, for the names of images. */
const tagOf = (name: string): string =>
  /^(?:ubuntu|windows|macos)(?=-)/.exec(name)?.[0]?.replace('ubuntu', 'linux') ?? name;
