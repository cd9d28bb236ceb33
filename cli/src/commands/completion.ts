/** `tutti completion`: the scripts, made of the commands that there are. */
import type { Command } from 'commander';
import { bashScript } from '../completion/bash-script.ts';
import { completionTable, type Shell } from '../completion/completion-table.ts';
import { fishScript } from '../completion/fish-script.ts';
import { zshScript } from '../completion/zsh-script.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { Io } from '../io.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** Resolves with the exit code. */
export async function completionScript(shell: Shell, program: Command, io: Io): Promise<number> {
  io.screen.write(SCRIPTS[shell](completionTable(program), 'tutti'));
  return EXIT_CODES.done;
}
