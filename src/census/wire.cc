// SPDX-License-Identifier: Apache-2.0
#include "census/wire.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "base/text.h"
#include "census/spared.h"

namespace tidegauge::census::wire {

namespace {

constexpr std::size_t kMostEntries = 1 << 18;  // of a list: there are no more types
constexpr std::size_t kMostSides = 64;         // of a tensor
constexpr std::size_t kMostText = 64 << 10;
constexpr std::size_t kMostInterpreters = 1000;
constexpr Address kEndOfAddresses = Address(1) << 56;
constexpr Address kPage = 4096;
constexpr const char* kCut = "there is too much of it to tell all";

class Writer {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view text) {
    text = text.substr(0, kMostText);
    number(static_cast<std::uint32_t>(text.size()));
    bytes_.append(text);
  }
  template <class T, class Call>
  void list(const std::vector<T>& list, std::size_t most, Call&& call) {
    const auto count = std::min(list.size(), most);
    number(static_cast<std::uint32_t>(count));
    for (std::size_t i = 0; i < count; ++i) call(list[i]);
  }
  std::string take() && { return std::move(bytes_); }

 private:
  std::string bytes_{};
};

// After the first thing that is not as it ought to be there is nothing more, and no good end.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T number() {
    static_assert(std::is_arithmetic_v<T>);
    T value{};
    if (bytes_.size() < sizeof value) {
      refuse();
    } else {
      std::memcpy(&value, bytes_.data(), sizeof value);
      bytes_.remove_prefix(sizeof value);
    }
    return value;
  }
  bool truth() {
    const auto value = number<std::uint8_t>();
    if (value > 1) refuse();
    return value == 1;
  }
  // A count of something: no infinity, nothing below zero.
  double amount() {
    const auto value = number<double>();
    if (!std::isfinite(value) || value < 0) refuse();
    return good_ ? value : 0;
  }
  std::string text() {
    const auto size = number<std::uint32_t>();
    if (size > kMostText || size > bytes_.size()) refuse();
    if (!good_) return {};
    const auto text = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    auto shown = printable(text);
    if (shown.size() > kMostText) refuse();
    return shown;
  }
  template <class T, class Call>
  void list(std::vector<T>& into, std::size_t most, Call&& one) {
    const auto count = number<std::uint32_t>();
    if (count > most) refuse();
    for (std::uint32_t i = 0; good_ && i < count; ++i) into.push_back(one());
  }
  void refuse() {
    good_ = false;
    bytes_ = {};
  }
  bool is_good_end() const { return good_ && bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool good_ = true;
};

template <class T>
std::optional<T> at_the_end_of(const Reader& reader, T value) {
  return reader.is_good_end() ? std::optional<T>(std::move(value)) : std::nullopt;
}

void put_optional(Writer& out, const std::optional<std::uint64_t>& value) {
  out.number(static_cast<std::uint8_t>(value ? 1 : 0));
  if (value) out.number(*value);
}

std::optional<std::uint64_t> take_optional(Reader& in) {
  if (!in.truth()) return {};
  return in.number<std::uint64_t>();
}

using Buffers = std::vector<record::Census::Buffers>;

void put_buffers(Writer& out, const Buffers& buffers) {
  out.list(buffers, kMostEntries, [&](const auto& one) {
    out.text(one.device);
    out.text(one.dtype);
    out.list(one.shape, kMostSides, [&](std::int64_t side) { out.number(side); });
    out.number(static_cast<std::uint8_t>(one.requires_grad ? 1 : 0));
    out.number(static_cast<std::uint8_t>(one.has_grad_fn ? 1 : 0));
    out.number(one.count);
    out.number(one.bytes);
  });
}

