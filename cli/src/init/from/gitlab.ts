/** Translates a pipeline of GitLab. */
import { SOURCES_VARIABLE } from '../sources-variable.ts';
import {
  given,
  jobName,
  listOf,
  type Translation,
  textsOf,
  Undone,
  type Values,
  valuesOf,
} from './translation.ts';

const GLOBAL = ['stages', 'variables', 'default', 'before_script', 'after_script'];
/** Keys of the top level that are no jobs. */
const NO_JOBS = [...GLOBAL, 'include', 'workflow', 'image', 'services', 'cache', 'spec'];
const JOB_KEYS = [
  ...['stage', 'script', 'before_script', 'after_script', 'variables', 'needs', 'tags', 'extends'],
  ...['allow_failure', 'timeout', 'parallel', 'artifacts'],
];
const STAGES = ['build', 'test', 'deploy'];

/** `checkout` is the step that brings the sources. */
export function fromGitlab(source: Values, name: string, checkout: Values): Translation {
  const undone = new Undone();
  const defaults = { ...source, ...valuesOf(source.default) };
  const isHidden = (key: string) => key.startsWith('.');
  for (const key of Object.keys(source)) {
    if (NO_JOBS.includes(key) && !GLOBAL.includes(key)) undone.add(key, 'has no equivalent.');
  }
  undone.keys('default', valuesOf(source.default), ['tags', 'before_script', 'after_script']);
  const jobs = Object.entries(source)
    .filter(([key]) => !NO_JOBS.includes(key) && !isHidden(key))
    .map(([key, job]) => [key, extended(valuesOf(job), source, 0)] as const);
  const stages = [
    '.pre',
    ...(source.stages === undefined ? STAGES : textsOf(source.stages)),
    '.post',
  ];
  const stageOf = (job: Values) => stages.indexOf(String(job.stage ?? 'test'));
  const before = (job: Values) => {
    const last = Math.max(
      ...jobs.map(([, each]) => stageOf(each)).filter((at) => at < stageOf(job)),
    );
    return jobs.filter(([, each]) => stageOf(each) === last).map(([key]) => key);
  };
  const translated = jobs.map(([key, job]) => [
    jobName(key),
    translatedJob(key, job, { defaults, undone, checkout, needs: before(job) }),
  ]);
  return {
    workflow: given({
      metadata: { name },
      variables: variablesOf(source.variables),
      jobs: Object.fromEntries(translated),
    }),
    undone: undone.sentences,
  };
}

/** Levels of `extends`. */
const DEPTH_MAX = 10;

function extended(job: Values, source: Values, depth: number): Values {
  if (depth > DEPTH_MAX) return job;
  const parents = textsOf(job.extends).map((name) =>
    extended(valuesOf(source[name]), source, depth + 1),
  );
  const variables = [...parents, job].map((each) => valuesOf(each.variables));
  return { ...Object.assign({}, ...parents, job), variables: Object.assign({}, ...variables) };
}

const variablesOf = (value: unknown): Values =>
  Object.fromEntries(
    Object.entries(valuesOf(value)).map(([key, each]) => [
      key,
      String(valuesOf(each).value ?? (typeof each === 'object' ? '' : each)),
    ]),
  );

interface Context {
  readonly defaults: Values;
  readonly undone: Undone;
  readonly checkout: Values;
  /** Jobs of the stage before. */
  readonly needs: readonly string[];
}

function translatedJob(key: string, job: Values, context: Context): Values {
  const { defaults, undone, checkout } = context;
  const place = `job ${key}`;
  undone.keys(place, job, JOB_KEYS);
  const script = (name: string) => textsOf(job[name] ?? defaults[name]).join('\n');
  const commands = [script('before_script'), script('script')].filter((text) => text !== '');
  if (commands.length === 0) undone.add(place, 'has no script.');
  const after = script('after_script');
  const needs = job.needs === undefined ? context.needs : listOf(job.needs).map(neededJob);
  const matrix = matrixOf(job.parallel, place, undone);
  const axes = Object.keys(matrix).map((axis) => [axis, `\${{ matrix.${axis} }}`]);
  return given({
    'runs-on': ['linux', ...textsOf(job.tags ?? defaults.tags)],
    needs: needs.map(jobName),
    strategy: given({ matrix }),
    variables: { ...variablesOf(job.variables), ...Object.fromEntries(axes) },
    defaults: { run: { 'working-directory': `\${{ variables.${SOURCES_VARIABLE} }}` } },
    'timeout-minutes': minutesOf(job.timeout, place, undone),
    'continue-on-error': job.allow_failure === true ? true : undefined,
    steps: [
      checkout,
      {
        run:
          commands.length === 0
            ? 'echo "::error::This job has no steps yet." && exit 1'
            : commands.join('\n'),
      },
      ...(after === '' ? [] : [{ if: 'always()', run: after }]),
      ...reportSteps(valuesOf(job.artifacts), place, undone),
    ],
  });
}

const neededJob = (value: unknown): string =>
  typeof value === 'string' ? value : String(valuesOf(value).job);

function matrixOf(parallel: unknown, place: string, undone: Undone): Values {
  const entries = listOf(valuesOf(parallel).matrix).map(valuesOf);
  const [first = {}] = entries;
  if (parallel !== undefined && entries.length !== 1) {
    undone.add(place, '"parallel" has an equivalent only with one entry of "matrix".');
    return {};
  }
  return Object.fromEntries(Object.entries(first).map(([axis, value]) => [axis, textsOf(value)]));
}

/** Durations of GitLab, such as "1h 30m". */
function minutesOf(timeout: unknown, place: string, undone: Undone): number | undefined {
  if (timeout === undefined) return undefined;
  const match = /^(?:(\d+) ?h(?:ours?)?)? ?(?:(\d+) ?m(?:in(?:utes?)?)?)?$/.exec(String(timeout));
  const minutes = Number(match?.[1] ?? 0) * 60 + Number(match?.[2] ?? 0);
  if (minutes > 0) return minutes;
  undone.add(place, `"timeout" is no duration that is known: ${String(timeout)}.`);
  return undefined;
}

/** Reports of JUnit become test cases. */
function reportSteps(artifacts: Values, place: string, undone: Undone): readonly Values[] {
  undone.keys(`${place}: artifacts`, artifacts, ['reports', 'when', 'expire_in']);
  const reports = valuesOf(artifacts.reports);
  undone.keys(`${place}: reports`, reports, ['junit']);
  const type = 'application/vnd.opentestfactory.junit-surefire+xml';
  return textsOf(reports.junit).map((path) => ({
    if: 'always()',
    run: `for report in ${path.replace(/[^\w./*?-]/g, '\\$&')}; do echo "::attach type=${type}::$PWD/$report"; done`,
  }));
}
