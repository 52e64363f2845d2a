// SPDX-License-Identifier: Apache-2.0
// The way in: an entry of Python's own table of built-in modules is wrapped before the interpreter
// starts, and the wrapper asks for one call as soon as the interpreter runs. Nothing of it is left
// afterwards but one finder in sys.meta_path that waits for the frameworks. Other programs, an
// interpreter that runs already, one without the functions we need: nothing happens.
#include <stdlib.h>
#include <string.h>

#include "boot.h"
#include "marks.h"
#include "python_api.h"

extern const char tidegauge_hooks_source[];  // python/tidegauge/_hooks.py, ending in a 0

static const struct python_api* python;
static python_object* (*original_init)(void);
static int booted;

// Runs in the main thread with the interpreter's lock, when about a dozen modules are loaded: no
// encodings, no files, no text I/O yet. An error of ours is nobody's business but ours.
static int boot(void* unused) {
  (void)unused;
  python_object* const globals = tidegauge_python_functions();
  if (globals != NULL) {
    python->set_item(globals, "__builtins__", python->builtins());
    python_object* const name = python->new_text("_tidegauge_hooks");
    if (name != NULL) {
      python->set_item(globals, "__name__", name);
      python->decrease(name);
    }
    python_object* const code =
        python->compile(tidegauge_hooks_source, "<tidegauge>", PYTHON_FILE_INPUT);
    if (code != NULL) {
      python_object* const done = python->eval_code(code, globals, globals);
      if (done != NULL) python->decrease(done);
      python->decrease(code);
    }
    python->decrease(globals);
  }
  python->clear_error();
  return 0;
}

int tidegauge_python_boot(void) {
  if (python == NULL) python = python_api_find();
  if (python == NULL || !__sync_bool_compare_and_swap(&booted, 0, 1)) return 0;
  boot(NULL);
  return 1;
}

static python_object* wrapped_init(void) {
  python_object* const module = original_init();
  // A sub-interpreter imports it again: only the first one is the job's.
  if (__sync_bool_compare_and_swap(&booted, 0, 1)) python->add_pending_call(boot, NULL);
  return module;
}

__attribute__((constructor)) static void enter(void) {
  if (getenv("TIDEGAUGE_RING") == NULL || getenv("TIDEGAUGE_NO_HOOKS") != NULL) return;
  python = python_api_find();
  if (python == NULL || python->is_initialized()) return;
  for (struct python_inittab* entry = *python->inittab; entry != NULL && entry->name != NULL;
       ++entry) {
    if (strcmp(entry->name, "time") != 0 || entry->init == NULL) continue;
    original_init = entry->init;
    entry->init = wrapped_init;
    return;
  }
}
