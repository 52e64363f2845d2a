// SPDX-License-Identifier: Apache-2.0
// What a mark costs the job. Goal: a few hundred nanoseconds at most, also with cold caches.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "record/ring_for_tests.h"

namespace tidegauge::record {
namespace {

void mark_step(benchmark::State& state) {
  auto reader = RingReader::create();
  if (!reader) return state.SkipWithError(reader.error().what.c_str());
  const auto ring = writer_of(*reader);
  if (!ring) return state.SkipWithError("no ring");
  for (auto _ : state) write_step(ring.get(), 1);
  reader->read_rest(clock_now(), same_pid);
  if (reader->taken() + reader->lost() != static_cast<std::uint64_t>(state.iterations())) {
    state.SkipWithError("marks are missing");
  }
}
BENCHMARK(mark_step);

void mark_note(benchmark::State& state) {
  auto reader = RingReader::create();
  if (!reader) return state.SkipWithError(reader.error().what.c_str());
  const auto ring = writer_of(*reader);
  if (!ring) return state.SkipWithError("no ring");
  const std::string text(static_cast<std::size_t>(state.range(0)), 'x');
  for (auto _ : state) write_text(ring.get(), TIDEGAUGE_NOTE, text);
}
BENCHMARK(mark_note)->Arg(4)->Arg(24)->Arg(240);

// A real step walks over more memory than the caches hold, so the ring and its code come from
// memory again each time.
void mark_step_cold(benchmark::State& state) {
  auto reader = RingReader::create();
  if (!reader) return state.SkipWithError(reader.error().what.c_str());
  const auto ring = writer_of(*reader);
  if (!ring) return state.SkipWithError("no ring");
  std::vector<char> work(64 << 20);
  for (auto _ : state) {
    for (std::size_t i = 0; i < work.size(); i += 64) ++work[i];
    const auto before = tidegauge_ring_now_ns();
    write_step(ring.get(), 1);
    state.SetIterationTime(static_cast<double>(tidegauge_ring_now_ns() - before) * 1e-9);
  }
}
BENCHMARK(mark_step_cold)->UseManualTime()->Iterations(200);

// What the gauge pays: a full ring, once a second at the very most.
void read_full_ring(benchmark::State& state) {
  auto reader = RingReader::create();
  if (!reader) return state.SkipWithError(reader.error().what.c_str());
  const auto ring = writer_of(*reader);
  if (!ring) return state.SkipWithError("no ring");
  for (auto _ : state) {
    state.PauseTiming();
    for (int i = 0; i < TIDEGAUGE_RING_SLOTS; ++i) write_step(ring.get(), 1);
    state.ResumeTiming();
    benchmark::DoNotOptimize(reader->read({.now_ns = INT64_MAX / 2}, [](pid_t pid) {
      return ProcessId{pid, 0};
    }));
  }
}
BENCHMARK(read_full_ring)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tidegauge::record
