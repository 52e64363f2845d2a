// SPDX-License-Identifier: Apache-2.0
// An early peak of small blocks is freed but kept by the allocator, since a block on top holds the
// heap's end. The leak fills that first: resident memory is flat although the program leaks.
#include "pace.h"

enum { kBlock = 1000, kBlocks = 60000 };

int main(int argc, char** argv) {
  struct pace pace = pace_begin(argc, argv);
  static void* blocks[kBlocks];
  for (int i = 0; i < kBlocks; ++i) blocks[i] = touched(kBlock);
  touched(kBlock);
  for (int i = 0; i < kBlocks; ++i) free(blocks[i]);
  const size_t per_tick = pace_share(&pace, 180) / 1024;
  while (pace_tick(&pace))
    for (size_t i = 0; i < per_tick; ++i) touched(kBlock);
  return 0;
}
