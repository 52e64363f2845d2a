// SPDX-License-Identifier: Apache-2.0
#include "proc/mountinfo.h"

#include "base/text.h"

namespace tidegauge::proc {

namespace {

bool is_octal(char c) {
  return c >= '0' && c <= '7';
}

// The kernel writes blank, tab, newline and backslash as \040 and so on.
std::string unescaped(std::string_view word) {
  std::string out;
  out.reserve(word.size());
  while (!word.empty()) {
    if (word.size() >= 4 && word[0] == '\\' && is_octal(word[1]) && is_octal(word[2]) &&
        is_octal(word[3])) {
      const int code = (word[1] - '0') * 64 + (word[2] - '0') * 8 + (word[3] - '0');
      out += static_cast<char>(code);
      word.remove_prefix(4);
    } else {
      out += word[0];
      word.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace

std::vector<Mount> parse_mountinfo(std::string_view text) {
  std::vector<Mount> mounts;
  while (!text.empty()) {
    auto line = next_line(text);
    for (int field = 0; field < 3; ++field) next_word(line);  // mount id, parent id, device
    Mount mount;
    mount.root = unescaped(next_word(line));
    mount.point = unescaped(next_word(line));
    next_word(line);  // options of the mount point
    // Any number of optional fields, then a dash. The escapes keep a dash of its own out of the
    // names before it, and they are behind us anyway.
    auto word = next_word(line);
    while (!word.empty() && word != "-") word = next_word(line);
    mount.type = unescaped(next_word(line));
    next_word(line);  // what is mounted
    mount.options = unescaped(next_word(line));
    if (mount.point.empty() || mount.type.empty()) continue;
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

bool has_option(std::string_view options, std::string_view name) {
  while (!options.empty()) {
    const auto comma = options.find(',');
    if (options.substr(0, comma) == name) return true;
    if (comma == std::string_view::npos) return false;
    options.remove_prefix(comma + 1);
  }
  return false;
}

}  // namespace tidegauge::proc
