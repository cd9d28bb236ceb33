/** Texts that nobody may see of a run: its secrets, and what its steps mask. */
import type { RunEvent } from '@tutti/manifests';
import { addMask, masksLength } from '../environment/masks.ts';
import { MASKS_ENTRY } from '../projection/redactor.ts';
import { basicContexts } from './contexts.ts';
import { extension } from './extensions.ts';
import { credentialsOf } from './resources.ts';
import { emptyRun, type Run } from './run.ts';

/** Masks of one run, and their characters together, in all forms: they are looked for in everything that is shown of it. */
export const RUN_MASKS_MAX = 4_000;
export const RUN_MASKS_LENGTH_MAX = 256 * 1024;

/** One list for all runs without masks, which can be told by it. */
const NO_MASKS = emptyRun.masks;

/** The masks of a run that begins: its secrets, and the credentials in the addresses of its resources. */
export function masksOfWorkflow(run: Run): readonly string[] {
  const { secrets: given, resources } = run.manifest;
  if (given === undefined && resources === undefined) return NO_MASKS;
  const credentials = credentialsOf(run, basicContexts(run));
  return [...Object.values(given ?? {}), ...credentials].reduce(addMask, NO_MASKS);
}

/** The run with the masks that an event brings, as far as they fit. */
export function withMasksOf(run: Run, event: RunEvent): Run {
  const masks = masksAfter(run, event);
  return masks === run.masks || !isBounded(masks) ? run : { ...run, masks };
}

/** Why the run cannot go on with what the event brings: texts that it cannot hide. */
export function masksProblem(run: Run, event: RunEvent): string | null {
  return isBounded(masksAfter(run, event))
    ? null
    : `The steps of the workflow mask more than ${RUN_MASKS_MAX} texts, or more than ${RUN_MASKS_LENGTH_MAX} characters.`;
}

function masksAfter(run: Run, event: RunEvent): readonly string[] {
  return extension.list(event.metadata, MASKS_ENTRY).reduce(addMask, run.masks);
}

function isBounded(masks: readonly string[]): boolean {
  return masks.length <= RUN_MASKS_MAX && masksLength(masks) <= RUN_MASKS_LENGTH_MAX;
}