Buffers take_buffers(Reader& in) {
  Buffers all;
  in.list(all, kMostEntries, [&] {
    record::Census::Buffers one;
    one.device = in.text();
    one.dtype = in.text();
    in.list(one.shape, kMostSides, [&] { return in.number<std::int64_t>(); });
    one.requires_grad = in.truth();
    one.has_grad_fn = in.truth();
    one.count = in.number<std::uint64_t>();
    one.bytes = in.number<std::uint64_t>();
    return one;
  });
  return all;
}

void put_stretches(Writer& out, const std::vector<Stretch>& stretches, std::size_t most) {
  out.list(stretches, most, [&](const Stretch& one) {
    out.number(one.begin);
    out.number(one.end);
  });
}

std::vector<Stretch> take_stretches(Reader& in, std::size_t most) {
  std::vector<Stretch> all;
  in.list(all, most, [&] {
    const auto begin = in.number<Address>();
    const auto end = in.number<Address>();
    if (begin >= end || end > kEndOfAddresses) in.refuse();
    return Stretch{begin, end};
  });
  return all;
}

bool overlap(std::vector<Stretch> stretches) {
  stretches = in_order(std::move(stretches));
  for (std::size_t i = 1; i < stretches.size(); ++i) {
    if (stretches[i].begin < stretches[i - 1].end) return true;
  }
  return false;
}

