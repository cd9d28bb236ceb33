/** The pages of docs/reference/commands: one for each command of the first level, and a list of all. */
import { type CommandFacts, type Term, withThoseBelow } from './command-facts.ts';

export interface Page {
  /** The name of its file. */
  readonly name: string;
  readonly text: string;
}

const MADE_BY =
  '<!-- Made of what the commands say of themselves; `npx vitest run --project unit tests/structure -u` makes it anew. -->';

export function commandPages(program: CommandFacts): readonly Page[] {
  return [indexPage(program), ...program.commands.map(commandPage)];
}

const fileOf = ({ path }: CommandFacts): string => `${path.split(' ')[1]}.md`;

function indexPage(program: CommandFacts): Page {
  const rows = program.commands.flatMap((command) =>
    withThoseBelow(command).map(
      (each) =>
        `| [\`${each.path}\`](${fileOf(each)}#${anchorOf(each)}) | ${inCell(each.description)} |`,
    ),
  );
  const text = [
    MADE_BY,
    '',
    '# Commands',
    '',
    'What all of them share, from forms of output to exit codes, is in [The command line](../command-line.md).',
    '',
    '| Command | |',
    '|---|---|',
    ...rows,
    '',
    ...block(program.more),
  ];
  return { name: 'README.md', text: `${text.join('\n').trimEnd()}\n` };
}

function commandPage(command: CommandFacts): Page {
  const sections = withThoseBelow(command).flatMap((each, index) => section(each, index === 0));
  return { name: fileOf(command), text: `${[MADE_BY, '', ...sections].join('\n').trimEnd()}\n` };
}

function section(command: CommandFacts, isFirst: boolean): readonly string[] {
  const { path, alias, description, usage, parameters, options, more, commands } = command;
  return [
    `${isFirst ? '#' : '##'} ${path}`,
    '',
    description,
    '',
    '```',
    `${path}${usage === '' ? '' : ` ${usage}`}`,
    '```',
    '',
    ...(alias === null ? [] : [`Also \`${alias}\`.`, '']),
    ...terms('Argument', parameters),
    ...terms('Option', options),
    ...terms(
      'Command',
      commands.map((each) => ({ term: each.path, description: each.description })),
    ),
    ...block(more),
  ];
}

function terms(title: string, list: readonly Term[]): readonly string[] {
  if (list.length === 0) return [];
  const rows = list.map(
    ({ term, description }) => `| \`${inCell(term)}\` | ${inCell(description)} |`,
  );
  return [`| ${title} | |`, '|---|---|', ...rows, ''];
}

const block = (text: string): readonly string[] =>
  text === '' ? [] : ['```text', ...text.split('\n'), '```', ''];

const inCell = (text: string): string => text.replaceAll('|', '\\|').replace(/\s+/g, ' ');

const anchorOf = ({ path }: CommandFacts): string => path.replaceAll(' ', '-');
