// SPDX-License-Identifier: Apache-2.0
// Python's side of the page through which a checkpoint is asked for (record/ask.h).
#pragma once

#include "python_api.h"

//   ask_listen(start_ticks)   1 if this process has a place on the page now, 0 if there is none
//   asked()                   the latest request, number << 32 | what is wanted; 0 without a page
//   ask_answer(state, number, step, bytes, error, text)
// The page is opened by the first ask_listen, so that processes that never save do without it.
// ASK_METHODS of them are written to `methods`.
enum { ASK_METHODS = 3 };
void ask_methods(const struct python_api* api, struct python_method* methods);
