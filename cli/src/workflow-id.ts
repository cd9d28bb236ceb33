import { isUuid } from '@tutti/manifests';
import { UsageError } from './problem.ts';

/** Throws `UsageError` for what is no id: servers say different things of it, as their interface wants them to. */
export function checkWorkflowId(text: string): void {
  if (isUuid(text)) return;
  throw new UsageError(
    `Not the id of a workflow: "${text}".`,
    'see which workflows there are with "tutti status".',
  );
}
