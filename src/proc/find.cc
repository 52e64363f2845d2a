// SPDX-License-Identifier: Apache-2.0
#include "proc/find.h"

#include <regex.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "proc/cmdline.h"
#include "proc/program.h"
#include "proc/root.h"
#include "proc/stat.h"

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

std::optional<Candidate> look_at(const Root& root, pid_t pid) {
  auto stat = read_stat(root, pid);
  if (!stat || has_ended(*stat)) return {};
  const auto line = root.read(pid, "cmdline");
  return Candidate{.parent = stat->parent,
                   .name = std::move(stat->name),
                   .arguments = line ? parse_cmdline(*line) : std::vector<std::string>{}};
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

using Candidates = std::map<pid_t, Candidate>;

// `pid` and those that it descends from.
std::set<pid_t> line_of(pid_t pid, const Candidates& all) {
  std::set<pid_t> line;  // a parent may change while we look, even into a circle
  for (auto at = all.find(pid); at != all.end() && line.insert(at->first).second;) {
    at = all.find(at->second.parent);
  }
  return line;
}

}  // namespace

Result<std::vector<pid_t>> find_by_name(const std::string& pattern, const Roots& roots) {
  const auto regex = Pattern::compile(pattern);
  if (!regex) return regex.error();
  const auto root = Root::open(roots.proc);
  if (!root) return root.error();
  const auto pids = root->pids();
  if (!pids) return pids.error();

  Candidates all;
  for (const pid_t pid : *pids) {
    if (auto candidate = look_at(*root, pid)) all.emplace(pid, std::move(*candidate));
  }
  const auto ours = line_of(::getpid(), all);
  std::set<pid_t> matching;
  for (const auto& [pid, candidate] : all) {
    if (ours.contains(pid) || is_gauge(candidate)) continue;
    if (regex->matches(candidate.name) || regex->matches(joined(candidate.arguments))) {
      matching.insert(pid);
    }
  }
  std::vector<pid_t> topmost;
  for (const pid_t pid : matching) {
    const auto line = line_of(pid, all);
    const bool nested = std::any_of(line.begin(), line.end(), [&](pid_t above) {
      return above != pid && matching.contains(above);
    });
    if (!nested) topmost.push_back(pid);
  }
  return topmost;
}

}  // namespace tidegauge::proc
