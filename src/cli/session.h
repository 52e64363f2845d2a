// SPDX-License-Identifier: Apache-2.0
// One sitting in front of a job, shared by `watch` and `run`: what the collector sees goes to the
// recording, the gauge and the summary.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "proc/collector.h"
#include "record/ledger.h"
#include "record/recording.h"
#include "record/ring_reader.h"
#include "verdict/verdict.h"
#include "view/summary.h"

namespace tidegauge::cli {

enum class Telling { AtOnce, OnceItIsOver };

struct SessionOptions {
  std::string command;  // what is watched, secrets masked
  double interval_seconds = 1;
  bool record = true;
  std::optional<std::string> record_path{};  // empty: a name of our own in the data folder
  std::string own_path{};                    // that name, where it was chosen already
  verdict::Rules rules{};
  // Told once each: what could not be read or written, and what would help.
  std::function<void(const std::string&)> warn;
  Telling telling = Telling::AtOnce;  // what `warn` does with that
  // Told of every entry, after the session and its ledger have taken it: for `watch --json`.
  std::function<void(const record::Entry&, const record::LedgerKeeper&)> on_entry;
};

// Of a recording for which there is no room.
enum class Recorded { Nothing, SomeOfIt };
std::string words_of_no_room(const Error& error, Recorded recorded, Telling telling);

class Session {
 public:
  // Fails only if the recording was named by the user and cannot be one. A disk without room, were
  // it for an empty file, is told of, and waited for.
  static Result<Session> begin(proc::Collector collector, SessionOptions options);
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  std::int64_t now_ns() const;  // since the session began
  std::int64_t due_ns() const;  // when to look next, on the same clock
  void look();
  void add(const record::Event& mark);
  record::RingClock ring_clock() const;
  record::ProcessId who_is(pid_t pid) const;  // the member that has this pid now; pid 0: none

  proc::Collector& collector();
  const record::Header& header() const;
  const record::Sample& sample() const;  // the last one
  // As of the last judgement. Judging takes its time from a budget, so the tree's may lie some
  // seconds back, up to a minute, and those of processes two; `fresh` is true once after a new one.
  const verdict::Verdicts& verdicts() const;
  bool take_fresh_verdict();

  std::string recording() const;  // path; empty if none is kept

  // The report as of now, beside the recording; its path.
  Result<std::string> write_report();

  struct Ending {
    verdict::Verdicts verdicts;
    std::string recording;  // path; empty if there is none
    std::string report;     // path; empty if there is none
  };
  // Judges the whole, closes the recording and writes the report beside it. Once.
  Ending end();
  const view::Summary& summary() const;

 private:
  struct State;
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tidegauge::cli
