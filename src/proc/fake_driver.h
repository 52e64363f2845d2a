// SPDX-License-Identifier: Apache-2.0
// Tests only.
#pragma once

#include <dlfcn.h>
#include <sys/types.h>

#include <cstddef>
#include <string>

namespace tidegauge::proc {

enum List { kCompute = 0, kGraphics = 1 };

// The other side of tests/programs/fake_nvml.c.
class Driver {
 public:
  explicit Driver(const std::string& library = TIDEGAUGE_FAKE_NVML_NEW)
      : library_(::dlopen(library.c_str(), RTLD_NOW)) {
    call<void()>("fake_nvml_reset")();
  }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  ~Driver() { ::dlclose(library_); }

  void add(List list, int device, pid_t pid, unsigned long long bytes) const {
    call<void(int, int, unsigned, unsigned long long)>("fake_nvml_add")(
        list, device, static_cast<unsigned>(pid), bytes);
  }
  void layout(std::size_t bytes, int clear) const {
    call<void(std::size_t, int)>("fake_nvml_layout")(bytes, clear);
  }
  void fail_init(int result) const { call<void(int)>("fake_nvml_fail_init")(result); }
  void devices(unsigned count, int lost) const {
    call<void(unsigned, int)>("fake_nvml_devices")(count, lost);
  }
  int running() const { return call<int()>("fake_nvml_running")(); }

 private:
  template <class Signature>
  Signature* call(const char* name) const {
    return reinterpret_cast<Signature*>(::dlsym(library_, name));
  }
  void* library_;
};

}  // namespace tidegauge::proc
