/** The manual pages: `tutti(1)`, and one for each command of the first level, such as `tutti-run(1)`. */
import { type CommandFacts, type Term, withThoseBelow } from './command-facts.ts';
import type { Page } from './command-pages.ts';

export function manualPages(program: CommandFacts, version: string): readonly Page[] {
  return [overview(program, version), ...program.commands.map((each) => manual(each, version))];
}

const nameOf = ({ path }: CommandFacts): string => path.split(' ').slice(0, 2).join('-');

function overview(program: CommandFacts, version: string): Page {
  const commands = program.commands.map((each) => ({
    term: `${nameOf(each)}(1)`,
    description: each.description,
  }));
  return page(program, version, [
    '.SH SYNOPSIS',
    '\\fBtutti\\fR \\fIcommand\\fR [\\fIoptions\\fR]',
    '.SH COMMANDS',
    ...terms(commands),
    '.SH OPTIONS',
    ...terms(program.options),
    ...preformatted(program.more),
  ]);
}

function manual(command: CommandFacts, version: string): Page {
  const [first, ...below] = withThoseBelow(command);
  const others = below.flatMap((each) => [
    `.SH ${inRoff(each.path.toUpperCase())}`,
    inRoff(each.description),
    ...body(each, '.SS'),
  ]);
  return page(command, version, [...(first === undefined ? [] : body(first, '.SH')), ...others]);
}

function body(command: CommandFacts, heading: '.SH' | '.SS'): readonly string[] {
  const { path, usage, parameters, options, more } = command;
  return [
    `${heading} SYNOPSIS`,
    `\\fB${inRoff(path)}\\fR ${inRoff(usage)}`.trimEnd(),
    ...(parameters.length > 0 ? [`${heading} ARGUMENTS`, ...terms(parameters)] : []),
    ...(options.length > 0 ? [`${heading} OPTIONS`, ...terms(options)] : []),
    ...preformatted(more),
  ];
}

function page(command: CommandFacts, version: string, lines: readonly string[]): Page {
  const name = nameOf(command);
  const text = [
    `.TH "${name.toUpperCase()}" "1" "" "Tutti ${version}" "Tutti"`,
    '.SH NAME',
    `${inRoff(name)} \\- ${inRoff(command.description.replace(/\.$/, ''))}`,
    ...lines,
  ];
  return { name: `${name}.1`, text: `${text.join('\n')}\n` };
}

const terms = (list: readonly Term[]): readonly string[] =>
  list.flatMap(({ term, description }) => ['.TP', `\\fB${inRoff(term)}\\fR`, inRoff(description)]);

function preformatted(text: string): readonly string[] {
  if (text === '') return [];
  return ['.PP', '.nf', ...text.split('\n').map((line) => inRoff(line)), '.fi'];
}

/** A line of text that roff takes for nothing else. */
function inRoff(text: string): string {
  const escaped = text.replaceAll('\\', '\\e').replaceAll('-', '\\-');
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}
