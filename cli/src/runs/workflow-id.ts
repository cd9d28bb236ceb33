import { isUuid } from '@tutti/manifests';
import { UsageError } from '../terminal/problem.ts';

/**
 * Throws `UsageError` for what is no id: servers say different things of it, as their interface wants them to. `otherwise` says what
 * to write where it was meant for something else, as in `to choose by name, write: tutti report --name x`.
 */
export function checkWorkflowId(text: string, otherwise?: string): void {
  if (isUuid(text)) return;
  const ids = 'see which workflows there are with "tutti workflows".';
  throw new UsageError(
    `Not the id of a workflow: "${text}".`,
    otherwise === undefined ? ids : `${otherwise}; or ${ids}`,
  );
}

/** Whether a text may be meant as the id of a workflow, as a whole or in part: that is what it has the letters of. */
export const isLikeId = (text: string): boolean => /^[\da-f-]*$/i.test(text);
