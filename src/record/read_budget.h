// SPDX-License-Identifier: Apache-2.0
// How much work a recording may make, by the size of its file. A few bytes of zstd can stand for
// gigabytes of text, and a line of twenty bytes for a sample of many thousand processes: a small
// file must not keep whoever reads it busy for minutes. The work is counted, not timed, so that the
// same file reads the same on every machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tidegauge::record {

class ReadBudget {
 public:
  static ReadBudget unlimited() { return ReadBudget(kUnlimited); }
  static ReadBudget for_file(std::uint64_t bytes) {
    const auto small = std::min(bytes, kSmallFile);
    return ReadBudget(kForAny + kForSmall * small + kForLarge * (bytes - small));
  }

  void spend_text(std::uint64_t bytes) { spend(kNsPerTextByte * bytes / 4); }
  void spend_entry(std::size_t parts) { spend(kNsPerEntry + kNsPerPart * parts); }
  bool used_up() const { return left_ == 0; }
  bool is_limited() const { return left_ != kUnlimited; }  // before anything is spent

 private:
  explicit ReadBudget(std::uint64_t ns) : left_(ns) {}
  void spend(std::uint64_t ns) { left_ -= std::min(left_, ns); }

  static constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};
  // In nanoseconds of a slow core, as measured with bench/readers/measure.py. What tidegauge wrote
  // itself takes 30 to 900 ns for each byte of its file.
  static constexpr std::uint64_t kForAny = 600'000'000;
  static constexpr std::uint64_t kSmallFile = 1 << 20;
  static constexpr std::uint64_t kForSmall = 400;      // a byte, of the first MiB
  static constexpr std::uint64_t kForLarge = 4'000;    // a byte beyond
  static constexpr std::uint64_t kNsPerTextByte = 14;  // of four bytes of text
  static constexpr std::uint64_t kNsPerEntry = 300;
  static constexpr std::uint64_t kNsPerPart = 400;  // LineReader::parts()

  std::uint64_t left_;
};

}  // namespace tidegauge::record
