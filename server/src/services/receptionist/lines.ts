/** `NAME=value` lines, as variables and inputs of a run are given (specification 4.6). */
import { checkVariableNames, OrchestratorError, VARIABLES_MAX } from '@tutti/manifests';

/**
 * The values by name; the last value of a name counts. Blank lines are skipped. Throws `Invalid` with the line that has no `=` or
 * no name, and for too many names. `what` names the part of the request.
 */
export function parseLines(text: string, what: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let number = 0;
  // Line by line: the text may have a million, and the limit ends the loop.
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

/** Like `parseLines`, but only with names that environments accept as variables. */
export function parseVariables(text: string): ReadonlyMap<string, string> {
  const variables = parseLines(text, 'variables');
  checkVariableNames(variables.keys());
  return variables;
}
