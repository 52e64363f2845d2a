// SPDX-License-Identifier: Apache-2.0
// Which of the many things that a job counts is its step, its epoch and its data set. A job sends
// facts: every optimizer that stepped, every loader that was started, every example that was
// fetched. Here, and not in the job, is decided what they mean.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "record/recording.h"

namespace tidegauge::record {

// A mark as the job sent it.
struct JobMark {
  Event event{};
  std::uint32_t which = 0;     // of the optimizers, loaders, data sets or trainers of its process
  std::uint64_t data_set = 0;  // of a loader that begins a pass: what it loads
};

// A count that never falls, made of counts that begin anew: of the next trainer, the next pass.
class RisingCount {
 public:
  // The count after `number` was told; nothing if that was known already.
  std::optional<double> add(double number);
  void begin_anew(double first = 1);  // `first` counts as the next one, whatever it is

 private:
  double before_ = 0;  // counted before the numbers began anew
  double last_ = 0;
};

// The optimizer whose steps are the job's. The first one that steps, unless it falls silent: with
// one optimizer per parameter all others follow it, and of a pair (GAN) either will do.
class OptimizerChoice {
 public:
  // The job's step, if the step `number` of optimizer `which` is one.
  std::optional<double> add(std::uint32_t which, double number);

 private:
  std::optional<std::uint32_t> leader_{};
  RisingCount count_{};
  std::map<std::uint32_t, std::uint64_t> others_{};  // steps since the leader's last
  std::uint64_t usual_ = 0;  // most steps of another between two of the leader
};

// The loader that feeds training, and its data set. It is the one that gave a batch last when a
// step ended, a few times in a row: an evaluation between two steps does not mislead, and a loader
// that is made anew for each epoch is found each time. Of a job without steps, the one that gives
// batches.
class LoaderChoice {
 public:
  void begin_pass(std::uint32_t which, std::uint64_t data_set);
  // The job's count of batches, if this one is of the chosen loader.
  std::optional<double> add_batch(std::uint32_t which, double number);
  void add_step();  // of the job: whoever gave the last batch fed it

  bool any() const { return !loaders_.empty(); }
  bool stepped() const { return stepped_; }
  // Nothing as long as it cannot be told.
  std::optional<std::uint32_t> chosen() const;
  std::optional<std::uint64_t> data_set() const;

 private:
  void support(std::uint32_t which, std::uint64_t enough);

  std::map<std::uint32_t, std::uint64_t> loaders_{};  // data set by loader
  std::optional<std::uint32_t> last_{};
  std::optional<std::uint32_t> chosen_{};
  std::optional<std::uint32_t> rival_{};  // whom the latest steps or batches speak for
  std::uint64_t in_a_row_ = 0;
  RisingCount batches_{};
  bool stepped_ = false;
};

class MarkChoice {
 public:
  // Of the marks of one look, in order, those that count, with their numbers made to rise. What a
  // job says itself, phases and notes pass as they are. What can be understood only later (the
  // first batches come before the first step tells what they are for) comes later.
  std::vector<Event> choose(std::vector<JobMark> marks);

 private:
  struct Job {  // one process
    OptimizerChoice optimizer{};
    std::map<std::uint32_t, RisingCount> trainers{};
    LoaderChoice loader{};
    bool tells_epochs = false;                       // itself or its trainer, so loaders need not
    double passes = 0;                               // of the loader that feeds training
    std::map<std::uint32_t, Event> held_epochs{};    // by loader
    std::map<std::uint32_t, Event> held_distinct{};  // by data set
    std::optional<std::uint32_t> data_set{};         // that is told of
    double data_set_size = 0;
  };
  using Events = std::vector<Event>;
  Job& job_of(const ProcessId& process);
  Events choose(Job& job, JobMark mark);
  Events step(Job& job, JobMark mark);
  Events epoch(Job& job, JobMark mark);
  Events distinct(Job& job, JobMark mark);
  Events understood(Job& job, std::int64_t at_ns);

  std::map<ProcessId, Job> jobs_{};
};

}  // namespace tidegauge::record