bool is_in_order(const std::vector<Stretch>& stretches) {
  return std::is_sorted(stretches.begin(), stretches.end(),
                        [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
}

std::uint64_t bytes_of(const std::vector<Stretch>& stretches) {
  std::uint64_t bytes = 0;
  for (const auto& [begin, end] : stretches) bytes += end - begin;
  return bytes;
}

constexpr std::array kReasons = {Reason::Gone,        Reason::Denied, Reason::Malformed,
                                 Reason::Unsupported, Reason::Failed, Reason::NoRoom};
constexpr std::array<const char*, 4> kPhases = {"", "eval", "predict", "save"};

}  // namespace

std::string to_bytes(const record::Census& census) {
  Writer out;
  out.text(census.python);
  out.number(static_cast<std::uint8_t>(census.streaming ? 1 : 0));
  out.number(census.objects);
  out.number(census.bytes);
  out.number(census.garbage_count);
  out.number(census.garbage_bytes);
  const auto most = std::max({census.types.size(), census.tensors.size(), census.arrays.size(),
                              census.images.size(), census.retainers.size()});
  out.text(most > kMostEntries ? kCut : census.incomplete.value_or(""));
  out.list(census.types, kMostEntries, [&](const record::Census::Type& one) {
    out.text(one.name);
    out.number(one.count);
    out.number(one.bytes);
    out.number(one.native_bytes);
    put_optional(out, one.retained_bytes);
  });
  for (const auto* buffers : {&census.tensors, &census.arrays, &census.images}) {
    put_buffers(out, *buffers);
  }
  out.list(census.retainers, kMostEntries, [&](const record::Census::Holder& one) {
    out.text(one.path);
    out.text(one.root);
    out.text(one.type);
    out.number(one.count);
    out.number(one.retained_bytes);
  });
  return std::move(out).take();
}

std::optional<record::Census> census_in(std::string_view bytes) {
  Reader in(bytes);
  record::Census census;
  census.python = in.text();
  census.streaming = in.truth();
  census.objects = in.number<std::uint64_t>();
  census.bytes = in.number<std::uint64_t>();
  census.garbage_count = in.number<std::uint64_t>();
  census.garbage_bytes = in.number<std::uint64_t>();
  if (auto incomplete = in.text(); !incomplete.empty()) census.incomplete = std::move(incomplete);
  in.list(census.types, kMostEntries, [&] {
    record::Census::Type one;
    one.name = in.text();
    one.count = in.number<std::uint64_t>();
    one.bytes = in.number<std::uint64_t>();
    one.native_bytes = in.number<std::uint64_t>();
    one.retained_bytes = take_optional(in);
    return one;
  });
  for (auto* buffers : {&census.tensors, &census.arrays, &census.images}) {
    *buffers = take_buffers(in);
  }
  in.list(census.retainers, kMostEntries, [&] {
    record::Census::Holder one;
    one.path = in.text();
    one.root = in.text();
    one.type = in.text();
    one.count = in.number<std::uint64_t>();
    one.retained_bytes = in.number<std::uint64_t>();
    return one;
  });
  return at_the_end_of(in, std::move(census));
}

std::string to_bytes(const Snapshot::Wishes& wishes) {
  Writer out;
  out.list(wishes.collecting, kMostInterpreters, [&](Address word) { out.number(word); });
  // What is spared without all that is to be saved in it would be missing.
  const bool fits =
      wishes.saved.size() <= kMostSavedPieces && bytes_of(wishes.saved) <= kMostSavedBytes;
  put_stretches(out, fits ? wishes.spared : std::vector<Stretch>{}, kMostSpared);
  put_stretches(out, fits ? wishes.saved : std::vector<Stretch>{}, kMostSavedPieces);
  return std::move(out).take();
}

std::optional<Snapshot::Wishes> wishes_in(std::string_view bytes) {
  Reader in(bytes);
  Snapshot::Wishes wishes;
  in.list(wishes.collecting, kMostInterpreters, [&] { return in.number<Address>(); });
  wishes.spared = take_stretches(in, kMostSpared);
  wishes.saved = take_stretches(in, kMostSavedPieces);
  const auto on_pages = [](const Stretch& one) {
    return one.begin % kPage == 0 && one.end % kPage == 0;
  };
  if (!std::all_of(wishes.spared.begin(), wishes.spared.end(), on_pages) ||
      overlap(wishes.spared) || !is_in_order(wishes.saved) || overlap(wishes.saved) ||
      bytes_of(wishes.saved) > kMostSavedBytes) {
    return {};
  }
  return at_the_end_of(in, std::move(wishes));
}

std::string to_bytes(const Error& error) {
  Writer out;
  const auto at = std::find(kReasons.begin(), kReasons.end(), error.reason) - kReasons.begin();
  out.number(static_cast<std::uint8_t>(at));
  out.text(error.what);
  return std::move(out).take();
}

std::optional<Error> error_in(std::string_view bytes) {
  Reader in(bytes);
  const auto reason = in.number<std::uint8_t>();
  auto what = in.text();
  if (reason >= kReasons.size()) return {};
  return at_the_end_of(in, Error{kReasons.at(reason), std::move(what)});
}

std::string to_bytes(const Training& training) {
  Writer out;
  for (const auto value : {training.step, training.steps, training.passes}) out.number(value);
  const auto at = std::find(kPhases.begin(), kPhases.end(), training.phase) - kPhases.begin();
  out.number(static_cast<std::uint8_t>(at));
  return std::move(out).take();
}

std::optional<Training> training_in(std::string_view bytes) {
  Reader in(bytes);
  Training training;
  for (auto* value : {&training.step, &training.steps, &training.passes}) *value = in.amount();
  const auto phase = in.number<std::uint8_t>();
  if (phase >= kPhases.size()) return {};
  training.phase = kPhases.at(phase);
  return at_the_end_of(in, std::move(training));
}

std::string to_bytes(const RemoteSupport& remote) {
  Writer out;
  for (const auto value : {remote.breaker, remote.pending, remote.path, remote.path_bytes}) {
    out.number(value);
  }
  return std::move(out).take();
}

std::optional<RemoteSupport> remote_in(std::string_view bytes) {
  Reader in(bytes);
  RemoteSupport remote;
  for (auto* value : {&remote.breaker, &remote.pending, &remote.path, &remote.path_bytes}) {
    *value = in.number<std::uint64_t>();
    if (*value >= kEndOfAddresses) in.refuse();
  }
  if (remote.path_bytes < 2 || remote.path_bytes > kMostRemotePath) in.refuse();
  return at_the_end_of(in, remote);
}

}  // namespace tidegauge::census::wire
