// SPDX-License-Identifier: Apache-2.0
// Memory that the gauge, the guard's actor and its twin share, there from the first byte to the
// last before the job starts.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>

#include "guard/answers.h"
#include "guard/decide.h"
#include "guard/succession.h"
#include "guard/track.h"

namespace tidegauge::guard {

enum class NewsKind : std::uint8_t {
  Near,       // it has come near its limit
  AskedSave,  // a checkpoint was asked for
  AskedStop,  // the same, and to end
  AskedEnd,   // the same because its time is up
  Saved,
  NotSaved,
  Lent,
  TookBack,
  Terminated,  // SIGTERM to the process that trains
  Killed,      // the whole tree
  TookOver,    // the process that acted has died or was stopped, the next one goes on
  Ended,       // the job has
  // From the gauge.
  Replaced,   // one that stood by has died or was stopped, there is a new one
  Restarted,  // all of them have; there are new ones, and the job was let go on
  Unguarded,  // the same, but new ones could not be started
};

struct News {
  std::int64_t at_ns = 0;  // CLOCK_MONOTONIC
  NewsKind kind = NewsKind::Near;
  double used = 0;
  double limit = 0;
};

// What the one that acts knows, for the one that goes on in its place.
struct Carried {
  Ladder before;  // the last decision
  Ladder after;
  Acts acts{};              // that it came to
  std::uint64_t asked = 0;  // the number of the last request before that
  Answers answers{};
  Track track{};
};
static_assert(std::is_trivially_copyable_v<Carried>);

struct Board {
  static constexpr std::size_t kNews = 256;  // of which the oldest are overwritten
  static constexpr std::size_t kTree = 128;  // processes of a job that no group holds
  static constexpr std::size_t kSlots = 16;  // more than there ever are of ours at a time

  struct Member {
    std::int32_t pid = 0;
    std::uint64_t start_ticks = 0;
    bool operator==(const Member&) const = default;
  };
  struct Tree {
    std::array<Member, kTree> list{};
    std::size_t count = 0;
  };
  // Only the gauge writes it; one that is being written is not read. The number of what was read,
  // 0: nothing.
  void write_tree(const Tree& tree) {
    // An exchange, not a store: nothing that is written below may come before it.
    const auto seq = tree_seq.load() + 1;
    (void)tree_seq.exchange(seq);
    for (std::size_t i = 0; i < tree.count; ++i) {
      tree_pids[i] = tree.list[i].pid;
      tree_ticks[i] = tree.list[i].start_ticks;
    }
    tree_count = tree.count;
    tree_seq = seq + 1;
  }
  std::uint64_t read_tree(Tree& tree) const {
    const auto before = tree_seq.load();
    tree.count = std::min<std::size_t>(tree_count, kTree);
    for (std::size_t i = 0; i < tree.count; ++i) tree.list[i] = {tree_pids[i], tree_ticks[i]};
    return before % 2 == 0 && tree_seq.load() == before ? before : 0;
  }

  // From the gauge.
  std::atomic<std::int32_t> job{0};   // its pid, once it runs
  std::atomic<std::int32_t> main{0};  // the process that trains, where it is another
  std::atomic<bool> catches_term{false};
  std::atomic<bool> over{false};     // there will be no job, or it is waited for no more
  std::atomic<bool> counted{false};  // the counters of the job's groups were read for the last time
  std::atomic<std::int64_t> began_ns{0};
  std::atomic<double> step_seconds{0};
  std::atomic<double> bytes_per_step{0};
  std::atomic<double> save_bytes{0};
  std::atomic<bool> disk_full{false};
  std::atomic<Outlook::Word> word{Outlook::Word::None};
  std::atomic<std::uint64_t> tree_seq{0};  // odd while the following is written
  std::atomic<std::size_t> tree_count{0};
  std::array<std::atomic<std::int32_t>, kTree> tree_pids{};
  std::array<std::atomic<std::uint64_t>, kTree> tree_ticks{};
  std::atomic<double> tree_bytes{0};   // that it holds, all together
  std::atomic<double> ours_beside{0};  // what our own processes hold (ours.h)
  std::atomic<double> ours_inside{0};
  // Who holds most of it: to be looked into when the time has come. 0: the process that trains.
  std::atomic<std::int32_t> largest_pid{0};
  std::atomic<std::uint64_t> largest_ticks{0};

  // Between the actor and whoever looks into the job (evidence.h).
  std::atomic<bool> evidence_ready{false};  // somebody does
  std::atomic<std::int32_t> evidence_pid{0};
  std::atomic<std::uint64_t> evidence_ticks{0};
  std::atomic<std::int64_t> evidence_until_ns{0};
  std::atomic<std::uint64_t> evidence_asked{0};  // how often; the following two: up to which
  std::atomic<std::uint64_t> evidence_begun{0};
  std::atomic<std::uint64_t> evidence_done{0};
  std::atomic<std::int64_t> evidence_ns{0};  // that the job stood still for it, all together

  // Of those whom the actor stops one by one: written before the first of them is, until all go on.
  std::atomic<std::size_t> stopped_count{0};
  std::array<std::atomic<std::int32_t>, kTree> stopped_pids{};
  std::array<std::atomic<std::uint64_t>, kTree> stopped_ticks{};

  // From the guard's processes. Each counts its own up when it does something.
  std::array<std::atomic<std::uint64_t>, kSlots> beats{};
  std::atomic<std::uint32_t> actors{0};  // that have acted, one after the other
  // From the actor. Two, of which one is written while the other holds; which, and how many of its
  // acts are done, is in `kept`; 0: none yet.
  std::array<std::optional<Carried>, 2> carried{};
  std::atomic<std::uint32_t> kept{0};
  std::atomic<std::int64_t> frozen_since_ns{0};  // 0: it is not
  std::atomic<std::int64_t> frozen_ns{0};        // all together
  std::atomic<std::int64_t> longest_freeze_ns{0};
  std::atomic<std::uint32_t> freezes{0};
  std::atomic<std::uint32_t> asks{0};
  std::atomic<double> peak{0};       // of what was used
  std::atomic<bool> in_call{false};  // to the kernel, and that may take long
  std::atomic<bool> lent{false};     // or about to be
  std::atomic<double> most_lent{0};
  std::atomic<Phase> phase{Phase::Watching};
  std::atomic<bool> ended_by_us{false};
  std::atomic<bool> for_time{false};  // the latest request was made because its time is up
  std::atomic<bool> done{false};      // nothing more is done to the job
  std::atomic<bool> cleared{false};   // nor is anything of it left
  std::atomic<std::uint64_t> told{0};
  std::array<News, kNews> news{};
};

struct Unmap {
  void operator()(Board* board) const { ::munmap(board, sizeof(Board)); }
};
using BoardPtr = std::unique_ptr<Board, Unmap>;

// Null where there is no memory for it.
inline BoardPtr make_board() {
  void* const map = ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  return BoardPtr(map == MAP_FAILED ? nullptr : ::new (map) Board);
}

}  // namespace tidegauge::guard
