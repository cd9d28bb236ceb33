/**
 * The manifest of a simulated workflow, and the answers of others to its commands. A script begins with the key of its step, then prints
 * variables and results of earlier jobs.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import type {
  ChannelOs,
  Hook,
  HookEvent,
  Variables,
  WorkflowJob,
  WorkflowJobs,
  WorkflowManifest,
  WorkflowStep,
} from '@tutti/manifests';
import { callOf, fetchSteps, isCall } from './call-plan.ts';
import { runsOnOf, SYSTEM_WORD } from './environment-plan.ts';
import { everyHook } from './hook-plan.ts';
import {
  allJobs,
  axisOf,
  type BundlePlan,
  CONDITIONS,
  type Condition,
  type DefaultsPlan,
  type HookPlan,
  type JobPlan,
  type StepPlan,
  VARIABLE,
  type WorkflowPlan,
  withExpressions,
} from './plan.ts';
import {
  filesSeenInCall,
  REPOSITORY_GIVEN,
  resourcesOf,
  wordsOfResources,
} from './resource-plan.ts';

/** The keys of a manifest that a simulated workflow sets. */
export function manifestOf(plan: WorkflowPlan): Omit<WorkflowManifest, 'metadata'> {
  return {
    variables: { [VARIABLE]: plan.variable },
    strategy: {
      ...(plan.maxParallel === null ? {} : { 'max-parallel': plan.maxParallel }),
      'fail-fast': plan.failFast,
    },
    ...(plan.timeoutMinutes === null ? {} : { 'timeout-minutes': plan.timeoutMinutes }),
    ...concurrencyOf(plan),
    ...(plan.input === null
      ? {}
      : { inputs: { i: { description: 'any' } }, secrets: { s: secretOf(plan.input) } }),
    ...(plan.outputOf === null
      ? {}
      : { outputs: { o: `\${{ jobs.${plan.outputOf}.outputs.o }}` } }),
    ...defaultsOf(plan),
    ...(plan.hooks.workflow.length === 0 ? {} : { hooks: plan.hooks.workflow.map(hookOf) }),
    ...resourcesOf(plan),
    jobs: jobsOf(plan.jobs, [
      ...(plan.input === null ? [] : [INPUT, '${{ secrets.s }}']),
      ...wordsOfResources(plan),
    ]),
  };
}

const INPUT = '${{ inputs.i }}';

export const secretOf = (input: string): string => `secret-${input}`;

function concurrencyOf({
  group,
  takesOver,
}: {
  readonly group: string | null;
  readonly takesOver: boolean;
}): Pick<WorkflowJob, 'concurrency'> {
  if (group === null) return {};
  const isEvaluated = group.length % 2 === 0;
  if (takesOver) {
    return { concurrency: { group, 'cancel-in-progress': isEvaluated ? '${{ 1 == 1 }}' : true } };
  }
  return {
    concurrency: { group, ...(isEvaluated ? { 'cancel-in-progress': '${{ 1 == 2 }}' } : {}) },
  };
}

const HOOK_EVENTS = {
  setup: { channel: 'setup' },
  teardown: { channel: 'teardown' },
  function: { category: '_' },
} as const satisfies Record<HookPlan['on'], HookEvent>;

/** The directory that a hook gives. */
export const directoryOf = ({ name }: HookPlan): string => `given-by-${name}`;

export function hookOf(plan: HookPlan): Hook {
  const { name, on, choosesWorkspace } = plan;
  const choice =
    on === 'setup' ? { 'use-workspace': directoryOf(plan) } : { 'keep-workspace': true };
  const before = [
    ...(choosesWorkspace ? [{ id: `choice-of-${name}`, ...choice }] : []),
    ...plan.before.map((step) => stepOf(step, [])),
  ];
  return {
    name,
    ...conditionOf(plan),
    events: [HOOK_EVENTS[on]],
    ...(before.length === 0 ? {} : { before }),
    ...(plan.after.length === 0 ? {} : { after: plan.after.map((step) => stepOf(step, [])) }),
  };
}

