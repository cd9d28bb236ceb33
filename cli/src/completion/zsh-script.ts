/** The script for zsh. It shows what commands and options do. */
import type { CompletedCommand } from './completion-table.ts';
import {
  argumentRows,
  below,
  branches,
  optionRows,
  pathText,
  quoted,
  steps,
} from './shell-words.ts';

/** `command` is how the program is called back. */
export function zshScript(table: readonly CompletedCommand[], command: string): string {
  return `#compdef ${command}
# Completion of ${command} for zsh. Save it as _${command} in a directory of $fpath, or load it with: source <(${command} completion zsh)

_${command}_command() {
  case "$1" in
${branches(steps(table).map(([from, to]) => [quoted(from), `REPLY=${quoted(to)}`]))}    (*) return 1 ;;
  esac
}

_${command}_words() {
  case "$1" in
${branches(table.map((each) => [quoted(pathText(each)), `reply=(${described(commandsBelow(table, each))})`]))}  esac
}

_${command}_options() {
  case "$1" in
${branches(table.map((each) => [quoted(pathText(each)), `reply=(${described(optionNames(each))})`]))}  esac
}

_${command}_value() {
  case "$1" in
${branches(optionRows(table))}    (*) return 1 ;;
  esac
}

_${command}_argument() {
  REPLY=anything
  case "$1" in
${branches(argumentRows(table))}  esac
}

${typing(command)}`;
}

/** What is done when somebody asks what can follow. */
const typing = (command: string): string => `_${command}() {
  local at='' takes='' count=0 word i REPLY
  local -a reply
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    if [[ -n $takes ]]; then
      takes=''
    elif [[ $word == -*=* ]]; then
      continue
    elif [[ $word == -* ]]; then
      _${command}_value "$at $word" && takes="$word"
    elif _${command}_command "\${at:+$at }$word"; then
      at="$REPLY"
    else
      count=$((count + 1))
    fi
  done
  word="\${words[CURRENT]}"
  if [[ -z $takes && $word == --*=* ]]; then
    takes="\${word%%=*}"
    compset -P '*='
  fi
  if [[ -n $takes ]]; then
    _${command}_value "$at $takes" || return 1
  elif [[ $word == -* ]]; then
    _${command}_options "$at"
    _describe -o option reply
    return
  else
    (( count == 0 )) && _${command}_words "$at"
    _${command}_argument "$at $count"
    if (( \${#reply} )); then
      _describe command reply
      [[ $REPLY == live* ]] || return 0
    fi
  fi
  case "$REPLY" in
    (words*) compadd -- \${=REPLY#words} ;;
    (live*) compadd -- \${(f)"$(${command} __complete "\${REPLY#live }" -- "\${(@)words[2,-1]}" 2>/dev/null)"} ;;
    (files) _files ;;
    (directories) _files -/ ;;
    (*) return 1 ;;
  esac
}

if [[ \${funcstack[1]} == _${command} ]]; then _${command} "$@"; else compdef _${command} ${command}; fi
`;

type Named = readonly (readonly [name: string, description: string])[];

/** `name:description`, as \`_describe\` reads it. */
const described = (names: Named): string =>
  names.map(([name, text]) => quoted(`${name.replaceAll(':', '\\:')}:${text}`)).join(' ');

const commandsBelow = (table: readonly CompletedCommand[], command: CompletedCommand): Named =>
  below(table, command).map(({ path, description }) => [path.at(-1) ?? '', description]);

const optionNames = ({ options }: CompletedCommand): Named =>
  options.flatMap(({ flags, description }) => flags.map((flag) => [flag, description] as const));
