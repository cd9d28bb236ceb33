/** Variables that steps leave for later steps (wire facts 3.7). */
import { VARIABLES_MAX } from '@tutti/manifests';

const ASSIGNMENT = /^([a-zA-Z0-9_]+)=(.*)$/s;
const COMMAND = /^(?:export|set) /;

/**
 * Reads the lines of a variables file. Quotes around a value alone are kept, as other readers of the file do. Quotes around the whole
 * assignment (the form of windows) are not. More than a run may have are dropped. A later line wins; other lines are ignored.
 */
export function parseVariablesFile(lines: readonly string[]): Record<string, string> {
  const variables = new Map<string, string>();
  for (const line of lines) {
    const [, name, value] = ASSIGNMENT.exec(assignmentOf(line)) ?? [];
    if (name === undefined || value === undefined) continue;
    if (variables.has(name) || variables.size < VARIABLES_MAX) variables.set(name, value);
  }
  return Object.fromEntries(variables);
}

function assignmentOf(line: string): string {
  const text = line.trim().replace(COMMAND, '');
  return text.startsWith('"') ? text.slice(1, -1) : text;
}
