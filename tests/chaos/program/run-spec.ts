/**
 * Runs whose steps leave traces that can be counted, and the workflows that ask for them. Each is nothing but a function of the
 * seed and its number.
 */
import { createRandom, type Random } from '../../support/random.ts';
import type { Manifest } from '../../support/runs.ts';

export type When = 'success' | 'always' | 'failure';

export interface StepSpec {
  /** In its job. */
  readonly number: number;
  readonly kind: 'succeeds' | 'fails' | 'hangs';
  readonly when: When;
  readonly continuesOnError: boolean;
  readonly lines: number;
  readonly pauseMs: number;
  readonly attaches: boolean;
  /** The step asks for the file of the run, or writes its content to the ledger. */
  readonly file: 'asks' | 'reads' | null;
}

export interface JobSpec {
  readonly name: string;
  readonly needs: readonly string[];
  readonly when: 'success' | 'always';
  readonly color: string | null;
  /** One job for each value; without a matrix null. */
  readonly values: readonly string[] | null;
  readonly continuesOnError: boolean;
  /** It has less time than its steps take. */
  readonly timesOut: boolean;
  /** Its first step gives the output `v`, which is the mark of that step. */
  readonly gives: boolean;
  readonly steps: readonly StepSpec[];
}

export interface RunSpec {
  readonly index: number;
  readonly name: string;
  /** The content of its file `data.txt`, which comes with the request. */
  readonly file: string | null;
  readonly jobs: readonly JobSpec[];
}

export const COLORS = ['red', 'blue'] as const;
/** Tag of our own agents. Existing agents in synchronous mode cannot stop a step, so hanging steps are not for them. */
export const OWN_TAG = 'own';
/** In minutes: less than the pause of a step that hangs, more than the time that it takes to start. */
const STEP_TIMEOUT = 0.015;
const JOB_TIMEOUT = 0.03;
/** Duration of a hanging step that nobody stops. */
export const HANG_SECONDS = 15;

const randomOf = (seed: number, index: number): Random =>
  createRandom((seed ^ Math.imul(index + 1, 0x9e3779b9)) >>> 0);

export function specOf(seed: number, index: number): RunSpec {
  const random = randomOf(seed, index);
  const hasFile = random.chance(0.2);
  const names = Array.from({ length: random.between(1, 4) }, (_, job) => `job${job}`);
  const jobs = names.map((name, place) =>
    jobOf(
      random,
      name,
      names.slice(0, place).filter(() => random.chance(0.45)),
      hasFile && place === 0,
    ),
  );
  return {
    index,
    name: `chaos ${index}`,
    file: hasFile ? `file of run ${index}\n` : null,
    jobs,
  };
}

function jobOf(
  random: Random,
  name: string,
  needs: readonly string[],
  readsFile: boolean,
): JobSpec {
  const values = !readsFile && random.chance(0.2) ? ['a', 'b', 'c'] : null;
  const timesOut = !readsFile && random.chance(0.05);
  const kinds = Array.from({ length: random.between(1, 4) }, (_, number) => {
    if (readsFile && number === 0) return 'succeeds';
    if (random.chance(0.08)) return 'fails';
    return random.chance(0.05) ? 'hangs' : 'succeeds';
  });
  const steps = kinds.map((kind, number) => stepOf(random, number, kind));
  return {
    name,
    needs,
    when: needs.length > 0 && random.chance(0.3) ? 'always' : 'success',
    color: random.chance(0.5) ? random.pick(COLORS) : null,
    values,
    continuesOnError: random.chance(0.1),
    timesOut,
    gives: values === null && random.chance(0.6),
    steps: [
      ...(readsFile ? fileSteps(steps) : steps),
      ...(timesOut
        ? [{ ...stepOf(random, kinds.length + 1, 'hangs'), when: 'success' as const }]
        : []),
    ],
  };
}

function fileSteps([first, ...others]: readonly StepSpec[]): readonly StepSpec[] {
  if (first === undefined) return [];
  const plain = { ...first, attaches: false, continuesOnError: false };
  return [{ ...plain, file: 'asks' }, { ...plain, number: 9, file: 'reads' }, ...others];
}

function stepOf(random: Random, number: number, kind: StepSpec['kind']): StepSpec {
  return {
    number,
    kind,
    when: number === 0 ? 'success' : random.pick(WHENS),
    continuesOnError: random.chance(0.1),
    lines: random.between(1, 5),
    pauseMs: random.chance(0.5) ? random.between(50, 400) : 0,
    attaches: random.chance(0.2),
    file: null,
  };
}

