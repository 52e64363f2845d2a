// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/write_all.h"
#include "record/csv_rows.h"
#include "record/foreign.h"

namespace tidegauge::record {
namespace {

struct Row {
  std::size_t line = 0;
  std::vector<std::string> cells{};
  bool operator==(const Row&) const = default;
};
struct Read {
  std::vector<Row> rows{};
  std::string error{};
  bool operator==(const Read&) const = default;
};

Read all_of(Result<CsvRows> rows) {
  Read out;
  if (!rows) return {{}, rows.error().what};
  while (true) {
    const auto row = rows->next();
    if (!row) out.error = row.error().what;
    if (!row || *row == nullptr) return out;
    out.rows.push_back({(*row)->line, {(*row)->cells.begin(), (*row)->cells.end()}});
  }
}

Read in_pieces(const std::string& text, std::size_t begin, std::size_t piece) {
  auto rest = text.substr(begin);
  return all_of(CsvRows::open(text.substr(0, begin), [=](std::string& into) mutable {
    const auto some = rest.substr(0, piece);
    into += some;
    rest.erase(0, some.size());
    return Result<bool>(!some.empty());
  }));
}

// Texts of what CSV is made of: a piece may end anywhere, in a quote, a comment or a line's end.
TEST(CsvPiecesLaws, ATextReadInPiecesHasTheRowsThatItHasAtOnce) {
  EXPECT_TRUE(rc::check([] {
    static const std::string kParts[] = {"1",    ",",        "\n", "\"a,b\"", "\"x\ny\"",
                                         " ",    "# note\n", "\"", "\r\n",    "\"\"",
                                         "time", "2.5",      ";",  "\t"};
    const auto choice = *rc::gen::container<std::vector<unsigned>>(rc::gen::inRange(0u, 14u));
    // Its first line says how lines end and what separates them, so it comes whole.
    const std::string head = "time,rss_mb\n";
    std::string text = head;
    for (const auto i : choice) text += kParts[i];
    const auto whole = all_of(CsvRows::open(text));
    const auto begin = *rc::gen::inRange(head.size(), text.size() + 1);
    const auto piece = *rc::gen::inRange<std::size_t>(1, 9);
    RC_ASSERT(in_pieces(text, begin, piece) == whole);
  }));
}

TEST(CsvPieces, AZeroByteInALaterPieceIsRefused) {
  const auto read = in_pieces(std::string("time,rss_mb\n1,2\n3,4\0\n", 22), 12, 4);
  EXPECT_NE(read.error.find("zero bytes"), std::string::npos);
}

TEST(CsvPieces, ARowWithoutEndIsNotHeldForEver) {
  std::size_t asked = 0;
  const auto read = all_of(CsvRows::open("time,rss_mb\n1,\"", [&](std::string& into) {
    into += std::string(1 << 20, 'a');
    return Result<bool>(++asked < 1000);
  }));
  EXPECT_NE(read.error.find("never closed"), std::string::npos);
  EXPECT_LT(asked, 20u);
}

TEST(ReadSeries, OfALongFileIsWhatParsingItAtOnceIs) {
  std::string text = "time,pid,name,rss_mb\n";
  for (int i = 0; i < 60'000; ++i) {
    text += std::to_string(i / 3) + "," + std::to_string(i % 3) + ",\"a, b\"," + std::to_string(i) +
            "\n";
  }
  ASSERT_GT(text.size(), 1u << 20);
  const UniqueFd file(::memfd_create("series", 0));
  ASSERT_TRUE(write_all(file.get(), text, "series"));
  ASSERT_EQ(::lseek(file.get(), 0, SEEK_SET), 0);
  Recording recording;
  const auto notes = read_series(
      file.get(), {}, [&](const Header& header) { recording.header = header; },
      [&](const Entry& entry) { recording.entries.push_back(entry); });
  ASSERT_TRUE(notes) << notes.error().what;
  const auto whole = parse_series(text, {});
  ASSERT_TRUE(whole);
  EXPECT_TRUE(recording == whole->recording);
  EXPECT_EQ(notes->rows, 60'000u);
}

}  // namespace
}  // namespace tidegauge::record
