/**
 * Completion scripts for shells. Each calls `tutti __complete` for the possible words: one per line, its description behind a
 * tab. The first line names the words that the shell adds: `files`, `directories`, or `words` for none.
 */

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Works with bash 3.2 (macOS) and later. The script compares words itself: `compgen -W` would run code in them. */
const BASH = `# Completion of tutti for bash. Load it with: source <(tutti completion bash)
_tutti() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" more='' word _ IFS=$'\\n'
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    if [[ -z $more ]]; then more="$word"; elif [[ $word == "\${cur#=}"* ]]; then COMPREPLY+=("$word"); fi
  done < <(tutti __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  case "$more" in
    files) COMPREPLY=($(compgen -f -- "\${cur#=}")) ;;
    directories) COMPREPLY=($(compgen -d -- "\${cur#=}")) ;;
    *) [[ \${#COMPREPLY[@]} == 1 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null; return 0 ;;
  esac
  compopt -o filenames 2>/dev/null
  return 0
}
complete -F _tutti tutti
`;

const ZSH = `#compdef tutti
# Completion of tutti for zsh. Save it as _tutti in a directory of $fpath, or load it with: source <(tutti completion zsh)
_tutti() {
  local -a answer
  answer=("\${(@f)$(tutti __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ \${words[CURRENT]} == --*=* ]] && compset -P '*='
  case "\${answer[1]}" in
    (files) _files; return ;;
    (directories) _files -/; return ;;
  esac
  answer=("\${(@)answer[2,-1]}")
  answer=("\${(@)answer//:/\\\\:}")
  answer=("\${(@)answer/$'\\t'/:}")
  _describe word answer
}
if [[ \${funcstack[1]} == _tutti ]]; then _tutti "$@"; else compdef _tutti tutti; fi
`;

const FISH = `# Completion of tutti for fish. Save it as ~/.config/fish/completions/tutti.fish, or load it with: tutti completion fish | source
function __tutti_words
    set -l token (commandline -ct)
    set -l before (string match -r -- '^--[^=]+=' "$token")
    set -l answer (tutti __complete -- (commandline -opc)[2..-1] "$token" 2>/dev/null)
    switch "$answer[1]"
        case files
            printf '%s\\n' "$before"(__fish_complete_path (string replace -r -- '^--[^=]+=' '' "$token"))
        case directories
            printf '%s\\n' "$before"(__fish_complete_directories (string replace -r -- '^--[^=]+=' '' "$token"))
        case '*'
            printf '%s\\n' "$before"$answer[2..-1]
    end
end
complete -c tutti -f -a '(__tutti_words)'
`;

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
