// SPDX-License-Identifier: Apache-2.0
#include "serve/load.h"

#include <dlfcn.h>

#include "base/text.h"

namespace tidegauge::serve {

Result<std::unique_ptr<HttpServer>> load_server(const std::string& path) {
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const make = library != nullptr ? ::dlsym(library, kMakeServer) : nullptr;
  if (make == nullptr) {
    const char* const why = ::dlerror();
    return Error{Reason::Unsupported, printable(why != nullptr ? why : path)};
  }
  return std::unique_ptr<HttpServer>(reinterpret_cast<MakeServer>(make)());
}

}  // namespace tidegauge::serve
