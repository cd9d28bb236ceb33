/**
 * Rules for hooks in a job. They run at their places; the environment makes, keeps and deletes workspaces as they want. Commands tell the
 * environment by annotations, and it does what channels do (wire facts 3.4).
 */
import type { ExecutionCommandEvent, JobId, RunEvent, StepId } from '@tutti/manifests';
import { STEP_SEQUENCE } from '@tutti/manifests';
import { factOf } from '../../facts/decode.ts';
import { BundleTracker, isStop } from './bundle-rules.ts';
import { everyHookOn, hooksFor } from './hook-plan.ts';
import { must } from './must.ts';
import {
  type HookPlan,
  type HookPlans,
  hooksOn,
  type StepPlan,
  type WorkflowPlan,
} from './plan.ts';
import { directoryOf, wordsOf } from './plan-manifest.ts';

/** Places in a job, in their order. */
const PLACES = ['setup-before', 'setup-after', 'job', 'teardown-before', 'teardown-after'] as const;
type Place = (typeof PLACES)[number];

/** State of a job; workspace `none` is the directory of the agent. */
interface Progress {
  place: Place;
  /** Frames of functions by origin: whether their own steps, or the later ones, began. */
  readonly frames: Map<string, number>;
  workspace: string | null;
  readonly deleted: Set<string>;
  readonly begun: Set<string>;
  /** Steps by origin and key: none begins twice in the place where it stands. */
  readonly steps: Set<string>;
}

export class HookRules {
  readonly #plan: WorkflowPlan;
  /** Places of hook steps around jobs, by key of the step. */
  readonly #places = new Map<string, Place>();
  /** Sides of hook steps around functions, by key of the step: before or after. */
  readonly #sides = new Map<string, number>();
  readonly #names = new Map<string, string>();
  readonly #bundles = new BundleTracker();
  readonly #jobs = new Map<JobId, Progress>();
  readonly #stopped = new Set<JobId>();
  /** The place of a step of the job's own frame, also for what a function puts in its place. */
  readonly #outer = new Map<string, Place>();
  /** Then what cannot be evaluated fails its step alone, which so never begins. */
  #isEnding = false;

  constructor(plan: WorkflowPlan) {
    this.#plan = plan;
    for (const on of ['setup', 'teardown'] as const) {
      for (const hook of everyHookOn(plan, on)) {
        this.#note(hook.before, hook, (key) => this.#places.set(key, `${on}-before`));
        this.#note(hook.after, hook, (key) => this.#places.set(key, `${on}-after`));
      }
    }
    for (const hook of everyHookOn(plan, 'function')) {
      this.#note(hook.before, hook, (key) => this.#sides.set(key, -1));
      this.#note(hook.after, hook, (key) => this.#sides.set(key, 1));
    }
  }

