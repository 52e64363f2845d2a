// SPDX-License-Identifier: Apache-2.0
// Bytes as a file: plain lines, zstd frames, or noise.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "base/fd.h"
#include "record/line_writer.h"
#include "record/read_entries.h"

namespace {

using namespace tidegauge;
using namespace tidegauge::record;

struct Reading {
  bool good = false;
  Recording recording{};
};

Reading reading_of(const void* data, std::size_t size, ReadBudget budget) {
  const UniqueFd fd(::memfd_create("fuzz", MFD_CLOEXEC));
  if (::write(fd.get(), data, size) != static_cast<ssize_t>(size)) return {};
  auto frames = FrameReader::over(fd.get(), 0, size);
  Reading out;
  const auto end = read_entries(
      frames, budget, [&](const Header& header) { out.recording.header = header; },
      [&](const Entry& entry) { out.recording.entries.push_back(entry); });
  out.good = static_cast<bool>(end);
  if (!end && end.error().what.empty()) std::abort();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto first = reading_of(data, size, ReadBudget::for_file(size));
  if (!first.good) return 0;
  // What was understood can be written, and is then understood the same way. Numbers that are none
  // differ from themselves, so it is their number that is compared.
  LineWriter writer(first.recording.header);
  writer.begin_frame(0);
  for (const auto& entry : first.recording.entries) writer.add(entry);
  const auto second =
      reading_of(writer.text().data(), writer.text().size(), ReadBudget::unlimited());
  if (!second.good) std::abort();
  if (second.recording.entries.size() != first.recording.entries.size()) std::abort();
  return 0;
}
