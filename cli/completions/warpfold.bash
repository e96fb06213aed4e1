# Completion of warpfold for bash. What there is to complete, warpfold itself says.
_warpfold() {
  local words=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
  mapfile -t COMPREPLY < <(compgen -W "$(warpfold --complete "${words[@]}" 2>/dev/null | cut -f 1)" \
    -- "${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _warpfold warpfold
