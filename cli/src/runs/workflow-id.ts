import { isUuid } from '@tutti/manifests';
import { UsageError } from '../terminal/problem.ts';

/**
 * Checks an id. Throws `UsageError` if the text is none, because servers answer that differently. `otherwise` suggests another command, as
 * in `to choose by name, write: tutti report --name x`.
 */
export function checkWorkflowId(text: string, otherwise?: string): void {
  if (isUuid(text)) return;
  const ids = 'see which workflows there are with "tutti workflows".';
  throw new UsageError(
    `Not the id of a workflow: "${text}".`,
    otherwise === undefined ? ids : `${otherwise}; or ${ids}`,
  );
}

/** True if the text has only letters of ids, so it may be a workflow id or its beginning. */
export const isLikeId = (text: string): boolean => /^[\da-f-]*$/i.test(text);
