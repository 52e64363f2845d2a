// SPDX-License-Identifier: Apache-2.0
// A function of the job's with something of ours before or after it. In C, so that an exception of
// the job's shows no line of ours in its traceback.
#include "around.h"

enum { ORIGINAL, BEFORE, AFTER, ALWAYS, OWN_ARGUMENTS };

static const struct python_api* python;

// False if what was raised is no mere Exception: Ctrl-C, or the end of the program, is the job's.
static int tell(python_object* told, python_object* arguments, python_object* keywords) {
  if (told == python->none) return 1;
  python_object* const answer = python->call(told, arguments, keywords);
  if (answer != NULL) {
    python->decrease(answer);
    return 1;
  }
  if (!python->error_matches(*python->exception)) return 0;
  python->clear_error();
  return 1;
}

// The job's exception stays what it is, whatever `after` does.
static void tell_after_error(python_object* after, python_object* arguments,
                             python_object* keywords) {
  python_object* type = NULL;
  python_object* value = NULL;
  python_object* traceback = NULL;
  python->fetch_error(&type, &value, &traceback);
  if (!tell(after, arguments, keywords)) python->clear_error();
  python->restore_error(type, value, traceback);
}

static python_object* with_ours(python_object* own, python_object* arguments,
                                python_object* keywords) {
  if (!tell(python->tuple_item(own, BEFORE), arguments, keywords)) return NULL;
  python_object* const result =
      python->call(python->tuple_item(own, ORIGINAL), arguments, keywords);
  python_object* const after = python->tuple_item(own, AFTER);
  if (result == NULL) {
    if (python->is_true(python->tuple_item(own, ALWAYS)) == 1) {
      tell_after_error(after, arguments, keywords);
    }
    return NULL;
  }
  if (tell(after, arguments, keywords)) return result;
  python->decrease(result);
  return NULL;
}

static python_object* around(python_object* self, python_object* all, python_object* keywords) {
  (void)self;
  const ssize_t count = python->tuple_size(all);
  if (count < OWN_ARGUMENTS) {
    python->increase(python->none);
    return python->none;
  }
  python_object* const arguments = python->tuple_slice(all, OWN_ARGUMENTS, count);
  if (arguments == NULL) return NULL;
  python_object* const result = with_ours(all, arguments, keywords);
  python->decrease(arguments);
  return result;
}

struct python_method around_method(const struct python_api* api) {
  python = api;
  union {
    python_object* (*with_keywords)(python_object*, python_object*, python_object*);
    python_object* (*fast)(python_object*, python_object* const*, ssize_t);
  } function = {.with_keywords = around};
  const struct python_method method = {"around", function.fast,
                                       PYTHON_METH_VARARGS | PYTHON_METH_KEYWORDS, NULL};
  return method;
}
