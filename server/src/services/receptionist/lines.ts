/** `NAME=value` lines, as variables and inputs of a run are given (specification 4.6). */
import { checkVariableNames, OrchestratorError } from '@tutti/manifests';

/**
 * The values by name; of a name that is given twice the last one holds. Blank lines are skipped. Throws `Invalid` naming the
 * line that has no `=` or no name. `what` names the part of the request.
 */
export function parseLines(text: string, what: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const equals = line.indexOf('=');
    const name = line.slice(0, Math.max(0, equals)).trim();
    if (name === '') {
      throw new OrchestratorError(
        'Invalid',
        `Not valid ${what}: line ${index + 1} must have the form NAME=value.`,
      );
    }
    values.set(name, line.slice(equals + 1));
  }
  return values;
}

/** Like `parseLines`, for names that environments accept as variables. */
export function parseVariables(text: string): ReadonlyMap<string, string> {
  const variables = parseLines(text, 'variables');
  checkVariableNames(variables.keys());
  return variables;
}
