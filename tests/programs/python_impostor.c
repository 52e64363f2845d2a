// SPDX-License-Identifier: Apache-2.0
// Looks like a CPython of a version that nobody knows, and leaves a line in a file (WITNESS, as it
// is compiled) each time it is started. Answers "ready"; "grow" on stdin makes it hold more and
// more for some seconds, and end.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((used, visibility("default"))) struct {
  char cookie[8];
  uint64_t version, free_threaded, offsets[120];
} _PyRuntime = {
    {'x', 'd', 'e', 'b', 'u', 'g', 'p', 'y'}, 0x036300f0, 0, {1 << 20, 0, 32, 1024, 8, 16, 24}};

int main(void) {
  char line[64];
  const int witness = open(WITNESS, O_WRONLY | O_APPEND | O_CREAT, 0666);
  if (witness >= 0) {
    const int size =
        snprintf(line, sizeof line, "started as %d by %d\n", (int)getpid(), (int)getuid());
    if (write(witness, line, (size_t)size) != size) return 1;
    close(witness);
  }
  puts("ready");
  fflush(stdout);
  if (fgets(line, sizeof line, stdin) == NULL || strncmp(line, "grow", 4) != 0) return 0;
  for (int tick = 0; tick < 50; ++tick) {  // what `watch` takes a census of
    const size_t bytes = 4 << 20;
    memset(malloc(bytes), tick, bytes);
    usleep(100000);
  }
  return 0;
}
