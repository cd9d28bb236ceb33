/** `NAME=value` lines, as variables and inputs of a run are given (specification 4.6). */
import { checkVariableNames, OrchestratorError, VARIABLES_MAX } from '@tutti/manifests';

/**
 * The values by name; of a name that is given twice the last one holds. Blank lines are skipped. Throws `Invalid` naming the
 * line that has no `=` or no name, and for more names than a run may have variables. `what` names the part of the request.
 */
export function parseLines(text: string, what: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let number = 0;
  // One line after the other: the text may have a million, and what is too much ends it.
  for (let start = 0; start <= text.length; ) {
    const end = endOfLine(text, start);
    number += 1;
    addLine(values, text.slice(start, end).replace(/\r$/, ''), number, what);
    start = end + 1;
  }
  return values;
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end === -1 ? text.length : end;
}

function addLine(values: Map<string, string>, line: string, number: number, what: string): void {
  if (line.trim() === '') return;
  const equals = line.indexOf('=');
  const name = line.slice(0, Math.max(0, equals)).trim();
  if (name === '') {
    throw new OrchestratorError(
      'Invalid',
      `Not valid ${what}: line ${number} must have the form NAME=value.`,
    );
  }
  values.set(name, line.slice(equals + 1));
  if (values.size <= VARIABLES_MAX) return;
  throw new OrchestratorError(
    'Invalid',
    `Not valid ${what}: at most ${VARIABLES_MAX} may be given.`,
  );
}

/** Like `parseLines`, for names that environments accept as variables. */
export function parseVariables(text: string): ReadonlyMap<string, string> {
  const variables = parseLines(text, 'variables');
  checkVariableNames(variables.keys());
  return variables;
}
