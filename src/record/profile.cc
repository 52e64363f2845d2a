// SPDX-License-Identifier: Apache-2.0
#include "record/profile.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidegauge::record {

namespace {

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

// Where Python's own modules and those that were installed lie; what was frozen into it has no
// path.
bool is_library(const CodePlace& place) {
  constexpr std::string_view kParts[] = {"/site-packages/", "/dist-packages/", "/lib/python3"};
  const std::string_view file = place.file;
  return file.starts_with("<frozen") ||
         std::any_of(std::begin(kParts), std::end(kParts),
                     [&](std::string_view part) { return file.find(part) != file.npos; });
}

}  // namespace

std::string label_of(const CodePlace& place) {
  std::string where(last_part(place.file));
  if (place.line > 0) where += fmt::format(":{}", place.line);
  if (place.function.empty()) return where.empty() ? "?" : where;
  return where.empty() ? place.function : fmt::format("{} ({})", place.function, where);
}

Telling telling_of(const Profile& profile, const Site& site) {
  const auto find = [&](const auto& is_wanted, std::uint32_t otherwise) {
    const auto found =
        std::find_if(site.stack.rbegin(), site.stack.rend(),
                     [&](std::uint32_t place) { return is_wanted(profile.places[place]); });
    return found == site.stack.rend() ? otherwise : *found;
  };
  const auto is_python = [](const CodePlace& place) { return place.kind == CodeKind::Python; };
  const auto place = find(is_python, site.stack.back());
  const auto own =
      find([&](const CodePlace& one) { return is_python(one) && !is_library(one); }, place);
  return {place, own};
}

}  // namespace tidegauge::record
