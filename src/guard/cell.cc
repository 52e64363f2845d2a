// SPDX-License-Identifier: Apache-2.0
#include "guard/cell.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "guard/group_files.h"
#include "guard/left_groups.h"
#include "proc/cgroup_files.h"
#include "proc/cgroup_place.h"
#include "proc/root.h"
#include "proc/stat.h"

namespace tidegauge::guard {

namespace {

constexpr std::string_view kPrefix = "tidegauge-";

// So often a killed tree of version 1 is gone through: a process may fork while it is.
constexpr int kKillRounds = 100;
constexpr int kFreezeTries = 50;  // of a millisecond

bool is_folder(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

std::optional<proc::CgroupPlace> first_real(const std::vector<proc::CgroupPlace>& places) {
  for (const auto& place : places) {
    if (!place.guessed && is_folder(place.folder())) return place;
  }
  return {};
}

std::string failure(const std::string& folder, int error) {
  return from_errno(error, printable(folder)).what;
}

}  // namespace

struct Cell::Own {
  std::optional<proc::CgroupPlace> memory{};
  std::optional<proc::CgroupPlace> unified{};
  std::optional<proc::CgroupPlace> freezer{};
};

std::optional<record::ProcessId> owner_of(std::string_view name) {
  if (!name.starts_with(kPrefix)) return {};
  name.remove_prefix(kPrefix.size());
  const auto dash = name.find('-');
  if (dash == name.npos) return {};
  const auto pid = to_number<pid_t>(name.substr(0, dash));
  const auto ticks = to_number<std::uint64_t>(name.substr(dash + 1));
  if (!pid || *pid <= 0 || !ticks) return {};
  return record::ProcessId{*pid, *ticks};
}

Result<std::string> Cell::own_name(const proc::Root& root) {
  const auto text = root.read("self/stat");
  if (!text) return text.error();
  const auto self = proc::parse_stat(*text);
  if (!self) return self.error();
  return fmt::format("{}{}-{}", kPrefix, self->id.pid, self->id.start_ticks);
}

pid_t guard_of(const proc::Roots& roots, pid_t pid) {
  const auto root = proc::Root::open(roots.proc);
  const auto text = root ? root->read(pid, "cgroup") : Result<std::string>(root.error());
  if (!text) return 0;
  for (const auto& membership : proc::parse_memberships(*text)) {
    std::string_view path = membership.path;
    while (!path.empty()) {
      const auto slash = path.find('/');
      const auto owner = owner_of(path.substr(0, slash));
      if (owner && lives(*root, *owner)) return owner->pid;
      path.remove_prefix(slash == path.npos ? path.size() : slash + 1);
    }
  }
  return 0;
}

Cell Cell::make(const proc::Roots& roots, double limit_bytes) {
  Cell cell;
  const auto root = proc::Root::open(roots.proc);
  if (!root) return cell;
  const auto name = own_name(*root);
  const auto memberships = root->read("self/cgroup");
  const auto mounts = root->read("self/mountinfo");
  if (!name || !memberships || !mounts) {
    cell.missing_.emplace_back("no control groups are to be seen from here");
    return cell;
  }
  const auto in = proc::parse_memberships(*memberships);
  const auto seen = proc::parse_mountinfo(*mounts);
  const Own own{first_real(proc::memory_places(in, seen, roots.sys)),
                first_real(proc::unified_places(in, seen, roots.sys)),
                first_real(proc::controller_places("freezer", in, seen, roots.sys))};
  for (const auto* place : {&own.memory, &own.unified, &own.freezer}) {
    if (*place) remove_left_groups(*root, (*place)->folder());
  }
  cell.make_memory(roots.proc, own, *name, limit_bytes);
  cell.make_freezer(own, *name);
  return cell;
}

// The memory group of the job: a new one where we may, else the one that we are in ourselves.
void Cell::make_memory(const std::string& proc, const Own& own, const std::string& name,
                       double limit_bytes) {
  if (!own.memory) {
    missing_.emplace_back(
        "no memory group is to be seen from here: the machine's memory is watched");
    return;
  }
  memory_version_ = own.memory->version;
  const auto parent = own.memory->folder();
  const auto folder = parent + "/" + name;
  const bool made = ::mkdir(folder.c_str(), 0755) == 0;
  const int error = errno;
  if (made) folders_.push_back(folder);
  bool good = made && open_memory(folder, limit_bytes);
  if (made && !good && memory_version_ == 2) {
    step_down_ = StepDown::take(proc, parent, name + std::string(kGaugeSuffix), "memory");
    good = step_down_ && open_memory(folder, limit_bytes);
  }
  if (!good) {
    missing_.push_back("no memory group of its own: " +
                       (made ? "the controller is not handed on in " + printable(parent)
                             : failure(parent, error)));
  }
  add_memory_folders(*own.memory);
}

// From the group of `place` up to the root of its mount.
void Cell::add_memory_folders(const proc::CgroupPlace& place) {
  for (std::optional<std::string> path = place.path; path; path = proc::parent_path(*path)) {
    memory_folders_.push_back(*path == "/" ? place.mount : place.mount + *path);
  }
}

void Cell::make_freezer(const Own& own, const std::string& name) {
  int error = ENOENT;
  for (const auto* place : {&own.unified, &own.freezer}) {
    if (!*place) continue;
    const auto folder = (*place)->folder() + "/" + name;
    const bool there = std::find(folders_.begin(), folders_.end(), folder) != folders_.end();
    const bool made = !there && ::mkdir(folder.c_str(), 0755) == 0;
    error = errno;
    if (made) folders_.push_back(folder);
    if ((there || made) && open_levers(folder, (*place)->version)) return;
  }
  missing_.push_back("no group that could be frozen: " + failure("control groups", error));
}

bool Cell::open_memory(const std::string& folder, double limit_bytes) {
  const bool first = memory_version_ == 1;
  limit_ = open_in(folder, first ? "memory.limit_in_bytes" : "memory.max", O_RDWR);
  if (!limit_) return false;
  if (!first) high_ = open_in(folder, "memory.high", O_RDWR);
  memory_procs_ = open_in(folder, "cgroup.procs", O_RDWR);
  if (first) procs_path_ = folder + "/cgroup.procs";
  memory_folders_.push_back(folder);
  limited_ = limit_bytes > 0 && set_limit(limit_bytes);
  return true;
}

bool Cell::open_levers(const std::string& folder, int version) {
  freeze_ = open_in(folder, version == 1 ? "freezer.state" : "cgroup.freeze", O_RDWR);
  if (!freeze_) return false;
  freezer_version_ = version;
  freezer_procs_ = open_in(folder, "cgroup.procs", O_RDWR);
  procs_path_ = version == 1 ? folder + "/cgroup.procs" : "";
  if (version == 2) {
    events_ = open_in(folder, "cgroup.events", O_RDONLY);
    kill_ = open_in(folder, "cgroup.kill", O_WRONLY);
  }
  // The kernel makes its buffers on the first read of each.
  (void)is_frozen();
  (void)is_empty();
  return static_cast<bool>(freezer_procs_);
}

Cell::Cell(Cell&& other) noexcept
    : Levers(),
      folders_(std::exchange(other.folders_, {})),
      step_down_(std::exchange(other.step_down_, {})),
      memory_folders_(std::move(other.memory_folders_)),
      missing_(std::move(other.missing_)),
      memory_version_(other.memory_version_),
      freezer_version_(other.freezer_version_),
      limited_(other.limited_),
      memory_procs_(std::move(other.memory_procs_)),
      limit_(std::move(other.limit_)),
      high_(std::move(other.high_)),
      freezer_procs_(std::move(other.freezer_procs_)),
      freeze_(std::move(other.freeze_)),
      events_(std::move(other.events_)),
      kill_(std::move(other.kill_)),
      home_procs_(std::move(other.home_procs_)),
      procs_path_(std::move(other.procs_path_)) {}

Cell::~Cell() {
  // One that was moved from has nothing to let go of.
  if (!folders_.empty()) release();
  remove();
  step_back();
}

bool Cell::remove() const {
  bool gone = true;
  for (const auto& folder : folders_) {
    gone = (::rmdir(folder.c_str()) == 0 || errno == ENOENT) && gone;
  }
  return gone;
}

void Cell::step_back() const {
  if (step_down_ && std::none_of(folders_.begin(), folders_.end(), is_folder)) step_down_->back();
}

std::vector<int> Cell::join_fds() const {
  std::vector<int> fds;
  if (memory_procs_) fds.push_back(memory_procs_.get());
  if (freezer_procs_) fds.push_back(freezer_procs_.get());
  return fds;
}

std::vector<int> Cell::fds() const {
  std::vector<int> fds;
  for (const auto* fd : {&memory_procs_, &limit_, &high_, &freezer_procs_, &freeze_, &events_,
                         &kill_, &home_procs_}) {
    if (*fd) fds.push_back(fd->get());
  }
  return fds;
}

bool Cell::freeze() const {
  return freeze_ && write_group(freeze_, freezer_version_ == 1 ? "FROZEN" : "1");
}

bool Cell::thaw() const {
  return freeze_ && write_group(freeze_, freezer_version_ == 1 ? "THAWED" : "0");
}

bool Cell::is_frozen() const {
  GroupText buffer;
  if (freezer_version_ == 1) return read_group(freeze_, buffer).starts_with("FROZEN");
  return events_ && read_group(events_, buffer).find("frozen 1") != std::string_view::npos;
}

bool Cell::set_limit(double bytes) const {
  return limit_ && write_group(limit_, static_cast<long long>(bytes));
}

bool Cell::kill() const {
  if (kill_ && write_group(kill_, "1")) return true;
  if (!freezer_procs_) return false;
  kill_one_by_one();
  return true;
}

// While it is frozen nobody in it can end or begin; one that does not freeze in time is found in it
// again after a descriptor of it was opened.
void Cell::kill_one_by_one() const {
  for (int round = 0; round < kKillRounds && !is_empty(); ++round) {
    freeze();
    const timespec moment{0, 1'000'000};
    for (int tries = 0; tries < kFreezeTries && !is_frozen(); ++tries) {
      ::nanosleep(&moment, nullptr);
    }
    GroupText buffer;
    const auto anew = procs_anew();
    auto pids = read_group(anew ? anew : procs(), buffer);
    while (!pids.empty()) {
      const auto pid = to_number<pid_t>(next_line(pids));
      if (pid) signal(*pid, SIGKILL);
    }
    thaw();
    ::nanosleep(&moment, nullptr);
  }
}

// A list of version 1 that was read once through a descriptor is given to it again until nobody has
// read it for a second: who looks more often never hears of anybody new. Only one that is opened
// anew is made anew. Where that fails, an old one is better than none.
UniqueFd Cell::procs_anew() const {
  if (procs_path_.empty()) return UniqueFd();
  return UniqueFd(::open(procs_path_.c_str(), O_RDONLY | O_CLOEXEC));
}

bool Cell::holds(pid_t pid) const {
  if (!procs() || pid <= 0) return false;
  const auto anew = procs_anew();
  const auto& list = anew ? anew : procs();
  GroupText buffer;
  for (off_t at = 0;;) {
    auto pids = read_group(list, buffer, at);
    if (pids.empty()) return false;
    const auto end = pids.rfind('\n');
    if (end == pids.npos) return false;
    at += static_cast<off_t>(end + 1);
    pids = pids.substr(0, end + 1);
    while (!pids.empty()) {
      if (to_number<pid_t>(next_line(pids)) == pid) return true;
    }
  }
}

bool Cell::signal(pid_t pid, int number) const {
  if (pid <= 0) return false;
  const UniqueFd process = pidfd_of(pid);
  if (!process || !holds(pid)) return false;
  return ::syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0) == 0;
}

bool Cell::is_empty() const {
  const auto anew = procs_anew();
  const auto& list = anew ? anew : procs();
  GroupText buffer;
  return !list || read_group(list, buffer).empty();
}

bool Cell::set_brake(double bytes) const {
  return high_ && write_group(high_, static_cast<long long>(bytes));
}

bool Cell::release_brake() const {
  return high_ && write_group(high_, "max");
}

UniqueFd Cell::trip_wire(double bytes) const {
  if (high_ && !memory_folders_.empty()) {
    UniqueFd events(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    const auto file = memory_folders_.front() + "/memory.events";
    const bool watched = events && ::inotify_add_watch(events.get(), file.c_str(), IN_MODIFY) >= 0;
    return watched && set_brake(bytes) ? std::move(events) : UniqueFd();
  }
  if (memory_version_ != 1 || !limit_ || memory_folders_.empty()) return UniqueFd();
  UniqueFd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  const auto usage = open_in(memory_folders_.front(), "memory.usage_in_bytes", O_RDONLY);
  const auto control = open_in(memory_folders_.front(), "cgroup.event_control", O_WRONLY);
  if (!event || !usage || !control) return UniqueFd();
  const auto line =
      fmt::format("{} {} {}", event.get(), usage.get(), static_cast<long long>(bytes));
  return write_group(control, line) ? std::move(event) : UniqueFd();
}

}  // namespace tidegauge::guard
