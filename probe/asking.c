// SPDX-License-Identifier: Apache-2.0
#include "asking.h"

#include <stdlib.h>

#include "record/ask.h"
#include "record/ring.h"

enum { ANSWER_ARGUMENTS = 6 };

static const struct python_api* python;
static struct tidegauge_ask_header* page;
static struct tidegauge_listener* mine;

static int64_t number(python_object* object) {
  const long long value = python->as_long(object);
  if (value == -1) python->clear_error();  // no number, or too large for one: -1 will do
  return value;
}

static python_object* ask_listen(python_object* self, python_object* const* arguments,
                                 ssize_t count) {
  (void)self;
  const int64_t start_ticks = count >= 1 ? number(arguments[0]) : 0;
  if (page == NULL) page = tidegauge_ask_open(getenv(tidegauge_ask_variable()));
  if (page != NULL && (mine == NULL || mine->pid != (uint32_t)getpid())) {
    mine = tidegauge_ask_listen(page, (uint64_t)start_ticks, tidegauge_ring_now_ns());
  }
  return python->new_long(mine != NULL);
}

static python_object* asked(python_object* self, python_object* const* arguments, ssize_t count) {
  (void)self;
  (void)arguments;
  (void)count;
  return python->new_long(page == NULL ? 0 : (long long)tidegauge_ask_request(page));
}

static python_object* ask_answer(python_object* self, python_object* const* arguments,
                                 ssize_t count) {
  (void)self;
  // A child that was forked has no place of its own until it listens.
  if (mine != NULL && mine->pid == (uint32_t)getpid() && count >= ANSWER_ARGUMENTS) {
    const struct tidegauge_answer answer = {
        .state = (enum tidegauge_answer_state)number(arguments[0]),
        .answered = (uint64_t)number(arguments[1]),
        .step = number(arguments[2]),
        .bytes = (uint64_t)number(arguments[3]),
        .error = (int)number(arguments[4]),
        .text = python->as_text(arguments[5]),
        .t_ns = tidegauge_ring_now_ns(),
    };
    if (answer.text == NULL) python->clear_error();
    tidegauge_ask_answer(mine, &answer);
  }
  python->increase(python->none);
  return python->none;
}

void ask_methods(const struct python_api* api, struct python_method* methods) {
  python = api;
  methods[0] = (struct python_method){"ask_listen", ask_listen, PYTHON_METH_FASTCALL, NULL};
  methods[1] = (struct python_method){"asked", asked, PYTHON_METH_FASTCALL, NULL};
  methods[2] = (struct python_method){"ask_answer", ask_answer, PYTHON_METH_FASTCALL, NULL};
}
