// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python_api.h"

// around(original, before, after, always, *args, **kwargs): calls before(*args, **kwargs),
// original(*args, **kwargs), whose result it returns, and after(*args, **kwargs); `always` also
// when original raised. before and after may be None; an Exception of theirs is dropped.
struct python_method around_method(const struct python_api* api);
