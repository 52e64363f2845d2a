// SPDX-License-Identifier: Apache-2.0
// Any readable recording gives verdicts that are whole. The bytes are read as a program of entries,
// two to nine bytes each, so that the fuzzer can build processes, marks, gaps and nonsense.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "verdict/verdict.h"

namespace {

using namespace tidegauge;

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool empty() const { return at_ >= size_; }
  std::uint8_t byte() { return at_ < size_ ? data_[at_++] : 0; }
  std::uint16_t word() {
    const auto high = byte();
    return static_cast<std::uint16_t>(high << 8 | byte());
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

// Small, ordinary and absurd sizes.
double size_of(std::uint16_t word) {
  const double mantissa = word & 0xfff;
  return std::min(9e18, mantissa * std::pow(16.0, static_cast<double>(word >> 12)));
}

record::ProcessId process_of(std::uint8_t byte) {
  return {byte & 7, static_cast<std::uint64_t>(byte >> 6)};
}

record::Entry sample(Bytes& bytes, std::int64_t at_ns) {
  record::Sample out{.at_ns = at_ns};
  const int processes = bytes.byte() & 3;
  for (int i = 0; i < processes; ++i) {
    record::ProcessSample one{.id = process_of(bytes.byte())};
    const auto held = static_cast<std::uint64_t>(size_of(bytes.word()));
    const auto kinds = bytes.byte();
    if ((kinds & 1) != 0) one.memory.rss = held;
    if ((kinds & 2) != 0) one.memory.anon = held / 2;
    if ((kinds & 4) != 0) one.memory.shmem = held / 4;
    if ((kinds & 8) != 0) one.memory.gpu = held;
    if ((kinds & 16) != 0) one.memory.swap = held / 8;
    if ((kinds & 32) != 0) one.others.push_back({"x", -size_of(bytes.word())});
    out.processes.push_back(std::move(one));
  }
  if (processes == 0) out.others.push_back({"rss", size_of(bytes.word())});
  if (bytes.byte() == 1) {
    out.machine = record::Machine{.total = 1ull << 34, .available = bytes.word()};
    out.cgroups.push_back({.path = "job", .limit = 1ull << 30, .current = 1ull << 31});
  }
  return out;
}

record::Entry event(Bytes& bytes, std::int64_t at_ns) {
  constexpr const char* kNames[] = {"eval", "save", "compile", "restart", "", "own\x1b[2J"};
  record::Event out{.at_ns = at_ns};
  out.kind = static_cast<record::EventKind>(bytes.byte() % 12);
  out.process = process_of(bytes.byte());
  out.source = static_cast<record::MarkSource>(bytes.byte() % 7);
  out.name = kNames[bytes.byte() % 6];
  const auto number = bytes.word();
  if (number != 0xffff) out.value = size_of(number) - 100;
  if (number % 3 == 0) out.total = static_cast<double>(number);
  return out;
}

record::Recording recording_of(Bytes bytes) {
  record::Recording out;
  const auto head = bytes.byte();
  if ((head & 1) != 0) out.header.clock = record::Clock::Steps;
  std::int64_t at_ns = 0;
  while (!bytes.empty()) {
    const auto what = bytes.byte();
    // Time stands still, runs on, leaps, or runs backwards.
    const std::int64_t leap = (what & 0x30) == 0x30 ? 1'000'000'000'000 : 1'000'000'000;
    at_ns += leap * ((what >> 2) & 3) - (what == 0xff ? 5 * leap : 0);
    switch (what & 3) {
      case 0:
        out.entries.emplace_back(event(bytes, at_ns));
        break;
      case 1:
        out.entries.emplace_back(
            record::Process{.id = process_of(bytes.byte()),
                            .name = "a) Z 1 (b",
                            .role = static_cast<record::Role>(bytes.byte() % 5)});
        break;
      default:
        out.entries.emplace_back(sample(bytes, at_ns));
    }
  }
  return out;
}

void demand(bool holds) {
  if (!holds) std::abort();
}

void check(const verdict::Verdict& verdict) {
  demand(verdict.p_leak >= 0 && verdict.p_leak <= 1);
  demand(verdict.confidence >= 0 && verdict.confidence <= 1);
  demand(!verdict.evidence.empty());
  demand((verdict.klass == verdict::Class::Undecided) == verdict.needs.has_value());
  for (const auto& rate : {verdict.bytes_per_minute, verdict.bytes_per_step}) {
    if (rate) demand(std::isfinite(rate->value) && rate->low <= rate->high);
  }
  if (verdict.forecast) {
    demand(verdict.forecast->p5 <= verdict.forecast->p50 + 1e-6 * verdict.forecast->p50);
  }
  for (const auto& sentence : verdict.evidence) demand(sentence.find('\x1b') == sentence.npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 1 << 16) return 0;
  const auto recording = recording_of(Bytes(data, size));
  verdict::Rules rules;
  if (size % 2 == 0) rules.limit_bytes = 1e10;
  if (size % 3 == 0) rules.steps_per_epoch = 17;
  if (size % 5 == 0) rules.mode = verdict::Rules::Mode::Alarm;
  const auto verdicts = verdict::judge(recording, rules);
  demand(!verdicts.all.empty());
  for (const auto& verdict : verdicts.all) check(verdict);
  return 0;
}
