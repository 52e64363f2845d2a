// SPDX-License-Identifier: Apache-2.0
#include "proc/gpu.h"

#include <dlfcn.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "proc/gpu_use.h"
#include "proc/nvml.h"
#include "proc/probe.h"
#include "proc/root.h"

namespace tidegauge::proc {

namespace {

// A first guess; a longer list is asked for again.
constexpr unsigned kFewProcesses = 64;
constexpr unsigned kMostProcesses = 65536;
constexpr int kTries = 3;  // the list may grow between two questions

struct CloseLibrary {
  void operator()(void* library) const { ::dlclose(library); }
};
using Library = std::unique_ptr<void, CloseLibrary>;

template <class Function>
Function symbol(const Library& library, const char* name) {
  return reinterpret_cast<Function>(::dlsym(library.get(), name));
}

// The newest of the versions that the library has.
nvml::RunningProcesses running_processes(const Library& library, const std::string& name) {
  for (const auto* version : {"_v3", "_v2", ""}) {
    if (auto* const found = symbol<nvml::RunningProcesses>(library, (name + version).c_str())) {
      return found;
    }
  }
  return nullptr;
}

std::vector<nvml::ProcessMemory> processes_on(nvml::Device device, nvml::RunningProcesses list) {
  unsigned room = kFewProcesses;
  std::vector<std::byte> buffer;
  for (int attempt = 0; list && attempt < kTries; ++attempt) {
    buffer.assign(room * nvml::kLargestStride, nvml::kUntouched);
    unsigned count = room;
    const auto result = list(device, &count, buffer.data());
    if (result == nvml::kSuccess) return nvml::parse_processes(buffer, std::min(count, room), room);
    if (result != nvml::kInsufficientSize) break;
    room = std::min(std::max(count, room) * 2, kMostProcesses);
  }
  return {};
}

// By pid on one device. In one list a process may come once for each instance of a divided device,
// which add up; compute and graphics list the same memory.
std::map<pid_t, std::uint64_t> memory_on(nvml::Device device,
                                         std::initializer_list<nvml::RunningProcesses> lists) {
  std::map<pid_t, std::uint64_t> most;
  for (auto* const list : lists) {
    std::map<pid_t, std::uint64_t> sums;
    for (const auto& process : processes_on(device, list)) {
      if (process.bytes) sums[process.pid] += *process.bytes;
    }
    for (const auto& [pid, bytes] : sums) most[pid] = std::max(most[pid], bytes);
  }
  return most;
}

}  // namespace

struct GpuReader::State {
  Library library{};
  Roots roots{};
  bool pids_are_ours = true;
  nvml::Shutdown shutdown = nullptr;
  nvml::MemoryInfo memory_info = nullptr;
  nvml::RunningProcesses compute = nullptr;
  nvml::RunningProcesses graphics = nullptr;
  std::vector<nvml::Device> devices{};

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (shutdown) shutdown();
  }

  // The host's pid 812 is not ours: only one that has a GPU open can be meant.
  void keep_those_with_a_gpu(std::map<pid_t, std::uint64_t>& by_pid) const {
    const auto root = Root::open(roots.proc);
    std::erase_if(by_pid, [&](const auto& entry) {
      const auto open = root ? has_gpu_open(*root, entry.first) : Result<bool>(root.error());
      return !open || !*open;
    });
  }
};

GpuReader::GpuReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
GpuReader::GpuReader(GpuReader&&) noexcept = default;
GpuReader& GpuReader::operator=(GpuReader&&) noexcept = default;
GpuReader::~GpuReader() = default;

bool GpuReader::is_there(const std::string& library) {
  return Library(::dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL)) != nullptr;
}

Result<GpuReader> GpuReader::load(const std::string& library, const Roots& roots) {
  auto state = std::make_unique<State>();
  state->library.reset(::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!state->library) return Error{Reason::Unsupported, library + ": no such library"};
  auto* const init = symbol<nvml::Init>(state->library, "nvmlInit_v2");
  auto* const count = symbol<nvml::DeviceCount>(state->library, "nvmlDeviceGetCount_v2");
  auto* const by_index =
      symbol<nvml::DeviceByIndex>(state->library, "nvmlDeviceGetHandleByIndex_v2");
  auto* const shutdown = symbol<nvml::Shutdown>(state->library, "nvmlShutdown");
  state->memory_info = symbol<nvml::MemoryInfo>(state->library, "nvmlDeviceGetMemoryInfo");
  state->compute = running_processes(state->library, "nvmlDeviceGetComputeRunningProcesses");
  state->graphics = running_processes(state->library, "nvmlDeviceGetGraphicsRunningProcesses");
  if (!init || !count || !by_index || !shutdown || !state->memory_info) {
    return Error{Reason::Unsupported, library + ": is no NVML that we know"};
  }
  if (const auto result = init(); result != nvml::kSuccess) {
    return Error{Reason::Unsupported,
                 library + ": does not start, error " + std::to_string(result)};
  }
  state->shutdown = shutdown;  // from here on it must be shut down
  unsigned devices = 0;
  if (count(&devices) != nvml::kSuccess || devices == 0) {
    return Error{Reason::Unsupported, library + ": no GPU"};
  }
  for (unsigned i = 0; i < devices; ++i) {
    nvml::Device device = nullptr;
    // One that fell off the bus keeps its number, and has no handle.
    state->devices.push_back(by_index(i, &device) == nvml::kSuccess ? device : nullptr);
  }
  state->roots = roots;
  const auto root = Root::open(roots.proc);
  state->pids_are_ours = !root || in_first_namespace(*root, "pid");
  return GpuReader(std::move(state));
}

GpuReading GpuReader::read() {
  GpuReading reading;
  for (std::size_t i = 0; i < state_->devices.size(); ++i) {
    auto* const device = state_->devices[i];
    if (!device) continue;
    record::Gpu gpu{.index = static_cast<int>(i)};
    nvml::Memory memory;
    if (state_->memory_info(device, &memory) == nvml::kSuccess) {
      gpu.total = memory.total;
      gpu.used = memory.used;
    }
    reading.devices.push_back(gpu);
    for (const auto& [pid, bytes] : memory_on(device, {state_->compute, state_->graphics})) {
      reading.by_pid[pid] += bytes;
    }
  }
  if (!state_->pids_are_ours) state_->keep_those_with_a_gpu(reading.by_pid);
  return reading;
}

}  // namespace tidegauge::proc