/** `outer`: words of the bundles around that the jobs print. */
function jobsOf(jobs: readonly JobPlan[], outer: readonly string[]): WorkflowJobs {
  return Object.fromEntries(jobs.map((job) => [job.name, jobOf(job, outer)]));
}

function jobOf(job: JobPlan, outer: readonly string[]): WorkflowJob {
  const needed = job.needs.map(
    (need) => `\${{ needs.${need}.result }}=\${{ needs.${need}.outputs.o }}`,
  );
  const cell = job.matrix === null ? [] : [`\${{ matrix.${axisOf(job)} }}`];
  const [first, ...others] = job.needs;
  return {
    ...(first === undefined ? {} : { needs: others.length === 0 ? first : [first, ...others] }),
    ...conditionOf(job),
    ...(job.continueOnError ? { 'continue-on-error': '${{ 1 == 1 }}' } : {}),
    ...(job.timeoutMinutes === null ? {} : { 'timeout-minutes': job.timeoutMinutes }),
    ...concurrencyOf(job),
    ...variablesOf(job),
    ...defaultsOf(job),
    ...runsOnOf(job),
    ...strategyOf(job),
    ...contentOf(job, [...outer, ...needed, ...cell]),
  };
}

function strategyOf(job: JobPlan): Pick<WorkflowJob, 'strategy'> {
  const { matrix, maxParallel, failFast, saysFailFast } = job;
  if (matrix === null && job.bundle === null) return {};
  return {
    strategy: {
      ...(matrix === null ? {} : { matrix: matrixOf(job, matrix) }),
      ...(maxParallel === null ? {} : { 'max-parallel': maxParallel }),
      ...(saysFailFast ? { 'fail-fast': failFast } : {}),
    },
  };
}

/** Forms of a matrix with the same values; only `axes` changes the names of its jobs. */
function matrixOf(job: JobPlan, values: readonly string[]) {
  const axis = axisOf(job);
  const all = [...values];
  const [first = '', ...others] = all;
  switch (job.matrixForm) {
    case 'values':
      return { [axis]: all };
    case 'expression':
      return { [axis]: `\${{ fromJSON('${JSON.stringify(all)}') }}` };
    case 'axes':
      return { [axis]: all, [`also-${axis}`]: ['p'] };
    case 'include':
      return { [axis]: [first], include: others.map((value) => ({ [axis]: value })) };
    case 'exclude':
      return { [axis]: [...all, 'left-out'], exclude: [{ [axis]: 'left-out' }] };
  }
}

function contentOf(job: JobPlan, words: readonly string[]): WorkflowJob {
  const { bundle } = job;
  if (bundle === null) {
    const said = job.saysSystem ? [...words, SYSTEM_WORD] : words;
    return {
      outputs: { o: `\${{ steps.${job.outputOf}.outputs.o }}` },
      steps: job.steps.map((step) => stepOf(step, said)),
    };
  }
  if (isCall(bundle)) return callOf(job, bundle);
  return bundle.form === 'generator'
    ? { generator: generatorOf(job) }
    : { jobs: jobsOf(bundle.jobs, words), outputs: outputsOf(bundle) };
}

export const generatorOf = ({ name }: JobPlan): string => `any/${name}@v1`;

/** Outputs of a call also show its input and variables. */
function outputsOf(bundle: BundlePlan) {
  const output = `\${{ jobs.${bundle.outputOf}.outputs.o }}`;
  const isMore = isCall(bundle) && bundle.input !== null;
  return { o: isMore ? `${output}+${INPUT}+\${{ variables.${VARIABLE} }}` : output };
}

/** The server's entries about a called workflow, beside its jobs. */
export function calledOf(bundle: BundlePlan) {
  const { called } = bundle;
  const { maxParallel, failFast, timeoutMinutes } = called;
  return {
    ...variablesOf(called),
    ...defaultsOf(called),
    files: filesSeenInCall(bundle),
    ...(called.hooks.length === 0 ? {} : { hooks: called.hooks.map(hookOf) }),
    strategy: {
      ...(maxParallel === null ? {} : { 'max-parallel': `\${{ ${maxParallel} }}` }),
      'fail-fast': failFast,
    },
    ...(timeoutMinutes === null ? {} : { 'timeout-minutes': timeoutMinutes }),
  };
}

