/** The inputs of a function, as its scripts get them (wire facts 1.7). */
import type { Variables } from '@tutti/manifests';

/** Characters of a value. Twice as many, which is what cmd may need for them, fit into one of its lines. */
export const INPUT_LENGTH_MAX = 4000;
/** Characters of all values of a call together: whatever a script starts takes them along, and systems bound that. */
export const INPUTS_LENGTH_MAX = 16_384;
const NAME_LENGTH_MAX = 100;

/**
 * Variables `INPUT_<NAME>`, which no shell expands. An input that is too long has no variable, as it would keep the script from starting
 * anything. The function itself still gets it.
 */
export function inputVariables(given: Readonly<Record<string, unknown>>): Variables {
  const variables = new Map<string, Variables[string]>();
  let length = 0;
  for (const [name, input] of Object.entries(given)) {
    const value = textOf(input);
    if (value.length > INPUT_LENGTH_MAX || name.length > NAME_LENGTH_MAX) continue;
    length += value.length;
    if (length > INPUTS_LENGTH_MAX) break;
    variables.set(`INPUT_${name.toUpperCase().replace(/\W/g, '_')}`, { value, verbatim: true });
  }
  return Object.fromEntries(variables);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
