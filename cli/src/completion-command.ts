/** `tutti completion`, and what its scripts ask while somebody types. */
import { Argument, type Command } from 'commander';
import { LIVE_KINDS, type LiveKind, SHELLS, type Shell } from './completion/completion-table.ts';
import { EXIT_CODES } from './exit-codes.ts';
import type { Io } from './io.ts';

type End = (action: Promise<number>) => Promise<void>;

/** `complete`: all commands, with the options of all of them. */
export function addCompletionCommand(
  program: Command,
  complete: () => Promise<Command>,
  end: End,
  io: Io,
): void {
  program
    .command('completion')
    .description('Print a script that completes commands, options and ids in a shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText('after', COMPLETION_HELP)
    .action(async (shell: Shell) => {
      const { completionScript } = await import('./commands/completion.ts');
      await end(completionScript(shell, await complete(), io));
    });
  program
    .command('__complete', { hidden: true })
    .description('What the scripts of "tutti completion" ask.')
    .addArgument(new Argument('<kind>', 'what is completed').choices(LIVE_KINDS))
    .argument('[line...]', 'what was typed so far')
    .action(async (kind: LiveKind, line: readonly string[]) => {
      const { liveWords } = await import('./completion/live-words.ts');
      const words = await liveWords(kind, line, io);
      io.screen.write(words.map((word) => `${word}\n`).join(''));
      await io.drained();
      // A connection that nobody waits for any more would hold up the shell.
      io.exit(EXIT_CODES.done);
    });
}

const COMPLETION_HELP = `
Example:
  $ source <(tutti completion bash)              # for this shell; in ~/.bashrc for all
  $ tutti completion zsh > "\${fpath[1]}/_tutti"   # then start a new shell
  $ tutti completion fish > ~/.config/fish/completions/tutti.fish

Ids of workflows, agents and subscriptions are those of the server that the line names, or of the context.`;