const WHENS = ['success', 'success', 'success', 'success', 'always', 'failure'] as const;

/** The name of a step in the ledger; `value` is that of the matrix. */
export const markOf = (spec: RunSpec, job: JobSpec, step: StepSpec, value: string | null): string =>
  `r${spec.index}.${job.name}${value === null ? '' : `-${value}`}.${step.number}`;

/** The request for a run: a workflow, and its file if it has one. */
export function requestOf(spec: RunSpec, ledger: string): unknown {
  const workflow = workflowOf(spec, ledger);
  if (spec.file === null) return workflow;
  const form = new FormData();
  form.set('workflow', new Blob([JSON.stringify(workflow)]), 'workflow.json');
  form.set('data.txt', new Blob([spec.file]), 'data.txt');
  return form;
}

function workflowOf(spec: RunSpec, ledger: string): Manifest {
  const jobs = spec.jobs.map((job) => [job.name, jobManifest(spec, job, ledger)]);
  return {
    metadata: { name: spec.name },
    ...(spec.file === null ? {} : { resources: { files: ['data.txt'] } }),
    jobs: Object.fromEntries(jobs),
  };
}

function jobManifest(spec: RunSpec, job: JobSpec, ledger: string): Manifest {
  return {
    'runs-on': tagsOf(job),
    ...(job.needs.length === 0 ? {} : { needs: job.needs }),
    ...(job.when === 'always' ? { if: 'always()' } : {}),
    ...(job.continuesOnError ? { 'continue-on-error': true } : {}),
    ...(job.timesOut ? { 'timeout-minutes': JOB_TIMEOUT } : {}),
    ...(job.gives ? { outputs: { v: `\${{ steps.first.outputs.v }}` } } : {}),
    ...(job.values === null
      ? {}
      : { strategy: { 'fail-fast': false, matrix: { value: job.values } } }),
    steps: job.steps.map((step, place) => ({
      ...(place === 0 ? { id: 'first' } : {}),
      ...(step.when === 'success' ? {} : { if: `${step.when}()` }),
      ...(step.continuesOnError ? { 'continue-on-error': true } : {}),
      ...(step.kind === 'hangs' && !job.timesOut ? { 'timeout-minutes': STEP_TIMEOUT } : {}),
      run: scriptOf(spec, job, step, place === 0 ? ledgerOfNeeds(spec, job) : [], ledger),
    })),
  };
}

function tagsOf({ color, steps }: JobSpec): readonly string[] {
  const hangs = steps.some(({ kind }) => kind === 'hangs');
  return ['linux', ...(color === null ? [] : [color]), ...(hangs ? [OWN_TAG] : [])];
}

/** Lines for the ledger about the jobs that a job needs. */
function ledgerOfNeeds(spec: RunSpec, job: JobSpec): readonly string[] {
  return job.needs.flatMap((name) => [
    `result.${name}=\${{ needs.${name}.result }}`,
    ...(spec.jobs.some((other) => other.name === name && other.gives)
      ? [`output.${name}=\${{ needs.${name}.outputs.v }}`]
      : []),
  ]);
}

function scriptOf(
  spec: RunSpec,
  job: JobSpec,
  step: StepSpec,
  infos: readonly string[],
  ledger: string,
): string {
  const mark = markOf(spec, job, step, job.values === null ? null : `\${{ matrix.value }}`);
  const write = (text: string) => `echo "${text}" >> '${ledger}'`;
  const pause = step.pauseMs === 0 ? ':' : `sleep ${step.pauseMs / 1000}`;
  return [
    `# traces ${mark} ${step.lines} ${step.attaches}`,
    write(`START ${mark}`),
    ...infos.map((info) => write(`INFO ${mark} ${info}`)),
    `for i in $(seq ${step.lines}); do echo "${mark} line $i"; [ "$i" != 1 ] || ${pause}; done`,
    ...(step.file === 'asks' ? ['echo "::put file=data.txt::data.txt"'] : []),
    ...(step.file === 'reads' ? [write(`INFO ${mark} file=$(cat data.txt)`)] : []),
    ...(job.gives && step === job.steps[0] ? [`echo "::set-output name=v::${mark}"`] : []),
    ...(step.attaches
      ? [
          `printf 'data of ${mark}' > attached.txt`,
          'echo "::attach type=text/plain::$PWD/attached.txt"',
        ]
      : []),
    ...(step.kind === 'hangs' ? [`sleep ${HANG_SECONDS}`] : []),
    write(`END ${mark}`),
    ...(step.kind === 'fails' ? ['exit 7'] : []),
  ].join('\n');
}
