/** Command lines in documents and in help, held against the commands that there are. */
import type { Command } from 'commander';

/** The options that a command line has and its command does not. All of it when there is no such command. */
export function unknownIn(program: Command, words: readonly string[]): readonly string[] {
  const [name, ...rest] = words;
  const command = program.commands.find((each) => each.name() === name);
  if (command === undefined) return [words.join(' ')];
  if (command.commands.length > 0) {
    // A noun alone lists; `report` saves.
    const isNamed = command.commands.some((each) => each.name() === rest[0]);
    return unknownIn(
      command,
      isNamed ? rest : [command.name() === 'report' ? 'save' : 'list', ...rest],
    );
  }
  const known = command.options.flatMap(({ short, long }) => [short, long]);
  // A dash alone is standard input.
  return rest.filter((word) => /^-./.test(word) && !known.includes(word));
}
