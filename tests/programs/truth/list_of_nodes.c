// SPDX-License-Identifier: Apache-2.0
// A list of small nodes that is only ever added to.
#include "pace.h"

struct node {
  struct node* next;
  char payload[56];
};

int main(int argc, char** argv) {
  struct pace pace = pace_begin(argc, argv);
  struct node* head = NULL;
  const size_t per_tick = pace_share(&pace, 60) / 80;  // a node costs 80 bytes with its header
  while (pace_tick(&pace))
    for (size_t i = 0; i < per_tick; ++i) {
      struct node* node = touched(sizeof *node);
      node->next = head;
      head = node;
    }
  return head == NULL;
}
