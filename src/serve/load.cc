// SPDX-License-Identifier: Apache-2.0
#include "serve/load.h"

#include <dlfcn.h>

#include "base/text.h"

namespace tidegauge::serve {

namespace {

Result<void*> load(const std::string& path, const char* name) {
  if (path.empty()) {
    return Error{Reason::Unsupported,
                 "this tidegauge was built without it (cpp-httplib was missing)"};
  }
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const found = library != nullptr ? ::dlsym(library, name) : nullptr;
  if (found != nullptr) return found;
  const char* const why = ::dlerror();
  return Error{Reason::Unsupported, printable(why != nullptr ? why : path)};
}

}  // namespace

Result<std::unique_ptr<HttpServer>> load_server(const std::string& path) {
  const auto make = load(path, kMakeServer);
  if (!make) return make.error();
  return std::unique_ptr<HttpServer>(reinterpret_cast<MakeServer>(*make)());
}

Result<> post_json(const std::string& path, const std::string& url, const std::string& body,
                   int seconds) {
  constexpr int kFirstGood = 200;
  constexpr int kFirstBad = 300;
  const auto post = load(path, kPost);
  if (!post) return post.error();
  const int status = reinterpret_cast<Post>(*post)(url.c_str(), body.c_str(), seconds);
  if (status >= kFirstGood && status < kFirstBad) return Ok{};
  if (status == 0) return Error{Reason::Failed, "there was no answer"};
  return Error{Reason::Failed, "it answered " + std::to_string(status)};
}

}  // namespace tidegauge::serve
