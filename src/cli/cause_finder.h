// SPDX-License-Identifier: Apache-2.0
// Looks into the process that grows, now and then, and tells the session who holds what; and how
// far the job's training has come, where nobody else tells.
#pragma once

#include <map>
#include <string>

#include "cli/census_server.h"
#include "cli/session.h"
#include "cli/training_marks.h"

namespace tidegauge::cli {

class CauseFinder {
 public:
  enum class Steps { ToldByTheJob, ReadFromOutside };
  // Without a server it finds nothing, and says nothing.
  CauseFinder(std::optional<CensusServer> server, Steps steps)
      : server_(std::move(server)), steps_(steps) {}

  void after_look(Session& session);
  // The watch is over: what was asked last is waited for, a little.
  void finish(Session& session);
  // Why nobody was found, where that can be changed. Empty: nothing to say.
  const std::string& note() const { return note_; }

 private:
  struct Asked {
    record::ProcessId process{};
    std::int64_t at_ns = 0;
    double bytes = 0;
    verdict::Class klass = verdict::Class::Undecided;
  };
  const verdict::Verdict* worth_a_look(const Session& session) const;
  bool is_time(const Session& session, const verdict::Verdict& grower) const;
  void hear(Session& session, const CensusServer::Answer& answer);
  void hear_census(Session& session, const CensusServer::Answer& answer);
  void hear_training(Session& session, const CensusServer::Answer& answer);
  void listen(const Session& session);

  std::optional<CensusServer> server_;
  std::optional<Asked> asked_{};
  double soonest_seconds_ = 0;                  // after the last one, by what it cost
  double soonest_doubled_seconds_ = 0;          // where the process holds twice as much by then
  std::map<record::ProcessId, int> refused_{};  // how often
  std::string note_{};
  Steps steps_;
  record::ProcessId trainer_{};  // that was asked last
  std::int64_t listened_ns_ = 0;
  double silent_looks_ = 0;  // in a row, without a training
  TrainingMarks training_{};
};

}  // namespace tidegauge::cli
