/**
 * The workspace of a job, and what each command tells its channel of it (wire facts 3.4).
 *
 * A channel makes a fresh workspace at command 0, unless that one is of a setup hook. Otherwise the
 * first command after the hooks that run before the workspace carries the order to make one. A directory that a hook gave is kept.
 */
import type { ExecutionCommandEvent } from '@tutti/manifests';
import { type HookAnnotation, readHookAnnotation } from '../environment/hook-annotation.ts';
import type { WorkspaceChoice } from '../facts/fact.ts';
import { channelPartOf, isTeardown } from './hooks.ts';
import type { Job, Workspace } from './run.ts';

export const NO_WORKSPACE: Workspace = {
  made: 'none',
  directory: null,
  isKept: false,
  isUncertain: false,
};

/** Whether the channel makes the workspace for this command, or did before. */
export function workspaceAfterCommand(
  workspace: Workspace,
  command: ExecutionCommandEvent,
): Workspace {
  const { channel, 'use-workspace': used } = readHookAnnotation(command);
  const isFirst = command.metadata.step_sequence_id === 0;
  const isMade = channel === 'setup' ? used !== undefined : isFirst;
  if (!isMade) return workspace;
  if (workspace.made !== 'none') return { ...workspace, isUncertain: false };
  const isGiven = used !== undefined && used === workspace.directory;
  return { ...workspace, made: isGiven ? 'given' : 'fresh' };
}

/**
 * A command that was stopped may not have come as far as making the workspace. Unless the workspace was recorded, the next command makes
 * it, which is harmless if it exists. Without a workspace, a step that cleans up would delete other files.
 */
export function workspaceAfterStop(
  workspace: Workspace,
  variables: Readonly<Record<string, string>>,
): Workspace {
  return variables.OPENTF_WORKSPACE === undefined && workspace.made !== 'none'
    ? { ...workspace, isUncertain: true }
    : workspace;
}

export function workspaceAfterStep(
  workspace: Workspace,
  { directory, isKept }: WorkspaceChoice,
): Workspace {
  return {
    ...workspace,
    ...(directory === null ? {} : { directory }),
    ...(isKept === null ? {} : { isKept }),
  };
}

/** Annotation about the workspace for the next command of a job; null if there is none. */
export function annotationOfStep(job: Job): HookAnnotation | null {
  switch (channelPartOf(job)) {
    case 'setup-before':
      return { channel: 'setup' };
    case 'setup-after':
      return { channel: 'setup', ...orderToMake(job, true) };
    case 'teardown-before':
      return { channel: 'teardown' };
    case 'teardown-after':
      return { channel: 'teardown', 'keep-workspace': isLeft(job) };
    default: {
      const order = orderToMake(job, false);
      return order === null ? null : { channel: 'setup', ...order };
    }
  }
}

/** Annotation about the workspace for the release; null for a fresh workspace that no hook touches. */
export function annotationOfRelease(job: Job): HookAnnotation | null {
  const isHooked = job.frames[0]?.steps.some(({ hook }) => isTeardown(hook?.part)) === true;
  const isKept = isLeft(job);
  return isHooked || isKept ? { channel: 'teardown', 'keep-workspace': isKept } : null;
}

/** True if the job is released after its current command, whatever its result. No hook touches that release. */
export function isLastCommand(job: Job): boolean {
  const [frame, inner] = job.frames;
  const isLast =
    frame !== undefined && inner === undefined && frame.next === frame.steps.length - 1;
  return isLast && job.command !== null && annotationOfRelease(job) === null;
}

/** A directory that a hook gave is not ours to delete. */
function isLeft({ workspace: { made, isKept } }: Job): boolean {
  return made === 'given' || (made === 'fresh' && isKept);
}

function orderToMake(
  { workspace, nextSequence, jobId }: Job,
  isSetup: boolean,
): Pick<HookAnnotation, 'use-workspace'> | null {
  const { made, directory, isUncertain } = workspace;
  const isMadeUnasked = nextSequence === 0 && directory === null && !isSetup;
  const isThere = made !== 'none' && !isUncertain;
  return isThere || isMadeUnasked ? null : { 'use-workspace': directory ?? jobId ?? '.' };
}
