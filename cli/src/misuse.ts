/** What is said about wrong use that commander finds. */
import type { Command } from 'commander';

/** Commander begins what it says about wrong use with `error:`; everything else of ours begins with our name. */
export function misuse(text: string): string {
  const what = text.replace(/^error: /, '');
  return `tutti: ${what.charAt(0).toUpperCase()}${what.slice(1)}`;
}

/** Says where help is after a wrong use: that of the command that was meant. */
export function adviseHelp(command: Command, path: string): void {
  command.showHelpAfterError(`What to do: see "${path} --help".`);
  for (const child of command.commands) adviseHelp(child, `${path} ${child.name()}`);
}
