// SPDX-License-Identifier: Apache-2.0
#include "record/census_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <simdjson.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/fd.h"
#include "base/text.h"

namespace tidegauge::record {

namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kMostBytes = 64 << 20;
constexpr std::string_view kSchema = "tidegauge/census/1";

std::uint64_t number_in(const dom::element& object, const char* name) {
  std::uint64_t number = 0;
  return object[name].get(number) == simdjson::SUCCESS ? number : 0;
}

double real_in(const dom::element& object, const char* name) {
  double number = 0;
  return object[name].get(number) == simdjson::SUCCESS ? number : 0;
}

// Empty where it is null.
std::optional<std::uint64_t> known_number_in(const dom::element& object, const char* name) {
  std::uint64_t number = 0;
  return object[name].get(number) == simdjson::SUCCESS ? std::optional(number) : std::nullopt;
}

std::string text_in(const dom::element& object, const char* name) {
  std::string_view text;
  return object[name].get(text) == simdjson::SUCCESS ? printable(text) : "";
}

bool is_true_in(const dom::element& object, const char* name) {
  bool truth = false;
  return object[name].get(truth) == simdjson::SUCCESS && truth;
}

template <class Call>
void for_each_in(const dom::element& document, const char* name, Call&& call) {
  dom::array list;
  if (document[name].get(list) != simdjson::SUCCESS) return;
  for (const auto one : list) call(one);
}

std::vector<Census::Buffers> buffers_in(const dom::element& document, const char* name,
                                        const char* extent) {
  std::vector<Census::Buffers> all;
  for_each_in(document, name, [&](const dom::element& one) {
    Census::Buffers buffers{.device = text_in(one, "device"),
                            .dtype = text_in(one, "dtype"),
                            .requires_grad = is_true_in(one, "requires_grad"),
                            .has_grad_fn = is_true_in(one, "grad_fn"),
                            .count = number_in(one, "count"),
                            .bytes = number_in(one, "bytes")};
    for_each_in(one, extent, [&](const dom::element& side) {
      std::int64_t length = 0;
      if (side.get(length) == simdjson::SUCCESS) buffers.shape.push_back(length);
    });
    all.push_back(std::move(buffers));
  });
  return all;
}

Census census_in(const dom::element& document) {
  Census census{.pid = static_cast<pid_t>(number_in(document, "pid")),
                .python = text_in(document, "python"),
                .streaming = text_in(document, "mode") == "streaming",
                .pause_ms = real_in(document, "pause_ms"),
                .seconds = real_in(document, "seconds"),
                .objects = number_in(document, "objects"),
                .bytes = number_in(document, "bytes")};
  for_each_in(document, "types", [&](const dom::element& one) {
    census.types.push_back({.name = text_in(one, "type"),
                            .count = number_in(one, "count"),
                            .bytes = number_in(one, "bytes"),
                            .native_bytes = number_in(one, "native_bytes"),
                            .retained_bytes = known_number_in(one, "retained_bytes")});
  });
  census.tensors = buffers_in(document, "tensors", "shape");
  census.arrays = buffers_in(document, "arrays", "shape");
  census.images = buffers_in(document, "images", "size");
  for_each_in(document, "retainers", [&](const dom::element& one) {
    census.retainers.push_back({.path = text_in(one, "path"),
                                .root = text_in(one, "root"),
                                .type = text_in(one, "type"),
                                .count = number_in(one, "count"),
                                .retained_bytes = number_in(one, "retained_bytes")});
  });
  if (auto why = text_in(document, "incomplete"); !why.empty()) census.incomplete = std::move(why);
  return census;
}

}  // namespace

Result<Census> parse_census(std::string_view text) {
  dom::parser parser;
  dom::element document;
  const simdjson::padded_string padded(text);
  if (parser.parse(padded).get(document) != simdjson::SUCCESS || !document.is_object()) {
    return Error{Reason::Malformed, "this is no JSON object"};
  }
  if (const auto schema = text_in(document, "schema"); schema != kSchema) {
    return Error{Reason::Malformed,
                 fmt::format("this is no census: its schema is '{}', not '{}'", schema, kSchema)};
  }
  return census_in(document);
}

Result<Census> read_census(int fd) {
  std::string text;
  std::array<char, 1 << 16> piece{};
  while (true) {
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return from_errno(errno, "reading it");
    if (got == 0) return parse_census(text);
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > kMostBytes) return Error{Reason::Malformed, "more than 64 MiB: no census"};
  }
}

Result<Census> read_census(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!fd) return from_errno(errno, path);
  auto census = read_census(fd.get());
  if (!census) return Error{census.error().reason, path + ": " + census.error().what};
  return census;
}

}  // namespace tidegauge::record
