/**
 * Hooks: which of them hold where, and the steps that they put around others (wire facts 1.10).
 *
 * The hooks of the workflow are outermost, then those of the plugin in their order. Steps after run in the reverse order. All of it is
 * one frame with the steps in the middle. So these steps see each other's outputs and failures. The frame of a job: before the workspace, with a fresh workspace, the steps, before the cleanup, after it.
 *
 * A hook may have events of channels and of functions. It is then one hook for each of the two, and for the begin and the end of jobs.
 */
import { type Hook, type HookEvent, type StepId, WORKSPACE_STEPS } from '@tutti/manifests';
import type { FunctionName } from './function-name.ts';
import type { HookMark, HookPart, IdentifiedStep, Job } from './run.ts';

type Steps = readonly IdentifiedStep[];
type Hooks = readonly Hook[];

/** The steps of a job with those of the hooks of its channel. `own`: hooks of the channel itself. */
export function aroundJob(steps: Steps, ofWorkflow: Hooks, own: Hooks): Steps {
  const hooks = [...ofWorkflow, ...own];
  const on = (channel: HookEvent['channel']) =>
    hooks.filter(({ events }) => events.some((event) => event.channel === channel));
  const setup = on('setup');
  const teardown = on('teardown');
  if (setup.length === 0 && teardown.length === 0) return steps;
  const added = new AddedSteps(steps);
  return [
    ...added.before(setup, 'setup-before'),
    ...added.after(setup, 'setup-after'),
    ...steps,
    ...added.before(teardown, 'teardown-before'),
    ...added.after(teardown, 'teardown-after'),
  ];
}

/** The steps of a function with those of the hooks that are for it. `own`: hooks of its provider. */
export function aroundFunction(
  steps: Steps,
  name: FunctionName,
  ofWorkflow: Hooks,
  own: Hooks,
): Steps {
  const hooks = [...ofWorkflow, ...own].filter(({ events }) =>
    events.some((event) => isFor(event, name)),
  );
  if (hooks.length === 0) return steps;
  const added = new AddedSteps(steps);
  return [...added.before(hooks, 'before'), ...steps, ...added.after(hooks, 'after')];
}

const ANY = '_';

function isFor(event: HookEvent, name: FunctionName): boolean {
  if (event.category === undefined && event.categoryPrefix === undefined) return false;
  const fits = (wanted: string | undefined, given: string | null) =>
    wanted === undefined || wanted === ANY || wanted === given;
  return (
    fits(event.category, name.category) &&
    fits(event.categoryPrefix, name.prefix) &&
    fits(event.categoryVersion, name.version)
  );
}

/** Gives steps of hooks ids that no other step of the frame has; the job's own steps keep theirs. */
class AddedSteps {
  readonly #taken: Set<string>;
  /** By the id that was wanted, the number that its last bearer got. */
  readonly #last = new Map<string, number>();
  #count = 0;

  constructor(steps: Steps) {
    this.#taken = new Set(steps.map(({ id }) => id));
  }

  before(hooks: Hooks, part: HookPart): Steps {
    return hooks.flatMap((hook) => this.#stepsOf(hook, stepsBefore(hook, part), part));
  }

  after(hooks: Hooks, part: HookPart): Steps {
    return [...hooks].reverse().flatMap((hook) => this.#stepsOf(hook, hook.after ?? [], part));
  }

  #stepsOf({ name, if: condition }: Hook, steps: NonNullable<Hook['before']>, part: HookPart) {
    const hook: HookMark = { name, condition: condition ?? null, part };
    return steps.map((step) => ({ ...step, id: this.#freeId(step.id), hook }));
  }

  #freeId(wanted = `hook-${this.#count++}`): StepId {
    let number = this.#last.get(wanted) ?? 1;
    let id = wanted;
    while (this.#taken.has(id)) id = `${wanted}-${++number}`;
    this.#last.set(wanted, number);
    this.#taken.add(id);
    return id as StepId;
  }
}

/** Only the part of a hook that concerns the workspace has the steps that choose it. */
function stepsBefore({ events, before = [] }: Hook, part: HookPart): NonNullable<Hook['before']> {
  const isElsewhere = (channel: HookEvent['channel']) =>
    part !== `${channel}-before` && events.some((event) => event.channel === channel);
  return before.filter((step) =>
    WORKSPACE_KEYS.every((key) => step[key] === undefined || !isElsewhere(WORKSPACE_STEPS[key])),
  );
}

const WORKSPACE_KEYS = ['use-workspace', 'keep-workspace'] as const;

/** Hook part of the current step in the job's own frame; null outside of hooks. Steps of functions called there share it. */
export function channelPartOf(job: Job): HookPart | null {
  const [frame] = job.frames;
  return frame?.steps[frame.next]?.hook?.part ?? null;
}

/** Cleaning up asks for nothing that its author does not say. */
export const isTeardown = (part: HookPart | null | undefined): boolean =>
  part === 'teardown-before' || part === 'teardown-after';

/** Functions that a hook calls have no hooks themselves: a hook on all functions could never call one. */
export function isInHook(job: Job): boolean {
  return job.frames.some((frame) => frame.steps[frame.next]?.hook !== undefined);
}
