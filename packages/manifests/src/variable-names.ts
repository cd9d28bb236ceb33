/** Names of the variables of a run (specification 4.6), limited to those that processes can have. */
import { OrchestratorError } from './status.ts';

/** Number of variables. No process has more. */
export const VARIABLES_MAX = 4096;

/** Characters of all names and values of variables, of a workflow, a job or a step. No system gives a process so many. */
export const VARIABLES_LENGTH_MAX = 1024 * 1024;

/** Characters of a step's script, or of any other text for an environment. The server writes it into the file that an agent runs. */
export const SENT_TEXT_LENGTH_MAX = 2 * 1024 * 1024;

const VARIABLE = /^[a-zA-Z0-9_]+$/;

/** Checks names of variables. Throws `Invalid`, which quotes the first invalid name. */
export function checkVariableNames(names: Iterable<string>): void {
  const wrong = [...names].find((name) => !VARIABLE.test(name));
  if (wrong === undefined) return;
  throw new OrchestratorError(
    'Invalid',
    `Not valid variables: "${wrong}" is no name of a variable (letters, digits and underscores).`,
  );
}
