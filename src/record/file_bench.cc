// SPDX-License-Identifier: Apache-2.0
// What a recording costs: to write, to keep, to read. The job is busier than any (fake_day.h), and
// has as many processes as the argument says.
#include <benchmark/benchmark.h>
#include <time.h>

#include <cstdlib>
#include <filesystem>

#include "record/fake_day.h"
#include "record/file.h"
#include "record/ledger.h"
#include "record/temp_folder.h"

namespace tidegauge::record {
namespace {

constexpr std::size_t kSamplesPerDay = 86400;

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);  // the thread that writes included
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// A stretch of samples made beforehand, so that making them is not measured.
std::vector<Sample> samples_of(std::size_t processes, std::size_t count) {
  FakeDay day(processes);
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < count; ++i) samples.push_back(day.next());
  return samples;
}

void append_sample(benchmark::State& state) {
  const TempFolder folder;
  const auto samples = samples_of(static_cast<std::size_t>(state.range(0)), 600);
  auto writer = Writer::create(folder / "x.tg", {}, {});
  if (!writer) std::abort();
  std::int64_t seconds = 0;
  const double before = cpu_seconds();
  for (auto _ : state) {
    auto sample = samples[static_cast<std::size_t>(seconds) % samples.size()];
    sample.at_ns = ++seconds * 1'000'000'000;
    if (!writer->append(sample)) std::abort();
  }
  if (!writer->close()) std::abort();
  const auto count = static_cast<double>(state.iterations());
  state.counters["cpu_us_per_sample"] = (cpu_seconds() - before) / count * 1e6;
  state.counters["MB_per_day"] = static_cast<double>(writer->bytes_written()) / count *
                                 static_cast<double>(kSamplesPerDay) / 1e6;
}
BENCHMARK(append_sample)->Arg(1)->Arg(25)->Arg(1000);

void read_a_day(benchmark::State& state) {
  const TempFolder folder;
  {
    auto writer = Writer::create(folder / "day.tg", {}, {});
    FakeDay day(static_cast<std::size_t>(state.range(0)));
    for (const auto& entry : day.begin()) static_cast<void>(writer->append(entry));
    for (std::size_t i = 0; i < kSamplesPerDay; ++i) static_cast<void>(writer->append(day.next()));
  }
  for (auto _ : state) {
    std::size_t count = 0;
    const auto end = read(
        folder / "day.tg", [](const Header&) {}, [&](const Entry&) { ++count; });
    if (!end || count < kSamplesPerDay) std::abort();
  }
}
BENCHMARK(read_a_day)->Arg(25)->Unit(benchmark::kMillisecond);

void keep_ledger(benchmark::State& state) {
  const auto processes = static_cast<std::size_t>(state.range(0));
  const auto samples = samples_of(processes, 120);
  LedgerKeeper keeper;
  for (const auto& entry : FakeDay(processes).begin()) keeper.add(std::get<Process>(entry));
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(keeper.add(samples[next++ % samples.size()]));
  }
}
BENCHMARK(keep_ledger)->Arg(1)->Arg(25)->Arg(1000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tidegauge::record
