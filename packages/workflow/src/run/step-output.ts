/** Lines of a step that its environment gave while the step runs. */
import type { NotificationEvent } from '@tutti/manifests';
import { extension } from './extensions.ts';

/**
 * The entry of a notification that has these lines. They stand in the `logs` of the result as well, and existing clients print the `logs`
 * of notifications and of results: lines in both would be printed twice.
 */
export const OUTPUT_ENTRY = 'tutti.output';

/** The lines that a notification brings to the log. Earlier events have the lines of steps in `logs`. */
export function notifiedLines({ spec }: NotificationEvent): readonly string[] {
  return Object.hasOwn(spec, OUTPUT_ENTRY) ? extension.list(spec, OUTPUT_ENTRY) : (spec.logs ?? []);
}
