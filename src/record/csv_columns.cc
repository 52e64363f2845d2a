// SPDX-License-Identifier: Apache-2.0
#include "record/csv_columns.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace tidegauge::record {

namespace {

using Meaning = Column::Meaning;

struct Unit {
  std::string_view word;
  double size;
};

// Memory tools count in binary units whatever they call them: a "MB" of ps, top, psutil's users and
// nvidia-smi is 1,048,576 bytes.
constexpr Unit kByteUnits[] = {
    {"bytes", 1},
    {"byte", 1},
    {"b", 1},
    {"kb", 1024.0},
    {"kib", 1024.0},
    {"kbytes", 1024.0},
    {"mb", 1048576.0},
    {"mib", 1048576.0},
    {"gb", 1073741824},
    {"gib", 1073741824},
    {"tb", 1099511627776.0},
    {"tib", 1099511627776.0},
};

constexpr Unit kTimeUnits[] = {
    {"s", 1},        {"sec", 1},   {"secs", 1},     {"second", 1}, {"seconds", 1},
    {"ms", 1e-3},    {"us", 1e-6}, {"ns", 1e-9},    {"m", 60},     {"min", 60},
    {"minutes", 60}, {"h", 3600},  {"hours", 3600}, {"unix", 1},   {"utc", 1},
};

struct KnownName {
  std::string_view word;
  Meaning meaning;
};

constexpr KnownName kNames[] = {
    {"time", Meaning::Time},
    {"t", Meaning::Time},
    {"ts", Meaning::Time},
    {"timestamp", Meaning::Time},
    {"datetime", Meaning::Time},
    {"date", Meaning::Time},
    {"elapsed", Meaning::Time},
    {"elapsedtime", Meaning::Time},
    {"walltime", Meaning::Time},
    {"relativetime", Meaning::Time},
    {"relativetime(process)", Meaning::Time},
    {"relativetime(wall)", Meaning::Time},
    {"runtime", Meaning::Time},
    {"uptime", Meaning::Time},
    {"step", Meaning::Step},
    {"steps", Meaning::Step},
    {"globalstep", Meaning::Step},
    {"iteration", Meaning::Step},
    {"iter", Meaning::Step},
    {"epoch", Meaning::Epoch},
    {"pid", Meaning::Pid},
    {"processid", Meaning::Pid},
    {"start", Meaning::Start},
    {"startticks", Meaning::Start},
    {"starttime", Meaning::Start},
    {"createtime", Meaning::Start},
    {"ppid", Meaning::Parent},
    {"parent", Meaning::Parent},
    {"name", Meaning::Name},
    {"comm", Meaning::Name},
    {"process", Meaning::Name},
    {"processname", Meaning::Name},
    {"command", Meaning::Command},
    {"cmd", Meaning::Command},
    {"cmdline", Meaning::Command},
    {"args", Meaning::Command},
    {"role", Meaning::Role},
    {"event", Meaning::Event},
    {"mark", Meaning::Event},
    {"marker", Meaning::Event},
    {"phase", Meaning::Event},
    {"value", Meaning::Value},
    {"limit", Meaning::Limit},
    {"memorylimit", Meaning::Limit},
    {"memlimit", Meaning::Limit},
    {"cgrouplimit", Meaning::Limit},
    {"memtotal", Meaning::MachineTotal},
    {"memavailable", Meaning::MachineAvailable},
};

struct KnownKind {
  std::string_view word;
  std::string_view name;
  Bytes Memory::*kind;
};

constexpr KnownKind kKinds[] = {
    {"rss", "rss", &Memory::rss},
    {"vmrss", "rss", &Memory::rss},
    {"res", "rss", &Memory::rss},
    {"resident", "rss", &Memory::rss},
    {"real", "rss", &Memory::rss},
    {"rssmemory", "rss", &Memory::rss},
    {"anon", "anon", &Memory::anon},
    {"anonymous", "anon", &Memory::anon},
    {"rssanon", "anon", &Memory::anon},
    {"file", "file", &Memory::file},
    {"rssfile", "file", &Memory::file},
    {"shmem", "shmem", &Memory::shmem},
    {"rssshmem", "shmem", &Memory::shmem},
    {"swap", "swap", &Memory::swap},
    {"vmswap", "swap", &Memory::swap},
    {"hugetlb", "hugetlb", &Memory::hugetlb},
    {"pagetables", "page_tables", &Memory::page_tables},
    {"vmpte", "page_tables", &Memory::page_tables},
    {"locked", "locked", &Memory::locked},
    {"vmlck", "locked", &Memory::locked},
    {"peakrss", "peak_rss", &Memory::peak_rss},
    {"maxrss", "peak_rss", &Memory::peak_rss},
    {"vmhwm", "peak_rss", &Memory::peak_rss},
    {"uss", "uss", &Memory::uss},
    {"private", "uss", &Memory::uss},
    {"pss", "pss", &Memory::pss},
    {"pssanon", "pss_anon", &Memory::pss_anon},
    {"pssfile", "pss_file", &Memory::pss_file},
    {"pssshmem", "pss_shmem", &Memory::pss_shmem},
    {"gpu", "gpu", &Memory::gpu},
    {"gpumemory", "gpu", &Memory::gpu},
    {"gpuused", "gpu", &Memory::gpu},
    {"vram", "gpu", &Memory::gpu},
};

// "Global Step", "globalStep" and "global_step" are "globalstep".
std::string plain(std::string_view title) {
  std::string out = lower(trimmed(title));
  std::erase_if(out,
                [](char c) { return std::string_view(" _-./").find(c) != std::string_view::npos; });
  return out;
}

struct Titled {
  std::string_view name;  // without the unit
  std::string unit;       // in lower case; empty if there is none
};

// The unit in brackets at the end: "RSS (MiB)", "time [s]".
std::optional<Titled> split_brackets(std::string_view title) {
  if (title.empty() || (title.back() != ')' && title.back() != ']')) return {};
  const auto open = title.rfind(title.back() == ')' ? '(' : '[');
  if (open == title.npos || open == 0) return {};
  return Titled{trimmed(title.substr(0, open)),
                lower(trimmed(title.substr(open + 1, title.size() - open - 2)))};
}

template <std::size_t N>
std::optional<double> size_of(const Unit (&units)[N], std::string_view word) {
  for (const auto& unit : units) {
    if (unit.word == word) return unit.size;
  }
  return {};
}

// The unit as the last word: "rss_mb", "rss MB", "rssMB".
Titled split_last_word(std::string_view title) {
  const auto cut = title.find_last_of("_ .-");
  const bool has_words = cut != title.npos && cut > 0;
  Titled by_word{title, ""};
  if (has_words) by_word = {trimmed(title.substr(0, cut)), lower(title.substr(cut + 1))};
  if (has_words && (size_of(kByteUnits, by_word.unit) || size_of(kTimeUnits, by_word.unit))) {
    return by_word;
  }
  for (const std::string_view unit : {"KiB", "MiB", "GiB", "KB", "kB", "MB", "GB", "Bytes"}) {
    if (title.size() > unit.size() && title.substr(title.size() - unit.size()) == unit) {
      return {title.substr(0, title.size() - unit.size()), lower(unit)};
    }
  }
  return by_word;
}

Meaning meaning_of(std::string_view word) {
  for (const auto& known : kNames) {
    if (known.word == word) return known.meaning;
  }
  return Meaning::Series;
}

bool is_share(std::string_view word) {
  for (const std::string_view end : {"%", "percent", "pct", "(%)"}) {
    if (word.size() >= end.size() && word.substr(word.size() - end.size()) == end) return true;
  }
  return false;
}

// "seconds" and "minutes" alone are times; "mb" alone is nothing.
std::optional<double> whole_name_is_time(std::string_view word) {
  if (word == "s" || word == "sec" || word == "secs" || word == "seconds") return 1;
  if (word == "ms" || word == "milliseconds") return 1e-3;
  if (word == "minutes") return 60;
  if (word == "hours") return 3600;
  return {};
}

}  // namespace

