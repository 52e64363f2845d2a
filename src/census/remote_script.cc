// SPDX-License-Identifier: Apache-2.0
#include "census/remote_script.h"

#include <fmt/format.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <thread>

#include "census/aside.h"
#include "census/reader_process.h"
#include "census/stopped.h"
#include "census/wire.h"

namespace tidegauge::census {

namespace {

// In _Py_DebugOffsets, which begins the runtime: where the six numbers about remote execution are.
struct Where {
  std::string_view version;
  std::uint16_t debugger;
};
constexpr Where kWhere[] = {{"3.14", 712}, {"3.15", 840}};
constexpr Address kMainThread = 80;  // in the same structure: where an interpreter has its first

struct DebuggerOffsets {
  std::uint64_t breaker, support, enabled, pending, path, path_bytes;
};

constexpr std::uint64_t kLookForScript = 1U << 5;  // _PY_EVAL_PLEASE_STOP_BIT

// An interpreter and a thread are smaller than this: offsets beyond it are no offsets.
constexpr std::uint64_t kMostOffset = 1U << 20;

bool makes_sense(const DebuggerOffsets& at) {
  for (const auto offset : {at.breaker, at.support, at.enabled, at.pending, at.path}) {
    if (offset > kMostOffset) return false;
  }
  return at.path_bytes > 1 && at.path_bytes <= kMostRemotePath;
}

bool write(pid_t pid, Address to, const void* from, std::size_t bytes) {
  iovec ours{const_cast<void*>(from), bytes};
  iovec theirs{reinterpret_cast<void*>(to), bytes};  // NOLINT(performance-no-int-to-ptr)
  return ::process_vm_writev(pid, &ours, 1, &theirs, 1, 0) == static_cast<ssize_t>(bytes);
}

bool set_pending(pid_t pid, const RemoteSupport& at, std::int32_t value) {
  return write(pid, at.pending, &value, sizeof value);
}

// While nothing runs there: the breaker also holds bits that other threads set, and would lose.
bool put_request(pid_t pid, const RemoteSupport& at, const std::string& path) {
  const auto stopped = Stopped::stop(pid);
  if (!stopped) return false;
  const ProcessMemory memory(pid);
  const auto breaker = memory.get<std::uint64_t>(at.breaker);
  if (!breaker || !write(pid, at.path, path.c_str(), path.size() + 1)) return false;
  const auto looking = *breaker | kLookForScript;
  return set_pending(pid, at, 1) && write(pid, at.breaker, &looking, sizeof looking);
}

// In a process of its own, as whoever holds another has to be (census/stopped.h).
bool put_request_aside(pid_t pid, const RemoteSupport& at, const std::string& path) {
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child == 0) {
    stand_aside("tidegauge-hand");
    ::_exit(put_request(pid, at, path) ? 0 : 1);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

Result<> wait_until_taken(pid_t pid, const RemoteSupport& at, double patience_seconds) {
  constexpr auto kPause = std::chrono::milliseconds(2);
  const ProcessMemory memory(pid);
  const double until_ms = now_ms() + patience_seconds * 1e3;
  while (now_ms() < until_ms) {
    const auto pending = memory.get<std::int32_t>(at.pending);
    if (!pending) return Error{Reason::Gone, fmt::format("{} has ended", pid)};
    if (*pending == 0) return Ok{};
    std::this_thread::sleep_for(kPause);
  }
  set_pending(pid, at, 0);
  return Error{
      Reason::Failed,
      fmt::format("{} has not come to a safe point within {:g} s: it waits, or is in one long "
                  "call; the request was withdrawn",
                  pid, patience_seconds)};
}

// By a process without rights, as all of it is the target's word.
Result<RemoteSupport> find_support(pid_t pid) {
  const auto target = open_target(pid);
  if (!target) return target.error();
  const auto reader = ReaderProcess::start(*target, [&](const ReaderLine& line) {
    const FileMemory memory(target->memory.get(), devices_in(target->regions));
    const auto python = locate(*target, memory);
    if (!python) return line.say(Word::Failed, wire::to_bytes(python.error()));
    const auto remote = remote_support(memory, *python);
    line.say(remote ? Word::Remote : Word::Failed,
             remote ? wire::to_bytes(*remote) : wire::to_bytes(remote.error()));
  });
  if (!reader) return reader.error();
  constexpr double kPatienceSeconds = 60;
  const auto said = reader->hear(kPatienceSeconds);
  if (!said) return said.error();
  const auto remote = wire::remote_in(said->text);
  if (said->word != Word::Remote || !remote) {
    return Error{Reason::Failed, "the process that read it said what makes no sense"};
  }
  return *remote;
}

}  // namespace

Result<RemoteSupport> remote_support(const Memory& memory, const Interpreter& python) {
  for (const auto& where : kWhere) {
    if (where.version != python.layout->version) continue;
    const auto at = memory.get<DebuggerOffsets>(python.runtime + where.debugger);
    const auto interp = python.interpreters.back();
    const auto main_thread = memory.get<std::uint64_t>(python.runtime + kMainThread);
    if (!at || !makes_sense(*at) || !main_thread || *main_thread > kMostOffset) break;
    const auto thread = memory.pointer(interp + *main_thread);
    if (thread == 0 || memory.pointer(thread + thread::kInterp) != interp) break;
    if (memory.get<std::int32_t>(interp + at->enabled).value_or(0) != 1) {
      return Error{Reason::Denied,
                   "it was started with remote debugging turned off (-X disable-remote-debug, "
                   "PYTHON_DISABLE_REMOTE_DEBUG)"};
    }
    return RemoteSupport{.breaker = thread + at->breaker,
                         .pending = thread + at->support + at->pending,
                         .path = thread + at->support + at->path,
                         .path_bytes = at->path_bytes};
  }
  return Error{
      Reason::Unsupported,
      fmt::format("it runs CPython {}, and only 3.14 and later can be asked to run something",
                  python.version)};
}

Result<> run_script(pid_t pid, const std::string& path, double patience_seconds) {
  const auto at = find_support(pid);
  if (!at) return Error{at.error().reason, fmt::format("{}: {}", pid, at.error().what)};
  if (path.size() >= at->path_bytes)
    return Error{Reason::Malformed, "the script's path is too long"};
  if (ProcessMemory(pid).get<std::int32_t>(at->pending).value_or(1) != 0) {
    return Error{Reason::Failed, fmt::format("{} is being asked to run something else", pid)};
  }
  if (!put_request_aside(pid, *at, path)) {
    return Error{Reason::Denied,
                 fmt::format("{} is not ours to write to, or a debugger has it", pid)};
  }
  return wait_until_taken(pid, *at, patience_seconds);
}

}  // namespace tidegauge::census
