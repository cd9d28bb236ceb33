/** Translates a pipeline of GitLab. */
import { SOURCES_VARIABLE } from '../sources-variable.ts';
import { namesIn } from './github-shell.ts';
import { withReferences } from './gitlab-references.ts';
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
  ...['allow_failure', 'timeout', 'parallel', 'artifacts', 'when'],
];
const STAGES = ['build', 'test', 'deploy'];

/** `checkout` is the step that brings the sources. */
export function fromGitlab(written: Values, name: string, checkout: Values): Translation {
  const undone = new Undone();
  const source = withReferences(written, undone);
  const defaults = { ...source, ...valuesOf(source.default) };
  const isHidden = (key: string) => key.startsWith('.');
  for (const key of Object.keys(source)) {
    if (NO_JOBS.includes(key) && !GLOBAL.includes(key)) undone.add(key, 'has no equivalent.');
  }
  undone.keys('default', valuesOf(source.default), ['tags', 'before_script', 'after_script']);
  const jobs = Object.entries(source)
    .filter(([key]) => !NO_JOBS.includes(key) && !isHidden(key))
    .map(([key, job]) => [key, extended(valuesOf(job), source, 0)] as const);
  const needs = stageNeeds(jobs, source, undone);
  const translated = jobs.map(([key, job]) => [
    jobName(key),
    translatedJob(key, job, { defaults, undone, checkout, needs: needs(job) }),
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

type Jobs = readonly (readonly [key: string, job: Values])[];

/** The jobs of the stage before. Nobody waits for a job that a person starts. */
function stageNeeds(jobs: Jobs, source: Values, undone: Undone) {
  const named = source.stages === undefined ? STAGES : textsOf(source.stages);
  const stages = ['.pre', ...named, '.post'];
  const stageOf = (job: Values) => {
    const at = stages.indexOf(String(job.stage ?? 'test'));
    return at === -1 ? stages.length : at;
  };
  for (const [key, job] of jobs) {
    if (stageOf(job) < stages.length) continue;
    undone.add(`job ${key}`, `"stages" has no ${String(job.stage)}: it comes last.`);
  }
  const awaited = jobs.filter(([, job]) => conditionOf(job) !== NEVER);
  return (job: Values): readonly string[] => {
    const earlier = awaited.map(([, each]) => stageOf(each)).filter((at) => at < stageOf(job));
    return awaited.filter(([, each]) => stageOf(each) === Math.max(...earlier)).map(([key]) => key);
  };
}

const NEVER = 'false';
const CONDITIONS = new Map([
  ['manual', NEVER],
  ['never', NEVER],
  ['on_failure', 'failure()'],
  ['always', 'always()'],
]);

/** The condition of a job by its `when`. A job that a person may have to start does not start by itself. */
function conditionOf(job: Values): string | undefined {
  const rules = listOf(job.rules).map((rule) => valuesOf(rule).when);
  const isByHand = rules.includes('manual') || (rules.length > 0 && rules.every(isNever));
  return isByHand ? NEVER : CONDITIONS.get(String(job.when));
}

const isNever = (when: unknown): boolean => when === 'never';

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
  const condition = conditionOf(job);
  if (condition === NEVER) undone.add(place, 'never runs: change "if" to run it.');
  if (condition === undefined && job.when !== undefined && job.when !== 'on_success') {
    undone.add(place, `"when: ${String(job.when)}" has no equivalent.`);
  }
  const variables = { ...variablesOf(defaults.variables), ...variablesOf(job.variables) };
  const used = [...commands, after, ...Object.values(variables)].join('\n');
  const foreign = namesIn(used, /\b(?:CI|GITLAB)_[A-Z0-9_]+\b/g, Object.keys(variables));
  if (foreign.length > 0) undone.add(place, `uses ${foreign.join(', ')}, which only GitLab has.`);
  return given({
    if: condition,
    'runs-on': [...new Set(['linux', ...textsOf(job.tags ?? defaults.tags)])],
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
