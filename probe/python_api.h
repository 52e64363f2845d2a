// SPDX-License-Identifier: Apache-2.0
// The few functions of CPython that the probe calls, found at run time: no Python headers, one
// library for every version, and none of it where there is no Python.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct python_object python_object;  // PyObject, never looked into

struct python_method {  // PyMethodDef, the same since 2.0
  const char* name;
  python_object* (*call)(python_object* self, python_object* const* arguments, ssize_t count);
  int flags;
  const char* doc;
};

enum {
  PYTHON_METH_VARARGS = 0x0001,
  PYTHON_METH_KEYWORDS = 0x0002,
  PYTHON_METH_FASTCALL = 0x0080,
  PYTHON_FILE_INPUT = 257
};

struct python_inittab {  // struct _inittab, public and meant to be changed before the start
  const char* name;
  python_object* (*init)(void);
};

struct python_api {
  int (*is_initialized)(void);
  struct python_inittab** inittab;
  int (*add_pending_call)(int (*call)(void*), void* argument);
  python_object* (*compile)(const char* text, const char* file, int start);
  python_object* (*eval_code)(python_object* code, python_object* globals, python_object* locals);
  python_object* (*builtins)(void);
  python_object* (*error_occurred)(void);
  void (*clear_error)(void);
  python_object* (*new_dict)(void);
  int (*set_item)(python_object* dict, const char* key, python_object* value);
  python_object* (*new_function)(struct python_method* method, python_object* self,
                                 python_object* module);
  python_object* (*new_long)(long long value);
  python_object* (*new_text)(const char* text);
  long long (*as_long)(python_object* object);
  const char* (*as_text)(python_object* object);
  ssize_t (*tuple_size)(python_object* tuple);
  python_object* (*tuple_item)(python_object* tuple, ssize_t index);  // borrowed
  python_object* (*tuple_slice)(python_object* tuple, ssize_t begin, ssize_t end);
  python_object* (*call)(python_object* callable, python_object* tuple, python_object* keywords);
  int (*is_true)(python_object* object);
  int (*error_matches)(python_object* type);
  void (*fetch_error)(python_object** type, python_object** value, python_object** traceback);
  void (*restore_error)(python_object* type, python_object* value, python_object* traceback);
  python_object** exception;
  ssize_t (*sequence_size)(python_object* object);
  python_object* (*sequence_item)(python_object* object, ssize_t index);
  python_object* (*new_capsule)(void* pointer, const char* name, void (*destroy)(python_object*));
  void* (*capsule_pointer)(python_object* capsule, const char* name);
  void (*increase)(python_object* object);
  void (*decrease)(python_object* object);
  python_object* none;
  python_object* (*new_method)(python_object* function);  // may be null
};

// The functions of the interpreter in this process, or null if there is none that has them all.
const struct python_api* python_api_find(void);
