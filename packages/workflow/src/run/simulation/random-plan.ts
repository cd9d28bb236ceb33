/** Random workflows: small ones, as nearly all mistakes show in small ones, with everything that can meet in them. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import {
  type BundlePlan,
  type CalledPlan,
  type Condition,
  type DefaultsPlan,
  type HookPlan,
  type JobPlan,
  MATRIX_FORMS,
  NOTHING_CALLED,
  type ResourcesPlan,
  type StepPlan,
  type TagsPlan,
  type Trouble,
  type WorkflowPlan,
} from './plan.ts';
import type { Random } from './random.ts';
import { EnvironmentMaker, type Fitting, narrowed } from './random-environments.ts';

const JOBS_MAX = 6;
const STEPS_MAX = 4;
const JOBS_OF_BUNDLE_MAX = 3;
/** Depth of bundles in bundles. */
const BUNDLES_MAX = 2;
const VALUES = ['x', 'y', 'z'];
const SHELLS = ['python', 'sh', 'run-@V {0}'];
const FORMS: readonly BundlePlan['form'][] = ['jobs', 'jobs', 'generator', 'file', 'repository'];
const TROUBLES: readonly BundlePlan['trouble'][] = ['hangs', 'refused', 'invalid'];
const TROUBLES_OF_REPOSITORIES: readonly BundlePlan['trouble'][] = [
  ...TROUBLES,
  'unfetched',
  'fetch-hangs',
];
const HOOKS_MAX = 3;
/** Depth of providers in providers; the steps of the manifest are at 0. */
const DEPTH_MAX = 3;
/** Minutes. The clock of a disturbed run moves by up to two per turn, so that each of them may pass. */
const TIMEOUTS: readonly number[] = [0.5, 3, 10, 60];
const CONDITIONS: readonly Condition[] = [
  'success',
  'failure',
  'always',
  'cancelled',
  'plain',
  'either',
  'never',
];
const BROKEN_GROUP = 'lab-${{ nowhere.to.be.found }}';
const GROUP_OF_WORKFLOW = 'whole-${{ variables.V }}';

const isCalled = (form: BundlePlan['form']): boolean => form === 'file' || form === 'repository';

/** `disturbed`: pieces that hang, or that fail the whole run, are wanted too. */
export function randomPlan(random: Random, disturbed: boolean): WorkflowPlan {
  return new PlanMaker(random, disturbed).workflow();
}

class PlanMaker {
  readonly #random: Random;
  readonly #disturbed: boolean;
  readonly #environments: EnvironmentMaker;
  #keys = 0;
  #jobs = 0;
  /** Matrices around the job that is made: it will exist several times. */
  #matrices = 0;
  #resources: ResourcesPlan | null = null;

  constructor(random: Random, disturbed: boolean) {
    this.#random = random;
    this.#disturbed = disturbed;
    this.#environments = new EnvironmentMaker(random, disturbed);
  }

  workflow(): WorkflowPlan {
    const random = this.#random;
    this.#resources = this.#randomResources();
    const jobs: JobPlan[] = [];
    const count = random.between(1, JOBS_MAX);
    for (let index = 0; index < count; index += 1) jobs.push(this.#job(jobs, 0, null));
    return {
      jobs: this.#shuffled(jobs),
      failFast: this.#failFast(0.15),
      maxParallel: random.chance(0.4) ? random.between(1, 3) : null,
      timeoutMinutes: this.#timeout(0.1),
      group: random.chance(0.15) ? this.#orBroken(GROUP_OF_WORKFLOW) : null,
      takesOver: random.chance(0.4),
      variable: 'w',
      input: random.chance(0.3) ? 'given' : null,
      outputOf: random.chance(0.3) ? random.pick(jobs).name : null,
      defaults: this.#defaults('w', 0.2),
      resources: this.#resources,
      environments: this.#environments.all,
      downloadTags: this.#environments.downloadTags,
      hooks: {
        workflow: this.#hooks('w', ['setup', 'teardown', 'function']),
        channel: this.#hooks('c', ['setup', 'teardown']),
        provider: this.#hooks('p', ['function']),
      },
    };
  }

  #randomResources(): ResourcesPlan | null {
    if (!this.#random.chance(0.25)) return null;
    return { files: this.#files(), isBroken: this.#disturbed && this.#random.chance(0.05) };
  }

  #files(): readonly string[] {
    return ['data.csv', 'rules.json'].filter(() => this.#random.chance(0.5));
  }

  /** The forms in which a call may name its workflow depend on the resources. */
  #reference(form: BundlePlan['form']): BundlePlan['reference'] {
    if (form === 'file') return this.#random.chance(0.3) ? 'expression' : 'direct';
    const isFree = form === 'repository' && this.#resources !== null;
    return isFree ? this.#random.pick(['direct', 'resource', 'expression']) : 'direct';
  }

  #hooks(prefix: string, places: readonly HookPlan['on'][]): readonly HookPlan[] {
    const random = this.#random;
    const count = random.chance(0.3) ? random.between(1, HOOKS_MAX) : 0;
    return Array.from({ length: count }, (_, index) => {
      const name = `${prefix}${index}`;
      const on = random.pick(places);
      const steps = (list: string) =>
        this.#steps(random.between(0, 2), DEPTH_MAX - 1, `${name}${list}`);
      return {
        name,
        on,
        condition: this.#condition(0.2),
        choosesWorkspace: on !== 'function' && random.chance(0.2),
        before: steps('b'),
        after: steps('a'),
      };
    });
  }

