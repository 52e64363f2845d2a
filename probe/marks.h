// SPDX-License-Identifier: Apache-2.0
// The functions that Python code sends marks with: built-ins made in C, so that a mark costs a few
// hundred nanoseconds and no Python frame.
#pragma once

#include "python_api.h"

// A new dict of built-in functions, or null. Exported: `import tidegauge` without the preload takes
// them through ctypes, once.
//   mark(kind, source, a, b=0, c=0) one slot of the ring
//   text(kind, source, text)        with a text instead of numbers
//   distinct_new(size)              a set of the example numbers 0..size-1
//   distinct_add(set, indices)      how many are in it after these were added; -1 if nothing was
//   new
//   around(…)                       see around.h
//   step_begin(…) and the like      see steps.h
//   asked() and the like           see asking.h
//   method(function)                one that binds like a function of Python's, without Python code
// All but around and method return None or a number and never raise; without a ring they do
// nothing.
__attribute__((visibility("default"))) python_object* tidegauge_python_functions(void);
