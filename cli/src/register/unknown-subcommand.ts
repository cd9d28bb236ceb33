/** The error for an unknown subcommand of a group. */
import type { Command } from 'commander';
import { isLikeId } from '../runs/workflow-id.ts';
import { UsageError } from '../terminal/problem.ts';

/** Thrown while arguments are read. `explained` makes its message later, because that takes time to load. */
class UnknownSubcommand extends Error {
  override readonly name = 'UnknownSubcommand';
  readonly word: string;
  readonly group: Command;

  constructor(group: Command, word: string) {
    super(`${group.name()} has no command ${word}.`);
    this.group = group;
    this.word = word;
  }
}

/** Refuses unknown subcommands of all groups. Otherwise the word would become an argument of the group's list. */
export function refuseUnknownSubcommands(program: Command): void {
  for (const group of program.commands.filter(({ commands }) => commands.length > 0)) {
    group.on('command:*', ([word = '']: readonly string[]) => {
      throw new UnknownSubcommand(group, word);
    });
    group.hook('preSubcommand', (_, command) => {
      const [word] = group.args;
      if (word === undefined || word.startsWith('-') || isNamed(group, word)) return;
      if (command.registeredArguments.length === 0) throw new UnknownSubcommand(group, word);
    });
  }
}

/**
 * The arguments, changed if they ask for help on an unknown command. Commander would print the general help. So the word is called as a
 * command instead, which reports the error.
 */
export function knownHelp(argv: readonly string[], program: Command): readonly string[] {
  const words = argv.filter((word) => !word.startsWith('-'));
  const [first = ''] = words;
  // Behind an option, the word may be the option's value.
  const isBehindGroup = argv[argv.indexOf(first) + 1] === 'help';
  if (first !== 'help' && !isBehindGroup) return argv;
  const [name, word] = words.filter((_, at) => at !== (first === 'help' ? 0 : 1));
  if (name === undefined || name === 'help') return ['help'];
  const group = program.commands.find((each) => isCalled(each, name));
  if (group === undefined) return [name];
  const isKnown = word === undefined || word === 'help' || isNamed(group, word);
  if (isKnown || group.commands.length === 0) return argv;
  throw new UnknownSubcommand(group, word);
}

const isCalled = (command: Command, word: string): boolean =>
  command.name() === word || command.aliases().includes(word);

const isNamed = ({ commands }: Command, word: string): boolean =>
  commands.some((command) => isCalled(command, word));

/** The error, or one that lists the available commands. */
export async function explained(error: unknown): Promise<unknown> {
  if (!(error instanceof UnknownSubcommand)) return error;
  const { group, word } = error;
  const { didYouMean } = await import('@tutti/manifests/documents');
  const visible = group.createHelp().visibleCommands(group);
  const names = visible.map((command) => command.name()).filter((name) => name !== 'help');
  const path = `tutti ${group.name()}`;
  const near = didYouMean(word, names) || '.';
  const help = `see "${path} --help".`;
  const show = ['show', 'describe'].find((name) => names.includes(name));
  const isId = show !== undefined && isLikeId(word) && /\d/.test(word);
  return new UsageError(
    `"${path}" has no command "${word}"${near} It has: ${names.join(', ')}.`,
    isId ? `to see the one that is meant, write "${path} ${show} ${word}"; or ${help}` : help,
  );
}
