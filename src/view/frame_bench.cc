// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include "view/fake_live.h"
#include "view/frame.h"

namespace tidegauge::view {
namespace {

void draw_frame(benchmark::State& run) {
  const FakeLive live(400);
  const Size size{static_cast<int>(run.range(0)), static_cast<int>(run.range(1))};
  for (auto _ : run) benchmark::DoNotOptimize(frame(live.state(), {}, size));
}
BENCHMARK(draw_frame)->Args({80, 24})->Args({200, 50})->Unit(benchmark::kMicrosecond);

void add_sample(benchmark::State& run) {
  FakeLive live(60);
  const FakeIncident incident;
  int second = 61;
  const auto sample = incident.sample(second, 20);
  for (auto _ : run) {
    auto next = sample;
    next.at_ns = ++second * FakeIncident::kSecond;
    live.add(next);
  }
}
BENCHMARK(add_sample)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tidegauge::view
