// SPDX-License-Identifier: Apache-2.0
#include "record/line_profile.h"

#include <algorithm>
#include <limits>

#include "record/line_numbers.h"
#include "record/line_values.h"

namespace tidegauge::record {

namespace ondemand = simdjson::ondemand;

namespace {

void append_place(std::string& out, const CodePlace& place) {
  out += '{';
  append_text(out, "function", place.function);
  append_text_field(out, "file", place.file);
  if (place.line > 0) {
    append_key(out, "line");
    append_count(out, place.line);
  }
  if (place.kind == CodeKind::Native) out += ",\"native\":true";
  out += '}';
}

void append_site(std::string& out, const Site& site) {
  out += "{\"stack\":[";
  for (const auto place : site.stack) append_count(out += out.back() == '[' ? "" : ",", place);
  out += "],\"live\":";
  append_kib(out, site.live);
  if (site.live_count) {
    append_key(out, "live_count");
    append_count(out, *site.live_count);
  }
  if (site.allocated) {
    append_key(out, "allocated");
    append_kib(out, *site.allocated);
  }
  if (site.allocated_count) {
    append_key(out, "allocated_count");
    append_count(out, *site.allocated_count);
  }
  out += '}';
}

bool makes_sense(const Site& site, std::size_t places) {
  return site.stack.size() <= kDeepestStack &&
         std::all_of(site.stack.begin(), site.stack.end(),
                     [&](std::uint32_t place) { return place < places; });
}

std::uint32_t read_small(Value& value) {
  const auto number = read_count(value);
  if (number > std::numeric_limits<std::uint32_t>::max()) refuse();
  return static_cast<std::uint32_t>(number);
}

CodePlace read_place(ondemand::object object) {
  CodePlace place;
  for (auto field : object) {
    const std::string_view key = field.unescaped_key();
    Value value = field.value();
    if (read_text_field(key, value, "function", place.function)) continue;
    if (read_text_field(key, value, "file", place.file)) continue;
    if (key == "line") place.line = read_small(value);
    if (key == "native") place.kind = value.get_bool() ? CodeKind::Native : CodeKind::Python;
  }
  return place;
}

Site read_site(ondemand::object object) {
  Site site;
  for (auto field : object) {
    const std::string_view key = field.unescaped_key();
    Value value = field.value();
    if (key == "stack") {
      for (auto element : value.get_array()) {
        Value place = element.value();
        site.stack.push_back(read_small(place));
      }
    }
    if (key == "live") site.live = read_kib(value);
    if (key == "live_count") site.live_count = read_count(value);
    if (key == "allocated") site.allocated = read_kib(value);
    if (key == "allocated_count") site.allocated_count = read_count(value);
  }
  return site;
}

}  // namespace

void append_profile(std::string& out, const Profile& profile) {
  out += "{\"kind\":\"profile\",\"t\":";
  append_seconds(out, profile.at_ns);
  append_key(out, "pid");
  append_integer(out, profile.process.pid);
  append_key(out, "start");
  append_count(out, profile.process.start_ticks);
  append_text_field(out, "sampler", profile.sampler);
  append_key(out, "sampled_every");
  append_kib(out, profile.sampled_every);
  out += ",\"places\":[";
  for (const auto& place : profile.places) append_place(out += out.back() == '[' ? "" : ",", place);
  out += "],\"sites\":[";
  for (const auto& site : profile.sites) {
    if (makes_sense(site, profile.places.size())) {
      append_site(out += out.back() == '[' ? "" : ",", site);
    }
  }
  out += "]}\n";
}

Profile read_profile(ondemand::object& line) {
  Profile profile;
  for (auto field : line) {
    const std::string_view key = field.unescaped_key();
    Value value = field.value();
    if (read_text_field(key, value, "sampler", profile.sampler)) continue;
    if (key == "t") profile.at_ns = read_seconds(value);
    if (key == "pid") profile.process.pid = static_cast<pid_t>(read_integer(value));
    if (key == "start") profile.process.start_ticks = read_count(value);
    if (key == "sampled_every") profile.sampled_every = read_kib(value);
    if (key == "places") {
      for (auto place : value.get_array()) profile.places.push_back(read_place(place.get_object()));
    }
    if (key == "sites") {
      for (auto site : value.get_array()) profile.sites.push_back(read_site(site.get_object()));
    }
  }
  for (const auto& site : profile.sites) {
    if (!makes_sense(site, profile.places.size())) refuse();
  }
  return profile;
}

}  // namespace tidegauge::record
