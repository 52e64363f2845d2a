// SPDX-License-Identifier: Apache-2.0
// Tests only: the incident as a recording. A wrapper, a training job that keeps each image from the
// first time it is read, 20 compile workers, one evaluation.
#pragma once

#include <algorithm>
#include <vector>

#include "record/recording.h"

namespace tidegauge::view {

struct FakeIncident {
  static constexpr std::uint64_t kMegabyte = 1 << 20;
  static constexpr std::int64_t kSecond = 1'000'000'000;
  static constexpr double kSecondsPerStep = 2.7;
  static constexpr double kFirstStepAt = 12;
  static constexpr int kLastGrowingStep = 83;
  static constexpr int kEvalStep = 100;
  static constexpr int kEvalSeconds = 32;

  record::ProcessId wrapper{490, 100};
  record::ProcessId trainer{494, 200};

  record::ProcessId worker(int i) const { return {600 + i, 900}; }

  // Steps that have ended at `second`; none are made during the evaluation.
  int step_at(double second) const {
    const double eval_at = kFirstStepAt + kSecondsPerStep * kEvalStep;
    if (second > eval_at) second = std::max(eval_at, second - kEvalSeconds);
    return std::max(0, static_cast<int>((second - kFirstStepAt) / kSecondsPerStep));
  }
  double eval_begin() const { return kFirstStepAt + kSecondsPerStep * kEvalStep; }

  std::uint64_t trainer_bytes(double second) const {
    auto megabytes = 1200.0 + 215.0 * std::min(step_at(second), kLastGrowingStep);
    const double into = second - eval_begin();
    if (into > 0 && into <= kEvalSeconds) megabytes += 4096.0 * into / kEvalSeconds;
    return static_cast<std::uint64_t>(megabytes) * kMegabyte;
  }

  record::Header header() const {
    record::Header header;
    header.tool = "tidegauge 0.1.0";
    header.host = "node7";
    header.command = "uv run train.py";
    return header;
  }

  record::Sample sample(int second, int workers) const {
    record::Sample out;
    out.at_ns = second * kSecond;
    const auto process = [](const record::ProcessId& id, std::uint64_t anon, std::uint64_t file) {
      record::ProcessSample seen;
      seen.id = id;
      seen.memory.rss = anon + file;
      seen.memory.anon = anon;
      seen.memory.file = file;
      seen.memory.shmem = 0;
      seen.memory.swap = 0;
      seen.memory.page_tables = anon / 512;
      seen.memory.peak_rss = anon + file;
      seen.memory.pss = anon + file;
      seen.activity.state = 'S';
      return seen;
    };
    out.processes.push_back(process(wrapper, 20 * kMegabyte, 10 * kMegabyte));
    out.processes.push_back(process(trainer, trainer_bytes(second), 400 * kMegabyte));
    for (int i = 0; i < workers; ++i) {
      out.processes.push_back(process(worker(i), 390 * kMegabyte, 10 * kMegabyte));
    }
    record::Machine machine;
    machine.total = 32ull << 30;
    machine.available = (32ull << 30) - trainer_bytes(second) - 8000 * kMegabyte;
    out.machine = machine;
    return out;
  }

  // Everything up to `seconds`, one sample a second.
  std::vector<record::Entry> entries(int seconds, int workers = 20) const {
    std::vector<record::Entry> out;
    out.emplace_back(record::Process{
        .id = wrapper, .name = "uv", .command = "uv run train.py", .role = record::Role::Wrapper});
    out.emplace_back(record::Process{.id = trainer,
                                     .parent = wrapper,
                                     .name = "train.py",
                                     .command = "python train.py",
                                     .role = record::Role::Main});
    for (int i = 0; i < workers; ++i) {
      out.emplace_back(record::Process{.id = worker(i),
                                       .parent = trainer,
                                       .name = "python",
                                       .command = "python -m torch._inductor.compile_worker",
                                       .role = record::Role::CompileWorker});
    }
    const auto event = [&out](double at, record::EventKind kind, std::string name,
                              std::optional<double> value) {
      record::Event mark;
      mark.at_ns = static_cast<std::int64_t>(at * 1e9);
      mark.kind = kind;
      mark.source = record::MarkSource::Framework;
      mark.name = std::move(name);
      mark.value = value;
      out.emplace_back(std::move(mark));
    };
    int step = 0;
    for (int second = 0; second <= seconds; ++second) {
      for (; step < step_at(second); ++step) {
        event(second, record::EventKind::Step, "", step + 1);
        if ((step + 1) % kLastGrowingStep == 0) {
          event(second, record::EventKind::Epoch, "", (step + 1) / kLastGrowingStep);
        }
      }
      if (second == static_cast<int>(eval_begin()))
        event(second, record::EventKind::PhaseBegin, "eval", {});
      if (second == static_cast<int>(eval_begin()) + kEvalSeconds + 1)
        event(second, record::EventKind::PhaseEnd, "eval", {});
      out.emplace_back(sample(second, workers));
    }
    return out;
  }
};

}  // namespace tidegauge::view
