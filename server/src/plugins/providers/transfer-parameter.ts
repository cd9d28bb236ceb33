/** Values that a workflow command can have as parameters (wire facts part 5). */
import { OrchestratorError } from '@tutti/manifests';

/** The value; throws `Invalid` for one that would be read as something else. */
export function parameterOf(input: string, value: string): string {
  if (/^[^\s,:](?:[^,:\0\r\n]*[^\s,:])?$/.test(value)) return value;
  throw new OrchestratorError(
    'Invalid',
    `Input "${input}": ${JSON.stringify(value)} has a comma, a colon or a line break, or a blank at one of its ends.`,
  );
}
