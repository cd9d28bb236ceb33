/** The script for bash, of version 3.2 (macOS) and later. */
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
export function bashScript(table: readonly CompletedCommand[], command: string): string {
  return `# Completion of ${command} for bash. Load it with: source <(${command} completion bash)

_${command}_command() {
  case "$1" in
${branches(steps(table).map(([from, to]) => [quoted(from), `REPLY=${quoted(to)}`]))}    *) return 1 ;;
  esac
}

_${command}_words() {
  case "$1" in
${branches(table.map((each) => [quoted(pathText(each)), `REPLY=${quoted(namesBelow(table, each))}`]))}  esac
}

_${command}_options() {
  case "$1" in
${branches(table.map((each) => [quoted(pathText(each)), `REPLY=${quoted(each.options.flatMap(({ flags }) => flags).join(' '))}`]))}  esac
}

_${command}_value() {
  REPLY=
  case "$1" in
${branches(optionRows(table))}    *) return 1 ;;
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
  local cur="\${COMP_WORDS[COMP_CWORD]}" at='' takes='' count=0 names='' word i REPLY='' candidates
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ -n $takes ]]; then
      [[ $word == '=' ]] || takes=''
    elif [[ $word == -* ]]; then
      _${command}_value "$at $word" && takes="$word"
    elif _${command}_command "\${at:+$at }$word"; then
      at="$REPLY"
    else
      count=$((count + 1))
    fi
  done
  [[ $cur == '=' ]] && cur=''
  if [[ -n $takes ]]; then
    _${command}_value "$at $takes"
  elif [[ $cur == -* ]]; then
    _${command}_options "$at"
    REPLY="words $REPLY"
  else
    REPLY=''
    [[ $count == 0 ]] && _${command}_words "$at"
    names="$REPLY"
    _${command}_argument "$at $count"
    [[ -n $names && $REPLY != live* ]] && REPLY=words
  fi
  local IFS=$' \\t\\n'
  case "$REPLY" in
    words*) candidates="$names \${REPLY#words}" ;;
    live*) candidates="$names $(${command} __complete "\${REPLY#live }" -- "\${COMP_WORDS[@]:1}" 2>/dev/null)" ;;
    files)
      compopt -o filenames 2>/dev/null
      IFS=$'\\n'
      COMPREPLY=($(compgen -f -- "$cur"))
      return
      ;;
    directories)
      compopt -o filenames 2>/dev/null
      IFS=$'\\n'
      COMPREPLY=($(compgen -d -- "$cur"))
      return
      ;;
    *) return ;;
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "$cur"))
  [[ \${#COMPREPLY[@]} == 1 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}

complete -F _${command} ${command}
`;

const namesBelow = (table: readonly CompletedCommand[], command: CompletedCommand): string =>
  below(table, command)
    .map(({ path }) => path.at(-1))
    .join(' ');
