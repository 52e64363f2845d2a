// SPDX-License-Identifier: Apache-2.0
#include "python_api.h"

#include <dlfcn.h>

static struct python_api api;

struct wanted {
  const char* symbol;
  size_t at;  // in struct python_api
};

#define TIDEGAUGE_WANT(symbol, member) \
  { symbol, offsetof(struct python_api, member) }

static const struct wanted wanted[] = {
    TIDEGAUGE_WANT("Py_IsInitialized", is_initialized),
    TIDEGAUGE_WANT("PyImport_Inittab", inittab),
    TIDEGAUGE_WANT("Py_AddPendingCall", add_pending_call),
    TIDEGAUGE_WANT("Py_CompileString", compile),
    TIDEGAUGE_WANT("PyEval_EvalCode", eval_code),
    TIDEGAUGE_WANT("PyEval_GetBuiltins", builtins),
    TIDEGAUGE_WANT("PyErr_Occurred", error_occurred),
    TIDEGAUGE_WANT("PyErr_Clear", clear_error),
    TIDEGAUGE_WANT("PyDict_New", new_dict),
    TIDEGAUGE_WANT("PyDict_SetItemString", set_item),
    TIDEGAUGE_WANT("PyCFunction_NewEx", new_function),
    TIDEGAUGE_WANT("PyLong_FromLongLong", new_long),
    TIDEGAUGE_WANT("PyUnicode_FromString", new_text),
    TIDEGAUGE_WANT("PyLong_AsLongLong", as_long),
    TIDEGAUGE_WANT("PyUnicode_AsUTF8", as_text),
    TIDEGAUGE_WANT("PyTuple_Size", tuple_size),
    TIDEGAUGE_WANT("PyTuple_GetItem", tuple_item),
    TIDEGAUGE_WANT("PyTuple_GetSlice", tuple_slice),
    TIDEGAUGE_WANT("PyObject_Call", call),
    TIDEGAUGE_WANT("PyObject_IsTrue", is_true),
    TIDEGAUGE_WANT("PyErr_ExceptionMatches", error_matches),
    TIDEGAUGE_WANT("PyErr_Fetch", fetch_error),
    TIDEGAUGE_WANT("PyErr_Restore", restore_error),
    TIDEGAUGE_WANT("PyExc_Exception", exception),
    TIDEGAUGE_WANT("PySequence_Size", sequence_size),
    TIDEGAUGE_WANT("PySequence_GetItem", sequence_item),
    TIDEGAUGE_WANT("PyCapsule_New", new_capsule),
    TIDEGAUGE_WANT("PyCapsule_GetPointer", capsule_pointer),
    TIDEGAUGE_WANT("Py_IncRef", increase),
    TIDEGAUGE_WANT("Py_DecRef", decrease),
    TIDEGAUGE_WANT("_Py_NoneStruct", none),
};

const struct python_api* python_api_find(void) {
  // The first name alone tells most programs from Python: one failed lookup is all that /bin/true
  // pays.
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) {
    void* const found = dlsym(RTLD_DEFAULT, wanted[i].symbol);
    if (found == NULL) return NULL;
    *(void**)((char*)&api + wanted[i].at) = found;
  }
  *(void**)&api.new_method = dlsym(RTLD_DEFAULT, "PyInstanceMethod_New");
  return &api;
}