  #note(steps: readonly StepPlan[], hook: HookPlan, place: (key: string) => void): void {
    for (const { key } of steps) {
      place(key);
      this.#names.set(key, hook.name);
    }
  }

  check(event: RunEvent): void {
    const isEnd = event.kind === 'ExecutionError' || event.kind === 'WorkflowCancellation';
    const halted = this.#bundles.hear(event);
    if (isEnd || halted.length > 0) this.#isEnding = true;
    const isReported = event.kind === 'Notification' && isStop(factOf(event));
    if (isReported && event.metadata.job_id !== undefined) this.#stopped.add(event.metadata.job_id);
    if (event.kind === 'ProviderCommand') {
      this.#checkStep(event.metadata, wordsOf(event.step.with));
    } else if (event.kind === 'ExecutionCommand') {
      this.#checkCommand(event);
    }
  }

  #checkCommand(event: ExecutionCommandEvent): void {
    const { metadata, scripts } = event;
    const { job_id: jobId, step_sequence_id: sequence } = metadata;
    if (sequence === STEP_SEQUENCE.release) this.#checkRelease(event);
    if (sequence < 0) return;
    const [key = ''] = (scripts[0] ?? '').split(' ');
    const place = this.#checkStep(metadata, scripts[0] ?? '');
    const fact = factOf(event);
    const hook = fact.type === 'StepStarted' ? fact.hook : null;
    must(hook === (this.#names.get(key) ?? null), `Step ${key} is not of hook ${hook}.`);
    const where = this.#enter(event);
    must(
      this.#isRightPlace(jobId, place, where),
      `Step ${key} (${place}) of job ${jobId} works in ${where ?? 'no workspace'}.`,
    );
  }

  /** The place of the step that runs, in the frame of the job. */
  #checkStep(
    metadata: {
      readonly job_id: JobId;
      readonly step_id: StepId;
      readonly step_origin: readonly StepId[];
    },
    words: string,
  ): Place {
    const { job_id: jobId, step_id: stepId, step_origin: origin } = metadata;
    const [key = ''] = words.split(' ');
    const progress = this.#progressOf(jobId);
    progress.begun.add(key);
    this.#checkKey(jobId, key, `${origin.join('/')} ${key}`, progress);
    const outer = `${jobId}/${origin[0] ?? stepId}`;
    if (origin.length === 0) this.#outer.set(outer, this.#places.get(key) ?? 'job');
    const place = this.#outer.get(outer) ?? 'job';
    const isLater = PLACES.indexOf(place) >= PLACES.indexOf(progress.place);
    must(isLater, `Step ${key} (${place}) of job ${jobId} comes after ${progress.place}.`);
    progress.place = place;
    const frame = origin.join('/');
    const side = this.#sides.get(key) ?? 0;
    must(side >= (progress.frames.get(frame) ?? -1), `Step ${key} stands on the wrong side.`);
    if (origin.length > 0) progress.frames.set(frame, side);
    return place;
  }

  /** A step of a hook is there for the jobs that the hook is for, and once. */
  #checkKey(jobId: JobId, key: string, placed: string, { steps }: Progress): void {
    must(!steps.has(placed), `Step ${key} of job ${jobId} begins twice.`);
    steps.add(placed);
    const name = this.#names.get(key);
    if (name === undefined) return;
    const hooks = Object.values(this.#hooksFor(jobId)).flat();
    const isThere = hooks.some((hook: HookPlan) => hook.name === name);
    must(isThere, `Hook ${name} is not for job ${jobId}.`);
  }

  #hooksFor(jobId: JobId): HookPlans {
    return hooksFor(this.#plan, this.#bundles.keyOf(jobId) ?? '');
  }

  #progressOf(jobId: JobId): Progress {
    const known = this.#jobs.get(jobId);
    if (known !== undefined) return known;
    const progress: Progress = {
      place: 'setup-before',
      frames: new Map(),
      workspace: null,
      deleted: new Set(),
      begun: new Set(),
      steps: new Set(),
    };
    this.#jobs.set(jobId, progress);
    return progress;
  }

  /** Acts as a channel; returns the workspace that the command works in. */
  #enter(event: ExecutionCommandEvent): string | null {
    const { job_id: jobId, step_sequence_id: sequence } = event.metadata;
    const progress = this.#progressOf(jobId);
    const hooks = annotationOf(event);
    if (hooks.channel === 'setup' && hooks['use-workspace'] !== undefined) {
      const used = hooks['use-workspace'];
      const isNew = progress.workspace !== used;
      must(!isNew || progress.workspace === null, `Job ${jobId} gets a second workspace.`);
      progress.workspace = used;
    } else if (hooks.channel !== 'setup' && sequence === 0) {
      progress.workspace = jobId;
    }
    const isDiscarded = hooks.channel === 'teardown' && hooks['keep-workspace'] === false;
    if (isDiscarded) discard(progress);
    return progress.workspace;
  }

  #isRightPlace(jobId: JobId, place: Place, where: string | null): boolean {
    switch (place) {
      case 'setup-before':
        return where === null;
      case 'setup-after':
      case 'job':
        return where === jobId || this.#directories().includes(where ?? '');
      case 'teardown-before':
        return true;
      case 'teardown-after':
        return where === null || where !== jobId || this.#mayKeep(jobId);
    }
  }

  #directories(): readonly string[] {
    return everyHookOn(this.#plan, 'setup')
      .filter(({ choosesWorkspace }) => choosesWorkspace)
      .map(directoryOf);
  }

  #mayKeep(jobId: JobId): boolean {
    const hooks = hooksOn({ hooks: this.#hooksFor(jobId) }, 'teardown');
    return hooks.some(({ choosesWorkspace }) => choosesWorkspace);
  }

  #checkRelease(event: ExecutionCommandEvent): void {
    const { job_id: jobId } = event.metadata;
    const progress = this.#progressOf(jobId);
    if (annotationOf(event)['keep-workspace'] !== true) discard(progress);
    const { workspace, deleted } = progress;
    const given = this.#directories();
    must(!given.some((each) => deleted.has(each)), `A directory of job ${jobId} is deleted.`);
    const isLeft = workspace !== null && !given.includes(workspace);
    must(!isLeft || this.#mayKeep(jobId), `The workspace of job ${jobId} is left for no reason.`);
    if (!this.#isEnding && !this.#stopped.has(jobId)) this.#checkTeardown(jobId, progress);
  }

  /** Cleanup steps for every case run in every job that had an environment. */
  #checkTeardown(jobId: JobId, { begun }: Progress): void {
    for (const hook of hooksOn({ hooks: this.#hooksFor(jobId) }, 'teardown')) {
      if (hook.condition !== 'default') continue;
      for (const { key, condition } of [...hook.before, ...hook.after]) {
        const isWanted = condition === 'default' || condition === 'always';
        must(!isWanted || begun.has(key), `Job ${jobId} ends without step ${key} of teardown.`);
      }
    }
  }
}

function discard(progress: Progress): void {
  if (progress.workspace !== null) progress.deleted.add(progress.workspace);
  progress.workspace = null;
}

interface Annotation {
  readonly channel?: string;
  readonly 'use-workspace'?: string;
  readonly 'keep-workspace'?: boolean;
}

const annotationOf = ({ metadata }: ExecutionCommandEvent): Annotation =>
  metadata.annotations?.['example.org/hooks'] ?? {};
