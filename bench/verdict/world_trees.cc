// SPDX-License-Identifier: Apache-2.0
// Trees of processes: a main one and its workers.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "bench/verdict/classes.h"
#include "bench/verdict/portable_math.h"
#include "bench/verdict/shapes.h"

namespace tidegauge::bench {
namespace {

using verdict::Class;
using verdict::Tie;

constexpr pid_t kMainPid = 1000;
constexpr double kNotAlive = -1;

// The main process is the sketch's floor; finish() adds the noise.
void begin_tree(Sketch& s) {
  s.members.push_back({"main", record::Role::Main, kMainPid, s.floor});
}

// A worker that lives within [begin, end); megabytes as a function of its age.
template <class Size>
Member& add_worker(Sketch& s, double begin, double end, Size size) {
  const auto number = s.members.size();
  Member worker{"worker_" + std::to_string(number),
                record::Role::LoaderWorker,
                kMainPid + static_cast<pid_t>(number),
                {}};
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double t = s.time(i);
    worker.bytes.push_back(t >= begin && t < end ? size(t - begin) : kNotAlive);
  }
  s.members.push_back(std::move(worker));
  return s.members.back();
}

// The floor of a tree is what its members hold.
void sum_up(Sketch& s) {
  for (std::size_t i = 0; i < s.size(); ++i) {
    s.floor[i] = 0;
    for (const auto& member : s.members) s.floor[i] += std::max(0.0, member.bytes[i]);
  }
  s.limit = std::max(s.limit, 1.5 * *std::max_element(s.floor.begin(), s.floor.end()));
}

void leak_one_worker(Sketch& s) {
  auto& random = s.random;
  s.start(0.5 * s.level);
  begin_tree(s);
  const int workers = random.integer(4, 16);
  const int leaking = random.integer(1, workers);
  const double speed = s.leak_speed_over(s.duration);
  for (int k = 1; k <= workers; ++k) {
    const double size = 0.5 * s.level / workers * random.uniform(0.9, 1.1);
    const double grows = k == leaking ? speed : 0;
    auto& worker = add_worker(s, 0, 1e18, [&](double age) { return size + grows * age; });
    if (k == leaking) s.truth.leaking_member = worker.name;
  }
  sum_up(s);
  s.is_leak(speed, 0, Tie::Time);
}

// Workers are started anew for each epoch and fill their buffers; four of them at a time.
void respawn_workers(Sketch& s) {
  auto& random = s.random;
  const double epoch = s.duration / random.uniform(5, 25);
  const double each = s.level * random.uniform(0.03, 0.12);
  const double filling = epoch * random.uniform(0.05, 0.3);
  for (double begin = 0; begin < s.duration; begin += epoch) {
    const double end = begin + epoch * random.uniform(0.9, 0.99);
    for (int k = 0; k < 4; ++k)
      add_worker(s, begin, end,
                 [&](double age) { return each * (0.3 + 0.7 * ramp(age, 0, filling)); });
  }
  sum_up(s);
}

void leak_churn(Sketch& s) {
  s.duration = s.random.log_uniform(3600, 14400);
  s.interval = std::max(s.interval, 2.0);
  s.start(0.6 * s.level);
  s.leak_line(s.leak_speed_over(s.duration), 0);
  begin_tree(s);
  respawn_workers(s);
  s.truth.leaking_member = "main";
}

void churn_flat(Sketch& s) {
  s.duration = s.random.log_uniform(3600, 14400);
  s.interval = std::max(s.interval, 2.0);
  s.start(0.6 * s.level);
  begin_tree(s);
  respawn_workers(s);
}

// Forked children share the parent's pages until they touch them: reference counts do, and each
// child's private part grows towards the whole.
void cow_drift(Sketch& s) {
  auto& random = s.random;
  s.duration = random.log_uniform(2400, 14400);
  s.start(0.4 * s.level);
  begin_tree(s);
  const int workers = random.integer(2, 12);
  const double constant = s.duration * random.log_uniform(0.02, 0.15);
  for (int k = 0; k < workers; ++k) {
    const double whole = 0.6 * s.level / workers * random.uniform(0.9, 1.1);
    const double own = constant * random.uniform(0.8, 1.25);
    add_worker(s, 0, 1e18,
               [&](double age) { return whole * (0.15 + 0.85 * (1 - portable_exp(-age / own))); });
  }
  sum_up(s);
  s.is_bounded(0, 3 * constant);
}

// Twenty compile workers come, stay as they are, and the main process does nothing.
void helpers_arrive(Sketch& s) {
  auto& random = s.random;
  s.start(0.5 * s.level);
  begin_tree(s);
  const int workers = random.integer(4, 20);
  const double begin = random.log_uniform(10, 0.3 * s.duration);
  for (int k = 0; k < workers; ++k) {
    const double size = 0.5 * s.level / workers;
    const double arrives = begin + random.uniform(0, 20);
    add_worker(s, arrives, 1e18, [&](double) { return size; }).role = record::Role::CompileWorker;
  }
  sum_up(s);
  s.is_bounded(begin, begin + 20);
}

constexpr SeriesClass kClasses[] = {
    {"leak_one_worker", Label::Leak, any_of(Class::Leak), leak_one_worker},
    {"leak_churn", Label::Leak, any_of(Class::Leak), leak_churn},
    {"churn_flat", Label::Bounded,
     any_of(Class::Steady, Class::Spikes, Class::Sawtooth, Class::WarmUp, Class::Shift),
     churn_flat},
    {"cow_drift", Label::Bounded, any_of(Class::WarmUp), cow_drift},
    {"helpers_arrive", Label::Bounded, any_of(Class::WarmUp, Class::Shift, Class::Steady),
     helpers_arrive},
};

}  // namespace

std::span<const SeriesClass> world_trees() {
  return kClasses;
}

}  // namespace tidegauge::bench
