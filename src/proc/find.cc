// SPDX-License-Identifier: Apache-2.0
#include "proc/find.h"

#include <regex.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "base/text.h"
#include "proc/program.h"
#include "proc/root.h"

namespace tidegauge::proc {

namespace {

class Pattern {
 public:
  static Result<Pattern> compile(const std::string& text) {
    Pattern pattern;
    const int wrong = ::regcomp(&pattern.state_->regex, text.c_str(), REG_EXTENDED | REG_NOSUB);
    if (wrong == 0) {
      pattern.state_->compiled = true;
      return pattern;
    }
    std::string why(256, '\0');
    why.resize(::regerror(wrong, &pattern.state_->regex, why.data(), why.size()) - 1);
    return Error{Reason::Malformed, "pattern '" + text + "': " + why};
  }

  bool matches(const std::string& text) const {
    return ::regexec(&state_->regex, text.c_str(), 0, nullptr, 0) == 0;
  }

 private:
  struct State {
    regex_t regex{};
    bool compiled = false;
    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() {
      if (compiled) ::regfree(&regex);
    }
  };
  Pattern() : state_(std::make_unique<State>()) {}
  std::unique_ptr<State> state_;
};

struct Candidate {
  pid_t parent = 0;
  std::string name{};
  std::vector<std::string> arguments{};
};

std::vector<std::string> split_arguments(const std::string& text) {
  std::vector<std::string> arguments;
  std::size_t from = 0;
  while (from < text.size()) {
    auto end = text.find('\0', from);
    if (end == std::string::npos) end = text.size();
    arguments.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return arguments;
}

// Name and parent from PID/stat: the name runs from the first bracket to the last one.
std::optional<Candidate> look_at(const Root& root, pid_t pid) {
  const auto stat = root.read(pid, "stat");
  if (!stat) return {};
  const auto open = stat->find('(');
  const auto close = stat->rfind(')');
  if (open == stat->npos || close == stat->npos || close < open) return {};
  std::string_view rest = std::string_view(*stat).substr(close + 1);
  next_word(rest);  // state
  const auto parent = to_number<pid_t>(next_word(rest));
  if (!parent) return {};
  Candidate candidate{.parent = *parent, .name = stat->substr(open + 1, close - open - 1)};
  if (const auto line = root.read(pid, "cmdline")) candidate.arguments = split_arguments(*line);
  return candidate;
}

std::string joined(const std::vector<std::string>& arguments) {
  std::string line;
  for (const auto& word : arguments) {
    if (!line.empty()) line += ' ';
    line += word;
  }
  return line;
}

bool is_gauge(const Candidate& candidate) {
  return program_of(candidate.arguments, candidate.name).name == "tidegauge";
}

}  // namespace

Result<std::vector<pid_t>> find_by_name(const std::string& pattern, const Roots& roots) {
  const auto regex = Pattern::compile(pattern);
  if (!regex) return regex.error();
  const auto root = Root::open(roots.proc);
  if (!root) return root.error();
  const auto pids = root->pids();
  if (!pids) return pids.error();

  std::map<pid_t, Candidate> all;
  for (const pid_t pid : *pids) {
    if (auto candidate = look_at(*root, pid)) all.emplace(pid, std::move(*candidate));
  }
  std::set<pid_t> ours;
  for (pid_t pid = ::getpid(); pid > 0 && ours.insert(pid).second;) {
    const auto found = all.find(pid);
    pid = found == all.end() ? 0 : found->second.parent;
  }
  std::set<pid_t> matching;
  for (const auto& [pid, candidate] : all) {
    if (ours.contains(pid) || is_gauge(candidate)) continue;
    if (regex->matches(candidate.name) || regex->matches(joined(candidate.arguments))) {
      matching.insert(pid);
    }
  }
  std::vector<pid_t> topmost;
  for (const pid_t pid : matching) {
    std::set<pid_t> seen{pid};  // a parent may change while we look, even into a circle
    pid_t above = all.at(pid).parent;
    while (all.contains(above) && !matching.contains(above) && seen.insert(above).second) {
      above = all.at(above).parent;
    }
    if (!matching.contains(above)) topmost.push_back(pid);
  }
  return topmost;
}

}  // namespace tidegauge::proc
