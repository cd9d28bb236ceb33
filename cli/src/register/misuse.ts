/** Messages for wrong use that commander detects. */
import type { Command } from 'commander';

const WRONG_OPTION =
  /^option '(?:(?<short>-\w), )?(?<long>--[\w-]+)[^']*' argument '(?<given>[\s\S]*)' is invalid\. Allowed choices are (?<choices>.*)\.$/m;
const WRONG_ARGUMENT =
  /^command-argument value '(?<given>[\s\S]*)' is invalid for argument '(?<long>.*)'\. Allowed choices are (?<choices>.*)\.$/m;

/**
 * Rewrites a message of commander. Its messages begin with `error:`, ours with the name of the command. A wrong choice is
 * reported in our own words.
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

/** Adds advice to errors: the help of the command concerned. */
export function adviseHelp(command: Command, path: string): void {
  command.showHelpAfterError(`What to do: see "${path} --help".`);
  for (const child of command.commands) adviseHelp(child, `${path} ${child.name()}`);
}
