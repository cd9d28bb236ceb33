/** Names of the variables of a run (specification 4.6): those that environments of processes can have. */
import { OrchestratorError } from './status.ts';

/** Environments of processes have no more. */
export const VARIABLES_MAX = 4096;

/** Values and names of variables together, of a workflow, a job or a step, in characters. No system gives a process so many. */
export const VARIABLES_LENGTH_MAX = 1024 * 1024;

/** A script of a step, or any other text that reaches an environment, in characters: the server writes it into the file that an agent runs. */
export const SENT_TEXT_LENGTH_MAX = 2 * 1024 * 1024;

const VARIABLE = /^[a-zA-Z0-9_]+$/;

/** Throws `Invalid`, which names the first of these that is none. */
export function checkVariableNames(names: Iterable<string>): void {
  const wrong = [...names].find((name) => !VARIABLE.test(name));
  if (wrong === undefined) return;
  throw new OrchestratorError(
    'Invalid',
    `Not valid variables: "${wrong}" is no name of a variable (letters, digits and underscores).`,
  );
}
