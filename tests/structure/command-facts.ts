/** Descriptions of the commands, for their pages in the documents. */
import type { Command, Option } from 'commander';
import { CONNECTION_HEADING } from '../../cli/src/options/connection-options.ts';

export interface CommandFacts {
  /** As it is typed: `tutti workflows list`. */
  readonly path: string;
  /** Another name of it, if it has one: `tutti workflow`. */
  readonly alias: string | null;
  readonly description: string;
  /** The text behind the path. */
  readonly usage: string;
  readonly parameters: readonly Term[];
  readonly options: readonly Term[];
  /** The text behind the options in the help. */
  readonly more: string;
  readonly commands: readonly CommandFacts[];
}

export interface Term {
  readonly term: string;
  readonly description: string;
}

/** Commands that are not shown in help are left out. */
export function factsOf(command: Command, above = ''): CommandFacts {
  const help = command.createHelp();
  const path = `${above}${command.name()}`;
  const children = help.visibleCommands(command).filter((child) => child.name() !== 'help');
  const alias = command.alias();
  return {
    path,
    alias: alias === undefined ? null : `${above}${alias}`,
    description: command.description(),
    usage: usageOf(command, children.length > 0),
    parameters: help.visibleArguments(command).map((argument) => ({
      term: help.argumentTerm(argument),
      description: help.argumentDescription(argument),
    })),
    options: help
      .visibleOptions(command)
      .filter((option) => option.long !== '--help')
      .toSorted((one, other) => groupPlace(one) - groupPlace(other))
      .map((option) => ({ term: help.optionTerm(option), description: descriptionOf(option) })),
    more: moreHelp(command),
    commands: children.map((child) => factsOf(child, `${path} `)),
  };
}

/** Options of the command itself come first, those of the server last, as in the help. */
function groupPlace({ helpGroupHeading: heading }: Option): number {
  if (heading === undefined) return 0;
  return heading === CONNECTION_HEADING ? 2 : 1;
}

/** The command and those below it, in the order of the help. */
export const withThoseBelow = (facts: CommandFacts): readonly CommandFacts[] => [
  facts,
  ...facts.commands.flatMap(withThoseBelow),
];

function usageOf(command: Command, hasCommands: boolean): string {
  const words = command.registeredArguments.map((argument) => {
    const shown = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${shown}>` : `[${shown}]`;
  });
  return [
    ...(command.options.length > 0 ? ['[options]'] : []),
    ...words,
    ...(hasCommands ? ['[command]'] : []),
  ].join(' ');
}

function descriptionOf(option: Option): string {
  const extras = [
    ...(option.argChoices === undefined ? [] : [`one of ${option.argChoices.join(', ')}`]),
    ...(isShown(option)
      ? [`default: ${option.defaultValueDescription ?? option.defaultValue}`]
      : []),
  ];
  return extras.length === 0 ? option.description : `${option.description} (${extras.join('; ')})`;
}

function isShown({ defaultValue, negate }: Option): boolean {
  return defaultValue !== undefined && defaultValue !== false && !negate;
}

/** Commander gives what is behind its own help only along with it. */
function moreHelp(command: Command): string {
  const written: string[] = [];
  command.configureOutput({ writeOut: (text) => written.push(text) });
  command.outputHelp();
  const own = command.helpInformation();
  return written
    .join('')
    .replace(own, '')
    .replace(/^\n+|\s+$/g, '');
}
