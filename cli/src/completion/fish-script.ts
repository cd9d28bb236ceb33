/** The script for fish. It shows what commands and options do. */
import type { CompletedCommand, CompletedOption, ValueKind } from './completion-table.ts';
import { below, pathText, steps } from './shell-words.ts';

/** `command` is how the program is called back. */
export function fishScript(table: readonly CompletedCommand[], command: string): string {
  const lines = table.flatMap((each) => [
    ...commandLines(table, each, command),
    ...each.options.map((option) => optionLine(each, option, command)),
    ...each.arguments.map((value, index) => argumentLine(each, value, index, command)),
  ]);
  return `# Completion of ${command} for fish. Save it as ~/.config/fish/completions/${command}.fish, or load it with: ${command} completion fish | source

function __${command}_command
    switch "$argv"
${steps(table)
  .map(([from, to]) => `        case ${quoted(from)}\n            echo ${quoted(to)}\n`)
  .join('')}        case '*'
            return 1
    end
end

function __${command}_takes
    switch "$argv"
        case ${valueFlags(table)}
            return 0
    end
    return 1
end

function __${command}_at
    set -l at ''
    set -l count 0
    set -l takes 0
    for word in (commandline -opc)[2..-1]
        if test $takes = 1
            set takes 0
        else if string match -q -- '-*' $word
            if __${command}_takes "$at $word"
                set takes 1
            end
        else
            set -l next (__${command}_command (string trim "$at $word"))
            if test -n "$next"
                set at $next
            else
                set count (math $count + 1)
            end
        end
    end
    if test "$argv[1]" != "$at"
        return 1
    end
    test (count $argv) -lt 2
    or test $argv[2] = $count
    or test "$argv[3]" = more -a $count -gt $argv[2]
end

function __${command}_live
    ${command} __complete $argv -- (commandline -opc)[2..-1] 2>/dev/null
end

complete -c ${command} -f
${lines.join('\n')}
`;
}

const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

const condition = (words: readonly (string | number)[], command: string): string =>
  quoted(`__${command}_at ${words.map((word) => quoted(String(word))).join(' ')}`);

const commandLines = (
  table: readonly CompletedCommand[],
  at: CompletedCommand,
  command: string,
): readonly string[] =>
  below(table, at).map(
    ({ path, description }) =>
      `complete -c ${command} -n ${condition([pathText(at), 0], command)} -a ${path.at(-1)} -d ${quoted(description)}`,
  );

function optionLine(at: CompletedCommand, option: CompletedOption, command: string): string {
  const names = option.flags.map((flag) =>
    flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
  );
  const value = option.value === null ? '' : ` -r ${valuePart(option.value, command)}`;
  return `complete -c ${command} -n ${condition([pathText(at)], command)} ${names.join(' ')}${value} -d ${quoted(option.description)}`;
}

function argumentLine(
  at: CompletedCommand,
  value: ValueKind,
  index: number,
  command: string,
): string {
  const isLast = index === at.arguments.length - 1;
  const words = [pathText(at), index, ...(isLast ? ['more'] : [])];
  return `complete -c ${command} -n ${condition(words, command)} ${valuePart(value, command)}`;
}

function valuePart(value: ValueKind, command: string): string {
  switch (value.kind) {
    case 'words':
      return `-f -a ${quoted(value.words.join(' '))}`;
    case 'live':
      return `-f -a ${quoted(`(__${command}_live ${value.of})`)}`;
    case 'files':
      return '-F';
    case 'directories':
      return `-f -a ${quoted('(__fish_complete_directories)')}`;
    default:
      return '-f';
  }
}

/** All that take a value, with where. */
const valueFlags = (table: readonly CompletedCommand[]): string =>
  table
    .flatMap((command) =>
      command.options
        .filter(({ value }) => value !== null)
        .flatMap(({ flags }) => flags.map((flag) => quoted(`${pathText(command)} ${flag}`))),
    )
    .join(' ');
