/** `tutti completion`, and the requests of its scripts. */
import { Argument, type Command } from 'commander';
import { SCRIPTS, SHELLS, type Shell } from '../completion/shell-scripts.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import type { Act } from './act.ts';

/** `programFor` returns all commands, and all options of the command that these words begin with. */
export function addCompletionCommand(
  program: Command,
  programFor: (argv: readonly string[]) => Promise<Command>,
  act: Act,
): void {
  program
    .command('completion')
    .description('Print a script that completes commands, options and ids in a shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText('after', COMPLETION_HELP)
    .action((shell: Shell) =>
      act(async (io) => {
        io.screen.write(SCRIPTS[shell]);
        return EXIT_CODES.done;
      }),
    );
  program
    .command('__complete', { hidden: true })
    .description('Print what can follow on a command line, for the scripts of "tutti completion".')
    .argument('<line...>', 'the words of the line; the last one is being typed')
    .action((line: readonly string[]) => act((io) => complete(line, programFor, io)));
}

async function complete(
  line: readonly string[],
  programFor: (argv: readonly string[]) => Promise<Command>,
  io: Io,
): Promise<number> {
  const typed = line.slice(0, -1);
  const { completedWords } = await import('../completion/completed-words.ts');
  const { words, more } = completedWords(await programFor(typed), typed, line.at(-1) ?? '');
  const isShells = more === null || more === 'files' || more === 'directories';
  const found = isShells
    ? []
    : await (await import('../completion/live-words.ts')).liveWords(more, typed, io);
  const lines = [
    (isShells ? more : null) ?? 'words',
    ...words.map(({ word, description }) => [word, description ?? []].flat().join('\t')),
    ...found,
  ];
  io.screen.write(lines.map((each) => `${each}\n`).join(''));
  await io.drained();
  // An open connection would delay the shell.
  io.exit(EXIT_CODES.done);
  return EXIT_CODES.done;
}

const COMPLETION_HELP = `
Example:
  $ source <(tutti completion bash)              # for this shell; in ~/.bashrc for all
  $ tutti completion zsh > "\${fpath[1]}/_tutti"   # then start a new shell
  $ tutti completion fish > ~/.config/fish/completions/tutti.fish

Ids of workflows, agents and subscriptions are those of the server that the line names, or of the context.`;
