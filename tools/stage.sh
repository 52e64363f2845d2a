# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by tools/test: runs one stage after the other, shows that it lives, counts what passed, and
# stops at the first failure with the part of the log that says why. What later stages need can begin ahead of them.
# shellcheck source=tools/say.sh
source tools/say.sh

passed=0
stage_number=0
log_folder=out/test
mkdir -p "$log_folder"

# Counts from the words of the runners that we use; a stage without such words counts as one.
#   ctest:  "98% tests passed, 2 tests failed out of 123"
#   pytest: "2 failed, 41 passed, 1 skipped in 12.34s"
#   gtest:  "[  PASSED  ] 12 tests."
count_passed() {
  local log=$1 failed total skipped by_pytest by_gtest
  failed=$(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests? failed out of [0-9]+.*/\1/p' "$log" | tail -1)
  total=$(sed -nE 's/^[0-9]+% tests passed, [0-9]+ tests? failed out of ([0-9]+).*/\1/p' "$log" | tail -1)
  by_pytest=$(sed -nE 's/^.*\b([0-9]+) passed\b.* in [0-9.]+s.*$/\1/p' "$log" | tail -1)
  by_gtest=$(sed -nE 's/^\[  PASSED  \] ([0-9]+) tests?.*/\1/p' "$log" | paste -sd +)
  if [ -n "$total" ]; then
    skipped=$(grep -c '(Skipped)$' "$log" || true)  # ctest calls them passed
    echo $((total - failed - skipped))
  else
    echo $((${by_pytest:-${by_gtest:-1}}))
  fi
}

count_failed() {
  local log=$1 by_ctest by_pytest
  by_ctest=$(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests? failed out of [0-9]+.*/\1/p' "$log" | tail -1)
  by_pytest=$(sed -nE 's/^.*\b([0-9]+) (failed|errors?)\b.* in [0-9.]+s.*$/\1/p' "$log" | tail -1)
  local failed=${by_ctest:-${by_pytest:-1}}
  # A runner that broke down before it could count has failed too.
  [ "$failed" -gt 0 ] && echo "$failed" || echo 1
}

# What would tell a reader why it failed: the words of compilers and runners, otherwise the end.
show_failure() {
  local log=$1
  grep -nE '(^|[ :])(error|fatal error|FAILED|Failure|ERROR: |SUMMARY: |warning: .*\[-W)' "$log" | head -30 >&2 || true
  printf '%s\n' "${dim}--- the last lines of $log${plain}" >&2
  tail -60 "$log" >&2
}

# One line every now and then, so that nobody has to guess whether it still runs.
show_progress_of() {
  local pid=$1 log=$2 started=$3 last_line
  local every=20
  [ -t 2 ] && every=1
  while kill -0 "$pid" 2>/dev/null; do
    for ((tick = 0; tick < every * 5; tick++)); do
      kill -0 "$pid" 2>/dev/null || break 2
      sleep 0.2
    done
    last_line=$(tail -n 1 "$log" | tr -d '\r' | cut -c 1-88)
    if [ -t 2 ]; then
      printf '\r\e[K%s' "${dim}   $((SECONDS - started)) s  $last_line${plain}" >&2
    else
      printf '   %s\n' "$((SECONDS - started)) s  $last_line" >&2
    fi
  done
  if [ -t 2 ]; then printf '\r\e[K' >&2; fi
}

# ahead NAME COMMAND…: begins what a later stage needs, on what the cores have left over: most tests wait more than they
# work. A failure is no news yet: the stage does the same again and shows why. after_ahead NAME: waits until it has ended.
ahead_groups=()
ahead() {
  local name=$1 lock
  shift
  exec {lock}>"$log_folder/ahead-$name.lock"
  flock "$lock"  # before anybody asks; it goes when the last of those who work there ends
  set -m
  {
    chrt --idle --pid 0 "$BASHPID" || renice -n 19 "$BASHPID"
    "$@"
  } </dev/null >"$log_folder/ahead-$name.log" 2>&1 &
  ahead_groups+=($!)
  set +m
  exec {lock}>&-
}
after_ahead() {
  local begun=$log_folder/ahead-$1
  until flock --wait 5 "$begun.lock" true; do tail -n 1 "$begun.log"; done  # for who looks at the progress
}
end_ahead() {
  local group
  for group in ${ahead_groups[@]+"${ahead_groups[@]}"}; do kill -- "-$group" 2>/dev/null || true; done
}
trap end_ahead EXIT

# stage NAME TITLE COMMAND…: NAME names the log.
stage() {
  local name=$1 title=$2 started=$SECONDS status=0
  shift 2
  stage_number=$((stage_number + 1))
  local log=$log_folder/$name.log
  printf '%s\n' "${bold}== $stage_number. $title${plain}" >&2
  set -m  # a process group of its own, so that an interrupt takes all of the stage with it
  "$@" </dev/null >"$log" 2>&1 &
  local pid=$!
  set +m
  # shellcheck disable=SC2064  # this pid, now
  trap "kill -- -$pid 2>/dev/null; exit 130" INT TERM
  show_progress_of "$pid" "$log" "$started"
  wait "$pid" || status=$?
  trap - INT TERM
  if [ "$status" != 0 ]; then
    show_failure "$log"
    printf '%s\n' "${red}== failed: $title, after $((SECONDS - started)) s; the whole log is in $log${plain}" >&2
    local failed
    failed=$(count_failed "$log")
    [ "$(count_passed "$log")" = 1 ] || passed=$((passed + $(count_passed "$log")))
    echo "$passed passed, $failed failed"
    exit 1
  fi
  local good
  good=$(count_passed "$log")
  passed=$((passed + good))
  grep -hE '^SKIPPED |\(Skipped\)|^skipped: ' "$log" | sed 's/^/   /' >&2 || true
  printf '%s\n' "${green}   ok${plain}  $good passed, $((SECONDS - started)) s" >&2
}
