/** Options that have one value: given twice, they must say the same. */
import type { Command } from 'commander';
import { UsageError } from './problem.ts';

/**
 * Refuses a second value of an option that is another than the first, in the command and those below it. Lists and pairs, whose
 * value is an object, are joined.
 */
export function refuseSecondValues(command: Command): void {
  for (const option of command.options) {
    let first: string | null | undefined;
    // Called after the value was read.
    command.on(`option:${option.name()}`, (text: string | null) => {
      if (typeof command.getOptionValue(option.attributeName()) === 'object') return;
      if (first !== undefined && first !== text) throw givenTwice(option.long, first, text);
      first = text;
    });
  }
  for (const child of command.commands) refuseSecondValues(child);
}

function givenTwice(
  flag: string | undefined,
  first: string | null,
  second: string | null,
): UsageError {
  const [one, other] = [first, second].map((text) => (text === null ? 'no value' : `"${text}"`));
  return new UsageError(
    `${flag} has one value, and is given twice: with ${one} and with ${other}.`,
    'leave one of them out.',
  );
}
