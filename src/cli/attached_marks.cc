// SPDX-License-Identifier: Apache-2.0
#include "cli/attached_marks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <thread>

#include "base/text.h"
#include "census/remote_script.h"
#include "cli/job_environment.h"
#include "proc/fd_path.h"

namespace tidegauge::cli {

namespace {

// A loop that computes comes to a safe point within milliseconds, one that waits for its workers
// when the next batch is there.
constexpr double kPatienceSeconds = 10;

// What the process executes. It writes its answer behind this text, in the same file: nothing, or
// what went wrong. Ours may not reach the job, whatever happens.
constexpr const char* kScript = R"(
def tidegauge():
    import os
    if os.path.exists(os.environ.get("TIDEGAUGE_RING", "")):
        return "another gauge listens to it already"
    import ctypes, sys
    os.environ["TIDEGAUGE_RING"], os.environ["TIDEGAUGE_ASK"] = {ring!r}, {ask!r}
    library = ctypes.PyDLL({library!r})
    if not library.tidegauge_python_boot():
        return "it has been attached to before, by a gauge that is gone"
    library.tidegauge_python_functions.restype = ctypes.py_object
    functions = library.tidegauge_python_functions()
    if "tidegauge._marks" in sys.modules:
        sys.modules["tidegauge._marks"].connect(functions)
    functions["text"](6, 1, "tidegauge: marks attached")
    return ""
try:
    try:
        answer = tidegauge()
    except Exception as error:
        answer = type(error).__name__ + ": " + str(error)
    with open({script!r}, "a") as file:
        file.write("#" + answer + "\n")
except Exception:
    pass
)";

// As a string of Python's: paths of ours hold no quotes, but who knows where somebody installs.
std::string quoted(const std::string& text) {
  std::string all = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || byte < 0x20) {
      all += fmt::format("\\x{:02x}", byte);
    } else {
      all += c;
    }
  }
  return all + "\"";
}

std::string with(std::string text, const std::string& name, const std::string& value) {
  const auto blank = "{" + name + "!r}";
  for (auto at = text.find(blank); at != text.npos; at = text.find(blank, at)) {
    text.replace(at, blank.size(), quoted(value));
  }
  return text;
}

// Behind the script's own `bytes`: "#" and the answer; empty while there is none.
std::string answer_behind(int fd, std::size_t bytes) {
  std::string answer(4096, '\0');
  const auto size = ::pread(fd, answer.data(), answer.size(), static_cast<off_t>(bytes));
  answer.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return answer.ends_with('\n') ? answer : std::string();
}

Result<> hear_answer(pid_t pid, int fd, std::size_t bytes) {
  constexpr int kLooks = 2000;
  constexpr auto kPause = std::chrono::milliseconds(5);
  for (int i = 0; i < kLooks; ++i) {
    const auto answer = answer_behind(fd, bytes);
    if (answer == "#\n") return Ok{};
    if (!answer.empty()) {
      return Error{Reason::Unsupported,
                   fmt::format("{}: {}", pid, printable(answer.substr(1, answer.size() - 2)))};
    }
    std::this_thread::sleep_for(kPause);
  }
  return Error{Reason::Failed, fmt::format("{} took the request and does not answer", pid)};
}

}  // namespace

Result<AttachedMarks> AttachedMarks::make() {
  JobMarks marks({.channel = true, .guess = false});
  if (marks.ring().empty()) return Error{Reason::Failed, "there is no memory for marks"};
  const auto path = probe_path();
  if (path.empty()) return Error{Reason::Gone, "libtidegauge_probe.so is not beside this program"};
  UniqueFd library(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!library) return from_errno(errno, printable(path));
  return AttachedMarks(std::move(marks), std::move(library));
}

Result<> AttachedMarks::attach_to(pid_t pid) {
  const UniqueFd script(::memfd_create("tidegauge-script", MFD_CLOEXEC));
  if (!script) return from_errno(errno, "memory for a script");
  const auto path = proc::fd_path(script.get());
  auto text = with(kScript, "ring", marks_.ring());
  text = with(text, "ask", marks_.ask_page());
  text = with(text, "library", proc::fd_path(library_.get()));
  text = with(text, "script", path);
  if (::write(script.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return from_errno(errno, "memory for a script");
  }
  if (auto taken = census::run_script(pid, path, kPatienceSeconds); !taken) return taken;
  return hear_answer(pid, script.get(), text.size());
}

}  // namespace tidegauge::cli
