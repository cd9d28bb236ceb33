/** Options that stand before the command of a group, as in `tutti workflows --server URL show ID`. */
import type { Command, Option } from 'commander';

/**
 * Moves the name of the subcommand right behind its group. Otherwise the words would be arguments of the list that a noun alone
 * stands for. An option that no subcommand knows stays: the next word may be its value.
 */
export function subcommandFirst(argv: readonly string[], program: Command): readonly string[] {
  const at = argv.findIndex((word) => !word.startsWith('-'));
  const group = program.commands.find((each) => isCalled(each, argv[at] ?? ''));
  if (group === undefined || group.commands.length === 0) return argv;
  const options = [program, group, ...group.commands].flatMap((each) => each.options);
  const found = firstWord(argv, at + 1, options);
  const word = argv[found];
  if (word === undefined || !group.commands.some((each) => isCalled(each, word))) return argv;
  const before = argv.slice(0, at + 1);
  return [...before, word, ...argv.slice(at + 1, found), ...argv.slice(found + 1)];
}

const isCalled = (command: Command, word: string): boolean =>
  command.name() === word || command.aliases().includes(word);

/** Index of the first word that is neither an option nor its value; without one, the end. */
function firstWord(argv: readonly string[], from: number, options: readonly Option[]): number {
  let at = from;
  while (argv[at]?.startsWith('-') === true) {
    const words = wordsOf(argv, at, options);
    if (words === null) return argv.length;
    at += words;
  }
  return at;
}

/** Number of words of an option; null for other words, and for options that differ between the commands. */
function wordsOf(argv: readonly string[], at: number, options: readonly Option[]): number | null {
  const [word = '', next = '-'] = argv.slice(at);
  const counts = options
    .filter((each) => isOf(each, word))
    .map(({ short, long, required, optional }) => {
      const hasValueInside = word !== short && word !== long;
      const isNextValue = required || (optional && !next.startsWith('-'));
      return !hasValueInside && isNextValue ? 2 : 1;
    });
  const [count = null, ...others] = new Set(counts);
  return others.length > 0 ? null : count;
}

/** True also with a value: `--name=value`, `-nvalue`. */
function isOf({ short, long, required, optional }: Option, word: string): boolean {
  if (word === short || word === long) return true;
  if (!(required || optional)) return false;
  if (long !== undefined && word.startsWith(`${long}=`)) return true;
  return short !== undefined && !word.startsWith('--') && word.startsWith(short);
}
