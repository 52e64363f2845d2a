// SPDX-License-Identifier: Apache-2.0
#include "guard/herd.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "guard/group_files.h"
#include "proc/stat.h"
#include "proc/statm.h"

namespace tidegauge::guard {

namespace {

bool is_still(const Result<proc::Root>& root, const Board::Member& id) {
  const auto stat = root ? proc::read_stat(*root, id.pid) : Result<proc::Stat>(root.error());
  return stat && !proc::has_ended(*stat) && stat->id.start_ticks == id.start_ticks;
}

double anonymous_of(const UniqueFd& file) {
  GroupText buffer;
  const auto text = read_group(file, buffer);
  if (text.empty()) return 0;  // it has ended; what failed is said in words, which takes memory
  const auto statm = proc::parse_statm(text);
  if (!statm || statm->resident < statm->shared) return 0;
  return static_cast<double>(statm->resident - statm->shared) *
         static_cast<double>(::sysconf(_SC_PAGESIZE));
}

bool send(const UniqueFd& process, int number) {
  return ::syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0) == 0;
}

}  // namespace

Herd::Herd() : root_(proc::Root::open(proc::Roots{}.proc)) {}

void Herd::follow(const Board& board) {
  Board::Tree told;
  const auto seq = board.read_tree(told);
  if (seq == 0 || seq == seq_) return;
  seq_ = seq;
  const auto* const begin = told.list.data();
  const auto* const end = begin + told.count;
  for (std::size_t i = 0; i < count_;) {
    if (std::find(begin, end, members_[i].id) != end) {
      ++i;
    } else {
      members_[i] = std::move(members_[--count_]);
      members_[count_] = Member();
    }
  }
  for (std::size_t i = 0; i < told.count && count_ < members_.size(); ++i) {
    const auto& id = told.list[i];
    const auto same = [&id](const Member& member) { return member.id == id; };
    if (id.pid <= 0 || std::any_of(members_.begin(), members_.begin() + count_, same)) continue;
    // Opened first: the start time that is read then is that of the process behind it.
    auto process = pidfd_of(id.pid);
    if (!process || !is_still(root_, id)) continue;
    auto statm = root_->open_file(id.pid, "statm");
    members_[count_++] = {id, std::move(process), statm ? *std::move(statm) : UniqueFd()};
    (void)anonymous_of(members_[count_ - 1].statm);  // the kernel makes its buffer now
  }
}

double Herd::bytes() const {
  double all = 0;
  for (std::size_t i = 0; i < count_; ++i) all += anonymous_of(members_[i].statm);
  return all;
}

bool Herd::holds(pid_t pid) const {
  return std::any_of(members_.begin(), members_.begin() + count_,
                     [pid](const Member& member) { return member.id.pid == pid; });
}

void Herd::send_all(int number) const {
  for (std::size_t i = 0; i < count_; ++i) send(members_[i].process, number);
}

void Herd::stop(Board& board) const {
  for (std::size_t i = 0; i < count_; ++i) {
    board.stopped_pids[i] = members_[i].id.pid;
    board.stopped_ticks[i] = members_[i].id.start_ticks;
  }
  board.stopped_count = count_;
  send_all(SIGSTOP);
}

// Whoever stopped them may be gone, and may have known others than we do.
void Herd::go_on(Board& board) const {
  send_all(SIGCONT);
  const auto count = std::min<std::size_t>(board.stopped_count, Board::kTree);
  for (std::size_t i = 0; i < count; ++i) {
    const Board::Member id{board.stopped_pids[i], board.stopped_ticks[i]};
    const auto* const end = members_.data() + count_;
    if (std::find_if(members_.data(), end, [&id](const Member& one) { return one.id == id; }) !=
        end) {
      continue;
    }
    const auto process = pidfd_of(id.pid);
    if (process && is_still(root_, id)) send(process, SIGCONT);
  }
  board.stopped_count = 0;
}

void Herd::kill() const {
  send_all(SIGKILL);
}

bool Herd::signal(pid_t pid, int number) const {
  for (std::size_t i = 0; i < count_; ++i) {
    if (members_[i].id.pid == pid) return send(members_[i].process, number);
  }
  return false;
}

}  // namespace tidegauge::guard
