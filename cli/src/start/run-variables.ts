/** Variables of a run out of the environment of the command, as build servers set them. */
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';

/** The later one counts; the first is that of existing clients. */
const PREFIXES = ['OPENTF_RUN_', 'TUTTI_RUN_'] as const;

/** `TUTTI_RUN_STAGE=qa` gives the run a variable `STAGE`. Throws `UsageError` for invalid variables. */
export function variablesIn(env: Io['env']): Readonly<Record<string, string>> {
  const variables: Record<string, string> = {};
  for (const prefix of PREFIXES) {
    for (const [name, value] of Object.entries(env)) {
      if (value === undefined || !name.startsWith(prefix) || name === prefix) continue;
      if (/[\r\n]/.test(value)) throw severalLines(name);
      variables[name.slice(prefix.length)] = value;
    }
  }
  return variables;
}

const severalLines = (name: string): UsageError =>
  new UsageError(
    `${name} becomes a variable of the workflow, and its value has several lines, or a line end behind it.`,
    'unset it, or give it one line.',
  );
