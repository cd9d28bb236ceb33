/** Rules for option values: none is empty, and a repeated single value must be the same. */
import type { Command } from 'commander';
import { UsageError } from '../terminal/problem.ts';

/**
 * Refuses two different values of an option, in the command and its subcommands. Lists and pairs, whose value is an object, are
 * merged.
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

/**
 * Refuses empty option values in the command and its subcommands: in scripts, they are unset variables. `server` has its own
 * message.
 */
export function refuseEmptyValues(command: Command): void {
  for (const { long, name } of command.options.map((each) => ({
    long: each.long,
    name: each.name(),
  }))) {
    command.on(`option:${name}`, (text: string | null) => {
      if (text !== '') return;
      throw new UsageError(`${long} has an empty value.`, 'give it a value, or leave it out.');
    });
  }
  for (const child of command.commands) {
    if (child.name() !== 'server') refuseEmptyValues(child);
  }
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
