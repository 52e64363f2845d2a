# shellcheck shell=bash
# shellcheck disable=SC2034,SC2054  # used by those who source this; those commas are CMake's
# SPDX-License-Identifier: Apache-2.0
# Sourced: how the builds beside build/ are configured.

# clang++ takes a third of the time that g++ takes with these sanitizers, and lld a quarter of ld's.
clang_options=(-DCMAKE_CXX_COMPILER=clang++-14 -DCMAKE_C_COMPILER=clang-14
  -D{CMAKE_EXE,CMAKE_SHARED,CMAKE_MODULE}_LINKER_FLAGS=-fuse-ld=lld-14)

# Tests and fuzzers share the folder, so that the code is compiled once for both.
asan_options=("${clang_options[@]}"
  -DTIDEGAUGE_SANITIZE=address,undefined -DTIDEGAUGE_FUZZ=ON -DTIDEGAUGE_TESTS=ON -DTIDEGAUGE_GROUPED=ON)

tsan_options=("${clang_options[@]}"
  -DTIDEGAUGE_SANITIZE=thread -DTIDEGAUGE_TESTS=ON -DTIDEGAUGE_GROUPED=ON)

# The program that is measured is the one that `make build` makes.
bench_options=(-DTIDEGAUGE_BENCH=ON -DTIDEGAUGE_TESTS=OFF -DTIDEGAUGE_GROUPED=ON)

# ThreadSanitizer can only find something where a test has threads. The command line starts its own in processes beside
# it, which its unit tests do not have, and it would need everything else compiled for it.
tsan_tests() {
  grep -lE '\b(std::(thread|jthread|async)\b|pthread_create)' src/*/*.cc src/*/*.h |
    sed -E 's|src/([a-z]+)/.*|\1_test|' | sort -u | grep -v '^cli_test$'
}
