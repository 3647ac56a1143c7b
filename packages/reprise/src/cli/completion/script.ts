/** The shell scripts that complete `reprise` by calling `reprise __complete` with the words so far. */

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

export function completionScript(shell: Shell): string {
  return scripts[shell];
}

const scripts: Readonly<Record<Shell, string>> = {
  // Bash splits words at : and =, which keys contain. The script joins them again before it asks, and removes from
  // each candidate the part that bash has already inserted. Written for bash 3.2, which macOS has.
  bash: `# bash completion of reprise
_reprise() {
  local rest="\${COMP_LINE:0:COMP_POINT}" words=() word candidate lines i
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ \${#words[@]} -eq 0 || $rest == [[:space:]]* ]]; then
      rest="\${rest#"\${rest%%[![:space:]]*}"}"
      words+=("")
    fi
    [[ \${#word} -gt \${#rest} ]] && word=$rest
    rest="\${rest#"$word"}"
    words[\${#words[@]} - 1]+=$word
  done
  local current="\${words[\${#words[@]} - 1]}"
  local before="\${current%"\${current##*[:=]}"}"
  COMPREPLY=()
  lines="$(reprise __complete "\${words[@]:1}" 2>/dev/null)"
  while IFS=$'\\t' read -r candidate _; do
    case $candidate in
      '') ;;
      :files)
        compopt -o filenames 2>/dev/null
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "\${current#"$before"}")
        ;;
      :folders)
        compopt -o filenames 2>/dev/null
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "\${current#"$before"}")
        ;;
      *) COMPREPLY+=("\${candidate#"$before"}") ;;
    esac
  done <<<"$lines"
}
complete -F _reprise reprise
`,

  zsh: `#compdef reprise
# zsh completion of reprise
_reprise() {
  local -a lines described
  local line value
  lines=("\${(@f)$(reprise __complete "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
  for line in $lines; do
    value=\${line%%$'\\t'*}
    value=\${value//:/\\\\:}
    case $line in
      :files) _files ;;
      :folders) _files -/ ;;
      *$'\\t'*) described+=("$value:\${line#*$'\\t'}") ;;
      *) described+=("$value") ;;
    esac
  done
  if (( $#described )); then _describe -V reprise described; fi
}
if [[ $funcstack[1] == _reprise ]]; then
  _reprise "$@"
else
  compdef _reprise reprise
fi
`,

  fish: `# fish completion of reprise
function __reprise_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in (reprise __complete $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path "$current"
            case ':folders'
                __fish_complete_directories "$current" ''
            case '*'
                echo $line
        end
    end
end
complete -c reprise -f -a '(__reprise_complete)'
`,
};
