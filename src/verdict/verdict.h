// SPDX-License-Identifier: Apache-2.0
// Verdict: what we conclude from a recording, with its evidence. No clock, no I/O, no randomness:
// the same recording gives the same words for ever. The JSON form is docs/verdict-format.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "record/recording.h"

namespace tidegauge::record {
class LedgerKeeper;
}

namespace tidegauge::verdict {

// Ids (docs/verdicts.md) never change their meaning.
enum class Class { Leak, WarmUp, Spikes, Sawtooth, Steady, Shift, Undecided };

// The kind of memory that was judged.
enum class Kind { Total, Rss, Anon, File, Shmem, Swap, Private, Pss, Gpu, Other };

// What growth goes along with.
enum class Tie { None, Time, Step, FirstPass, Epoch, Eval, Save, Compile, Phase };

const char* id_of(Class value);  // "leak", "warm_up"…
const char* id_of(Kind value);   // "total", "rss", "anon"…
const char* id_of(Tie value);    // "time", "step", "first_pass"…; nullptr for None

struct Interval {  // 95 % unless said otherwise
  double value = 0;
  double low = 0;
  double high = 0;
};

struct Subject {
  std::optional<record::ProcessId>
      process{};       // empty: the whole tree, or a series of a foreign file
  std::string name{};  // process name, or the column's
  record::Role role = record::Role::Other;
  Kind kind = Kind::Total;
};

struct Settled {
  std::optional<double> at_seconds{};
  std::optional<double> at_step{};
  double level_bytes = 0;
  // How fast it grew until then.
  std::optional<double> bytes_per_minute_before{};
  std::optional<double> bytes_per_step_before{};
};

struct Spikes {
  std::size_t count = 0;
  double height_bytes = 0;  // typical large one, above the floor
  Tie tied_to = Tie::None;
  std::string phase{};  // its name where tied_to is Phase
};

struct Forecast {
  std::string limit_kind{};  // "cgroup", "ram", "dev_shm", "given"
  double limit_bytes = 0;
  // Seconds from the recording's end until the limit; for a recording that counts steps: steps. 0
  // where it has been passed.
  double p5 = 0;
  double p50 = 0;
  double p95 = 0;
  double probability = 0;  // that it is ever reached
};

struct Needs {                      // what would decide an undecided case
  std::optional<double> seconds{};  // from now
  std::optional<double> steps{};    // from now
  std::optional<double> at_step{};  // "look again at step 103"
  std::string why{};
  bool may_run_out_before = false;
  // It is worth a look then, but may not be decided: to be sure would take longer than as long
  // again as was seen.
  bool may_not_suffice = false;
  // Where growth would end if it is bounded after all, e.g. by the first pass over the data
  // (then the verdict's tied_to says so).
  std::optional<Settled> if_bounded{};
};

struct Cause {
  std::string kind{};  // "663 PIL.JpegImagePlugin.JpegImageFile"
  std::string type{};
  std::optional<double> count{};
  std::optional<std::uint64_t> bytes{};
  std::optional<double> share{};  // of the growth until the last census, 0..1
  std::string site{};
  std::string retained_by{};
  std::string remedy{};
};

struct Verdict {
  Subject subject{};
  Class klass = Class::Undecided;
  double confidence = 0;                 // in the class, 0..1
  double p_leak = 0;                     // 0..1
  std::optional<double> not_excluded{};  // largest leak, bytes per minute (per step where only
                                         // steps are known), that the data cannot exclude
  // How fast the floor grows now, at the end of what was judged: about 0 once it has settled.
  std::optional<Interval> bytes_per_minute{};
  std::optional<Interval> bytes_per_step{};
  std::optional<Interval> bytes_per_event{};  // of what tied_to names: an evaluation, a save…
  Tie tied_to = Tie::None;
  std::string phase{};              // its name where tied_to is Phase
  std::optional<Subject> grower{};  // of a tree: the process that accounts for the growth
  std::optional<Settled> settled{};
  Spikes spikes{};
  std::optional<Forecast> forecast{};
  std::optional<Needs> needs{};
  std::vector<Cause> causes{};
  std::vector<std::string> evidence{};        // sentences, never empty
  std::optional<double> unexplained_bytes{};  // of that growth, where causes were found
  // For views: what was judged.
  double first_bytes = 0;
  double last_bytes = 0;
  double floor_bytes = 0;  // retained memory now, spikes taken off
  double grown_bytes = 0;  // by the growth that is spoken of: not by what it took to start
  double grown_since = 0;  // when that began, seconds (steps) into the recording
  double peak_bytes = 0;
  double duration_seconds = 0;  // 0 where only steps are known
  bool job_ended = false;       // all its processes were seen to exit
  // The limit that binds, whether or not it will be reached: "cgroup", "ram", "dev_shm", "given".
  std::string limit_kind{};
  std::optional<double> limit_bytes{};
};

// True where a limit that somebody gave has been passed. What a machine or a cgroup has room for is
// known only for now, and says nothing of an earlier peak.
bool limit_passed(const Verdict& verdict);

// How an earlier run of the same command ended.
struct EarlierRun {
  Class klass = Class::Undecided;
  double level_bytes = 0;
  std::optional<double> settled_seconds{};
  std::optional<double> settled_step{};
};

// Options of the judgement. Priors are policy, so they are visible and can be set.
struct Rules {
  std::optional<double>
      limit_bytes{};  // given by the user; otherwise the limit that binds in the recording
  double leak_prior = 0.5;
  double longest_warm_up_minutes =
      40;  // the time scale m: an unmarked linear warm-up may take this long
  double longest_warm_up_steps = 1000;  // the same for a recording that counts only steps
  std::optional<double> steps_per_epoch{};
  std::vector<EarlierRun> earlier{};  // oldest first; told in the evidence (earlier.h)
  // A recording that has ended is judged once. An alarm looks again and again: its bar is higher at
  // first, and comes down until warm-ups are long over.
  enum class Mode { Finished, Alarm };
  Mode mode = Mode::Finished;
  double finished_bar = 0.87;  // p_leak at or above this is called a leak
  // The same once three and a half of the longest warm-ups have passed (survival.cc).
  double alarm_bar = 0.82;
};

struct Verdicts {
  std::vector<Verdict>
      all{};  // the tree's first, then one per process and kind that matters; never empty
  std::vector<std::string> explanation{};  // for --explain
};

struct Outline;  // compare.h

// Streaming state: bounded memory per series, whatever the length. judge() may be called at any
// time.
class Gauge {
 public:
  explicit Gauge(const Rules& rules);
  Gauge(Gauge&&) noexcept;
  Gauge& operator=(Gauge&&) noexcept;
  ~Gauge();

  void begin(const record::Header& header);
  void add(const record::Entry& entry);
  // The same with a ledger that was told of this entry and all before: one for several readers.
  void add(const record::Entry& entry, const record::LedgerKeeper& ledgers);
  Verdicts judge() const;                  // in the rules' mode
  Verdicts judge(Rules::Mode mode) const;  // a watch that has ended is judged as finished
  // The first verdict alone, for those who look again and again: of 25 processes all together cost
  // thirty times as much.
  Verdicts judge_first() const;
  // What there is to compare with other runs.
  Outline outline(const std::string& name) const;
  // What the first verdict's p_leak is weighed from, in the order of features.h; empty where there
  // is too little. For those who train the weights.
  std::vector<float> features() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The same words from a whole recording.
Verdicts judge(const record::Recording& recording, const Rules& rules);

}  // namespace tidegauge::verdict
