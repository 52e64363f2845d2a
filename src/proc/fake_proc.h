// SPDX-License-Identifier: Apache-2.0
// Tests only.
#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "proc/root.h"

namespace tidegauge::proc {

// A /proc (or /sys) of our own making, in a folder that goes away with it.
class FakeProc {
 public:
  FakeProc() {
    std::string name = (std::filesystem::temp_directory_path() / "fakeproc.XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  FakeProc(const FakeProc&) = delete;
  FakeProc& operator=(const FakeProc&) = delete;
  ~FakeProc() { std::filesystem::remove_all(path_); }

  FakeProc& file(const std::string& name, const std::string& text) {
    const auto path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return *this;
  }
  FakeProc& file(pid_t pid, const std::string& name, const std::string& text) {
    return file(std::to_string(pid) + "/" + name, text);
  }
  FakeProc& exit(pid_t pid) {
    std::filesystem::remove_all(path_ / std::to_string(pid));
    return *this;
  }
  std::string path() const { return path_.string(); }
  Result<Root> root() const { return Root::open(path()); }

 private:
  std::filesystem::path path_;
};

}  // namespace tidegauge::proc
