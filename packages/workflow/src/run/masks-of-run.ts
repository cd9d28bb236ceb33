/** Texts that nobody may see of a run: its secrets, and what its steps mask. */
import type { RunEvent } from '@tutti/manifests';
import { addMasks, masksLength } from '../environment/masks.ts';
import { masksIn } from '../facts/decode.ts';
import { basicContexts } from './contexts.ts';
import { credentialsOf } from './resources.ts';
import { emptyRun, type Run } from './run.ts';

/**
 * Bounds of the masks of one run: their number, and their characters in all forms. All shown texts of the run are searched for them.
 * Preparing the search takes 20 ms for so many.
 */
export const RUN_MASKS_MAX = 4_000;
export const RUN_MASKS_LENGTH_MAX = 256 * 1024;

/** One list for all runs without masks, so that comparing lists recognises them. */
const NO_MASKS = emptyRun.masks;

/** The masks of a run that begins: its secrets, and the credentials in the addresses of its resources. */
export function masksOfWorkflow(run: Run): readonly string[] {
  const { secrets: given, resources } = run.manifest;
  if (given === undefined && resources === undefined) return NO_MASKS;
  const credentials = credentialsOf(run, basicContexts(run));
  return addMasks(NO_MASKS, [...Object.values(given ?? {}), ...credentials]);
}

export const TOO_MANY_SECRETS = `The secrets of the workflow are more than ${RUN_MASKS_MAX} texts, or more than ${RUN_MASKS_LENGTH_MAX} characters in all the ways in which they may be written.`;

/** Whether a run can hide all of these texts. */
export function canHide(texts: readonly string[]): boolean {
  // Checked first, so that forms of far too long texts are not made.
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  return length <= RUN_MASKS_LENGTH_MAX && isBounded(addMasks(NO_MASKS, texts));
}

/** Why the run cannot begin: texts that it could not hide. */
export function secretsProblem({ masks }: Run): string | null {
  return isBounded(masks) ? null : TOO_MANY_SECRETS;
}

/** The run with the masks that an event brings, as far as they fit. */
export function withMasksOf(run: Run, event: RunEvent): Run {
  const masks = masksAfter(run, event);
  return masks === run.masks || !isBounded(masks) ? run : { ...run, masks };
}

/** Why the run cannot go on after the event: it brings texts that the run cannot hide. */
export function masksProblem(run: Run, event: RunEvent): string | null {
  return isBounded(masksAfter(run, event))
    ? null
    : `The steps of the workflow mask more than ${RUN_MASKS_MAX} texts, or more than ${RUN_MASKS_LENGTH_MAX} characters.`;
}

function masksAfter(run: Run, event: RunEvent): readonly string[] {
  const masks = masksIn(event);
  return masks.length === 0 ? run.masks : addMasks(run.masks, masks);
}

function isBounded(masks: readonly string[]): boolean {
  return masks.length <= RUN_MASKS_MAX && masksLength(masks) <= RUN_MASKS_LENGTH_MAX;
}