/** The answer of a bundle's generator, or of the server for a call. Its jobs see nothing around them. */
export function answerOf(bundle: BundlePlan, plan: WorkflowPlan) {
  const input = bundle.input === null ? [] : [INPUT];
  const jobs = jobsOf(bundle.jobs, [...input, ...wordsOfResources(plan)]);
  const wrong: WorkflowJobs = { wrong: { needs: 'nobody', steps: [{ run: 'never' }] } };
  return { jobs: bundle.trouble === 'invalid' ? wrong : jobs, outputs: outputsOf(bundle) };
}

/** A step of the manifest or of a provider; `words` are said after its own. */
export function stepOf(step: StepPlan, words: readonly string[]): WorkflowStep {
  const seesRepository = words.some((word) => word.includes('resources.repositories'));
  const broken = step.trouble === 'broken' ? ['${{ nowhere.to.be.found }}'] : [];
  const said = [step.key, `\${{ variables.${VARIABLE} }}`, ...broken, ...words].join(' ');
  return {
    id: step.id,
    ...(step.nested === null
      ? { run: said, ...(step.shell === null ? {} : { shell: withExpressions(step.shell) }) }
      : {
          uses: 'any/thing@v1',
          with: { words: said, ...(seesRepository ? { repository: REPOSITORY_GIVEN } : {}) },
        }),
    ...(step.directory === null ? {} : { 'working-directory': withExpressions(step.directory) }),
    ...conditionOf(step),
    ...(step.continueOnError ? { 'continue-on-error': true } : {}),
    ...(step.timeoutMinutes === null ? {} : { 'timeout-minutes': step.timeoutMinutes }),
    ...variablesOf(step),
  };
}

function defaultsOf({ defaults: { shell, directory } }: { readonly defaults: DefaultsPlan }): {
  defaults?: NonNullable<WorkflowManifest['defaults']>;
} {
  if (shell === null && directory === null) return {};
  const run = {
    ...(shell === null ? {} : { shell: withExpressions(shell) }),
    ...(directory === null ? {} : { 'working-directory': withExpressions(directory) }),
  };
  return { defaults: { run } };
}

function conditionOf({ condition }: { readonly condition: Condition }): { if?: string } {
  const text = CONDITIONS[condition];
  return text === null ? {} : { if: text };
}

function variablesOf({ variable }: { readonly variable: string | null }): {
  variables?: Variables;
} {
  if (variable === null) return {};
  const text = withExpressions(variable);
  const value = variable.length % 2 === 0 ? { value: text, verbatim: true } : text;
  return { variables: { [VARIABLE]: value } };
}

/** Words that a step with `uses` was given to print. */
export function wordsOf(given: unknown): string {
  const isGiven = typeof given === 'object' && given !== null && 'words' in given;
  return isGiven ? String(given.words) : '';
}

/** The variables file as the environment reads it after a step. Windows shells know no quotes. */
export function persistedBy(
  { leaves }: StepPlan,
  os: ChannelOs,
): Readonly<Record<string, string>> | null {
  if (leaves === null) return null;
  return { [VARIABLE]: os === 'windows' ? leaves : `"${leaves}"` };
}

export const readByShell = (written: string): string => written.replaceAll('"', '');

/** The output of a provider's last step is that of the provider. */
export function providerOutputs(step: StepPlan): Readonly<Record<string, string>> {
  const last = step.nested?.at(-1);
  return last === undefined ? {} : { o: `\${{ steps.${last.id}.outputs.o }}` };
}

/** Every step, also those of providers, by its key. */
export function stepsByKey(plan: WorkflowPlan): ReadonlyMap<string, StepPlan> {
  const steps = new Map<string, StepPlan>();
  const add = (step: StepPlan): void => {
    steps.set(step.key, step);
    step.nested?.forEach(add);
  };
  for (const job of allJobs(plan.jobs)) job.steps.forEach(add);
  fetchSteps(plan).forEach(add);
  for (const hook of everyHook(plan)) [...hook.before, ...hook.after].forEach(add);
  return steps;
}
