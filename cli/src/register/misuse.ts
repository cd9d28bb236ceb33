/** What is said about wrong use that commander finds. */
import type { Command } from 'commander';

const WRONG_OPTION =
  /^option '(?:(?<short>-\w), )?(?<long>--[\w-]+)[^']*' argument '(?<given>[\s\S]*)' is invalid\. Allowed choices are (?<choices>.*)\.$/m;
const WRONG_ARGUMENT =
  /^command-argument value '(?<given>[\s\S]*)' is invalid for argument '(?<long>.*)'\. Allowed choices are (?<choices>.*)\.$/m;

/**
 * Commander begins what it says about wrong use with `error:`; everything else of ours begins with our name. Of what takes one of some
 * words, it is said as by ourselves.
 */
export function misuse(text: string): string {
  // The value of an unknown option may be a secret, or an address with one.
  const what = text.replace(/^error: /, '').replace(/^(unknown option '--[^='\n]+)=.*'$/m, "$1'");
  const wrong = (WRONG_OPTION.exec(what) ?? WRONG_ARGUMENT.exec(what))?.groups;
  if (wrong !== undefined) {
    const { short, long, given, choices } = wrong;
    return `tutti: ${short ?? long} takes ${choices}, not "${given}".\n`;
  }
  return `tutti: ${what.charAt(0).toUpperCase()}${what.slice(1)}`;
}

/** Says where help is after a wrong use: that of the command that was meant. */
export function adviseHelp(command: Command, path: string): void {
  command.showHelpAfterError(`What to do: see "${path} --help".`);
  for (const child of command.commands) adviseHelp(child, `${path} ${child.name()}`);
}