  /** `around`: the environments that the tags of the bundles around leave. */
  #job(before: readonly JobPlan[], depth: number, around: Fitting | null): JobPlan {
    const random = this.#random;
    const name = `j${this.#jobs++}`;
    const needs = before.map(({ name: need }) => need).filter(() => random.chance(0.4));
    const isBundle = depth < BUNDLES_MAX && random.chance(0.2);
    const { matrix, tags, within } = this.#placed(around, isBundle);
    const copies = matrix === null ? 0 : 1;
    this.#matrices += copies;
    const bundle = isBundle ? this.#bundle(depth + 1, within) : null;
    this.#matrices -= copies;
    const steps = bundle === null ? this.#steps(random.between(1, STEPS_MAX), 0, 's') : [];
    return {
      name,
      needs,
      condition: this.#condition(needs.length > 0 ? 0.4 : 0.1),
      steps,
      outputOf: this.#outputOf(steps),
      continueOnError: random.chance(0.15),
      timeoutMinutes: this.#timeout(0.2),
      ...this.#concurrency(name, needs, depth, matrix !== null),
      variable: this.#variable(name, 0.2),
      defaults: this.#defaults(name, 0.1),
      tags,
      saysSystem: within?.isSystemKnown === true || tags.form === 'cell',
      matrix,
      matrixForm: random.pick(MATRIX_FORMS),
      bundle,
      maxParallel: random.chance(0.3) ? random.between(1, 2) : null,
      ...this.#ownFailFast(matrix !== null),
    };
  }

  #defaults(of: string, probability: number): DefaultsPlan {
    const shell = this.#random.chance(probability) ? this.#random.pick(SHELLS) : null;
    return { shell, directory: this.#directory(of, probability) };
  }

  #directory(of: string, probability: number): string | null {
    if (!this.#random.chance(probability)) return null;
    return this.#random.chance(0.3) ? `dir-of-${of}/@V` : `dir-of-${of}`;
  }

  /** A value of the variable, with or without a reference to the level around it. */
  #variable(of: string, probability: number): string | null {
    if (!this.#random.chance(probability)) return null;
    return this.#random.chance(0.3) ? `of-${of}/@V` : `of-${of}`;
  }

  #called(of: string, input: string | null): CalledPlan {
    const isOfInput = input !== null && this.#random.chance(0.3);
    return {
      variable: isOfInput ? `of-${of}/@I` : this.#variable(of, 0.5),
      defaults: this.#defaults(of, 0.3),
      files: this.#files(),
      hooks: this.#hooks(`h-${of}-`, ['setup', 'teardown', 'function']),
      maxParallel: this.#random.chance(0.3) ? this.#random.between(1, 2) : null,
      failFast: this.#failFast(0.2),
      timeoutMinutes: this.#timeout(0.2),
    };
  }

  /** The values of a matrix may be tags, which its jobs do not share. */
  #placed(around: Fitting | null, isBundle: boolean) {
    const random = this.#random;
    const hasMatrix = random.chance(0.12);
    if (hasMatrix && !isBundle && random.chance(0.4)) {
      const tags: TagsPlan = { names: [], form: 'cell' };
      return { matrix: this.#environments.systems(around), tags, within: null };
    }
    const fitting = this.#environments.fitting(around);
    const tags = this.#environments.tags(fitting);
    const matrix = hasMatrix ? VALUES.slice(0, random.between(1, VALUES.length)) : null;
    return { matrix, tags, within: narrowed(fitting, around, tags) };
  }

  #outputOf(steps: readonly StepPlan[]): string {
    if (steps.length === 0) return '';
    return this.#disturbed && this.#random.chance(0.03) ? 'nobody' : this.#random.pick(steps).id;
  }

  /** A default value may be left out. */
  #ownFailFast(isMatrix: boolean): Pick<JobPlan, 'failFast' | 'saysFailFast'> {
    const failFast = this.#failFast(0.4);
    return { failFast, saysFailFast: failFast !== isMatrix || this.#random.chance(0.5) };
  }

  /** Undisturbed runs have no `fail-fast`: which jobs a failure stops depends on who is faster. */
  #failFast(probability: number): boolean {
    return this.#disturbed && this.#random.chance(probability);
  }

  #bundle(depth: number, within: Fitting | null): BundlePlan {
    const random = this.#random;
    const jobs: JobPlan[] = [];
    const count = random.between(1, JOBS_OF_BUNDLE_MAX);
    for (let index = 0; index < count; index += 1) jobs.push(this.#job(jobs, depth, within));
    const form = random.pick(FORMS);
    const input = isCalled(form) && random.chance(0.5) ? `to-${jobs[0]?.name}` : null;
    const troubles = form === 'repository' ? TROUBLES_OF_REPOSITORIES : TROUBLES;
    return {
      form,
      jobs: this.#shuffled(jobs),
      outputOf: random.pick(jobs).name,
      input,
      reference: this.#reference(form),
      called: isCalled(form) ? this.#called(`file-${jobs[0]?.name}`, input) : NOTHING_CALLED,
      trouble: this.#disturbed && random.chance(0.15) ? random.pick(troubles) : 'none',
    };
  }

  /** Without disturbance, a job that takes a group over is the only one in it. No other job may be cancelled. */
  #concurrency(name: string, needs: readonly string[], depth: number, hasMatrix: boolean) {
    const random = this.#random;
    if (!random.chance(0.25)) return { group: null, takesOver: false };
    const takesOver = random.chance(0.4) && (this.#disturbed || this.#matrices === 0);
    const isOwn = takesOver && !(this.#disturbed && random.chance(0.7));
    const group = isOwn ? `own-${name}` : this.#groupOfJob(needs, depth);
    const isOfCells = hasMatrix && random.chance(0.5);
    return { group: isOfCells ? `${group}-\${{ matrix.m-${name} }}` : group, takesOver };
  }

  /** One group per depth. Jobs that wait for groups of outer bundles, or of each other, would run into time limits. */
  #groupOfJob([need]: readonly string[], depth: number): string {
    // The group of the workflow is one that its jobs can never have.
    if (this.#disturbed && this.#random.chance(0.1)) return GROUP_OF_WORKFLOW;
    const name = `lab-${depth}-`;
    return this.#orBroken(need === undefined ? name : `${name}\${{ needs.${need}.outputs.o }}`);
  }

  #orBroken(group: string): string {
    return this.#disturbed && this.#random.chance(0.1) ? BROKEN_GROUP : group;
  }

  #steps(count: number, depth: number, prefix: string): readonly StepPlan[] {
    return Array.from({ length: count }, (_, index) => this.#step(`${prefix}${index}`, depth));
  }

  #step(id: string, depth: number): StepPlan {
    const random = this.#random;
    const key = `k${this.#keys++}`;
    const nested = depth < DEPTH_MAX && random.chance(0.25) ? this.#nested(id, depth + 1) : null;
    return {
      key,
      id,
      condition: this.#condition(0.25),
      exitCode: random.chance(0.2) ? random.between(1, 3) : 0,
      output: random.chance(0.5) ? `out-${key}` : '',
      continueOnError: random.chance(0.2),
      timeoutMinutes: this.#timeout(0.1),
      trouble: this.#trouble(nested !== null),
      variable: this.#variable(key, 0.15),
      shell: random.chance(0.1) ? random.pick(SHELLS) : null,
      directory: this.#directory(key, 0.15),
      leaves: random.chance(0.15) ? `left-by-${key}` : null,
      attaches: random.chance(0.1),
      nested,
    };
  }

  /** Providers give the same ids at each call. A script may get the id of the step it replaces. */
  #nested(outerId: string, depth: number): readonly StepPlan[] {
    const steps = this.#steps(this.#random.between(0, 3), depth, `n${depth}`);
    const isNamesake = this.#random.chance(0.2);
    return steps.map((step, index) =>
      isNamesake && index === 0 && step.nested === null ? { ...step, id: outerId } : step,
    );
  }

  #condition(probability: number): Condition {
    if (!this.#random.chance(probability)) return 'default';
    if (this.#disturbed && this.#random.chance(0.05)) return 'broken';
    return this.#random.pick(CONDITIONS);
  }

  #trouble(isProvided: boolean): Trouble {
    if (!this.#disturbed) return 'none';
    if (this.#random.chance(0.05)) return 'hangs';
    if (isProvided && this.#random.chance(0.05)) return 'refused';
    return this.#random.chance(0.02) ? 'broken' : 'none';
  }

  #timeout(probability: number): number | null {
    return this.#random.chance(probability) ? this.#random.pick(TIMEOUTS) : null;
  }

  #shuffled<T>(items: readonly T[]): readonly T[] {
    const left = [...items];
    return items.map((item) => this.#random.take(left) ?? item);
  }
}