Column understand_column(std::string_view title) {
  Column column{.title = printable(trimmed(title))};
  const auto whole = plain(title);
  if (whole.empty() || is_share(whole)) return column;
  if (const auto seconds = whole_name_is_time(whole)) {
    column.meaning = Meaning::Time;
    column.unit = seconds;
    return column;
  }
  const auto bracketed = split_brackets(trimmed(title));
  const auto split = bracketed ? *bracketed : split_last_word(trimmed(title));
  const auto stem = plain(split.name);
  column.meaning = meaning_of(whole);
  column.name = whole;
  if (column.meaning == Meaning::Series && meaning_of(stem) == Meaning::Time) {
    if (const auto seconds = size_of(kTimeUnits, split.unit)) {
      column.meaning = Meaning::Time;
      column.unit = seconds;
      return column;
    }
  }
  if (const auto bytes = size_of(kByteUnits, split.unit); bytes && !stem.empty()) {
    const auto meaning = meaning_of(stem);
    const bool of_machine = meaning == Meaning::Limit || meaning == Meaning::MachineTotal ||
                            meaning == Meaning::MachineAvailable;
    column.meaning = of_machine ? meaning : Meaning::Series;
    column.unit = bytes;
    column.name = stem;
  }
  for (const auto& known : kKinds) {
    if (column.meaning != Meaning::Series || known.word != column.name) continue;
    column.kind = known.kind;
    column.name = known.name;
    return column;
  }
  if (column.meaning == Meaning::Series) {
    column.name = printable(column.unit ? split.name : trimmed(title));
  }
  return column;
}

std::optional<std::size_t> find_column(const std::vector<Column>& columns, Meaning meaning) {
  const auto at = std::find_if(columns.begin(), columns.end(),
                               [&](const Column& column) { return column.meaning == meaning; });
  if (at == columns.end()) return {};
  return static_cast<std::size_t>(at - columns.begin());
}

std::string titles_of(const std::vector<Column>& columns) {
  constexpr std::size_t kMostShown = 8;
  constexpr std::size_t kLongestShown = 40;
  std::string out;
  for (std::size_t i = 0; i < std::min(columns.size(), kMostShown); ++i) {
    if (i > 0) out += ", ";
    out += printable(columns[i].title.substr(0, kLongestShown));
  }
  if (columns.size() > kMostShown) out += ", …";
  return out;
}

}  // namespace tidegauge::record
