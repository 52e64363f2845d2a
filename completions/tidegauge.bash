# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Completions of tidegauge for bash. tools/check_docs.py compares the options with --help.

_tidegauge_options() {
  local rules="--limit --leak-prior --longest-warm-up --leak-from --alarm-from --steps-per-epoch"
  local guard="--guard --dry-run --guard-without --lend --reserve --look-time --ask-every --save-time --grace --notify --webhook --desktop --guard-config"
  local sitting="--interval --for --until-decided --record --no-record --no-census --show-keys -q --quiet $rules"
  case $1 in
    run) echo "--help $guard --restart-on-limit --resume-with --chunk --json --live --no-marks --no-hooks --no-preload --no-guess --no-history $sitting" ;;
    watch) echo "--help $guard --attach-marks --name --cgroup --json --no-live --ascii $sitting" ;;
    judge) echo "--help --json --explain --markers --unit $rules" ;;
    report) echo "--help -o --output --markdown --text $rules" ;;
    serve) echo "--help --name --run --port --interval --no-record --no-census --show-keys $rules" ;;
    census) echo "--help --json --stream --tensors --lines -o --output --diff --follow --show-keys --layout-from" ;;
    doctor) echo "--help --json" ;;
    mark) echo "--help --strict" ;;
    ask) echo "--help --stop --timeout --json" ;;
    *) echo "--help --version" ;;
  esac
}

# What may follow the option before the cursor; nothing where it takes no value.
_tidegauge_value_of() {
  local command=$1 option=$2
  case $command,$option in
    watch,--name | serve,--name) mapfile -t COMPREPLY < <(compgen -W "$(ps -eo comm= 2>/dev/null)" -- "$cur") ;;
    watch,--json | judge,--json | census,--json | doctor,--json | ask,--json) return 1 ;;
    *,--cgroup) mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
    *,--record | *,--guard-config | *,--json | *,--markers | *,--diff | *,-o | *,--output) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    *,--unit) mapfile -t COMPREPLY < <(compgen -W "B KB MB GB KiB MiB GiB" -- "$cur") ;;
    *,--interval | *,--for | *,--timeout | *,--longest-warm-up | *,--limit | *,--leak-prior | *,--steps-per-epoch | *,--leak-from | *,--alarm-from | *,--lines | *,--port | *,--follow | *,--guard-without | *,--lend | *,--reserve | *,--look-time | *,--ask-every | *,--save-time | *,--grace | *,--notify | *,--webhook | *,--chunk | *,--resume-with) ;;
    *) return 1 ;;
  esac
}

_tidegauge() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]:-}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "run watch judge report serve census doctor mark ask --help --version" -- "$cur")
    return
  fi
  # Behind the job's command words are the job's.
  if [ "$command" = run ] || [ "$command" = serve ]; then
    local i
    for ((i = 2; i < COMP_CWORD; i++)); do
      if [ "${COMP_WORDS[i]}" = -- ]; then
        if declare -F _command_offset >/dev/null; then
          _command_offset $((i + 1))
        else
          mapfile -t COMPREPLY < <(compgen -c -f -- "$cur")
        fi
        return
      fi
    done
  fi
  _tidegauge_value_of "$command" "$prev" && return
  case $command,$cur in
    *,-*) mapfile -t COMPREPLY < <(compgen -W "$(_tidegauge_options "$command")" -- "$cur") ;;
    run,*) mapfile -t COMPREPLY < <(compgen -c -- "$cur") ;;
    judge,* | report,*) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    watch,* | serve,* | census,* | doctor,* | ask,*) mapfile -t COMPREPLY < <(compgen -W "$(ps -eo pid= 2>/dev/null)" -- "$cur") ;;
    mark,*) mapfile -t COMPREPLY < <(compgen -S = -W "step epoch begin end note" -- "$cur") ;;
  esac
}

complete -o filenames -o nosort -F _tidegauge tidegauge
