# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2034  # colours are used by those who source this
# Sourced by the scripts beside it: how they talk, and where they keep what can be used again.

if [ -t 2 ] && [ -z "${NO_COLOR:-}" ]; then
  bold=$'\e[1m' dim=$'\e[2m' red=$'\e[31m' green=$'\e[32m' plain=$'\e[0m'
else
  bold='' dim='' red='' green='' plain=''
fi

say() { printf '%s\n' "${bold}tidegauge:${plain} $*" >&2; }

fail() {
  printf '%s\n' "${red}tidegauge:${plain} $*" >&2
  exit 1
}

# Kept between runs and shared by all checkouts: Python environments, clean bills of clang-tidy.
cache_folder() {
  local home=${XDG_CACHE_HOME:-${HOME:-}/.cache}
  if mkdir -p "$home/tidegauge" 2>/dev/null && [ -w "$home/tidegauge" ]; then
    printf '%s\n' "$home/tidegauge"
  else
    mkdir -p .cache && printf '%s\n' "$PWD/.cache"
  fi
}

# Jobs that fit: one per core, but no more than one per 1.5 GB of memory (a test file that uses
# gtest and rapidcheck takes up to 1 GB to compile).
parallel_jobs() {
  local cores memory_kb
  cores=$(nproc)
  memory_kb=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo)
  local fit=$((memory_kb / 1500000))
  [ "$fit" -ge 1 ] || fit=1
  if [ "$cores" -lt "$fit" ]; then echo "$cores"; else echo "$fit"; fi
}

# All files of the project whose names match, NUL-separated: by find and not by git, which refuses a
# checkout that another user owns, and is not there in an unpacked archive.
project_files() {
  local name words=()
  for name in "$@"; do words+=(-o -name "$name"); done
  find . \( -path './build*' -o -path ./out -o -name node_modules -o -name '.[!.]*' ! -name .ci \) -prune -o -type f \
    \( "${words[@]:1}" \) -print0 | sort -z
}
