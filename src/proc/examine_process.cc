// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "proc/cmdline.h"
#include "proc/findings.h"
#include "proc/kilobytes.h"
#include "proc/limits.h"
#include "proc/probe.h"
#include "proc/root.h"
#include "proc/runtime.h"
#include "proc/stat.h"
#include "proc/status.h"
#include "secrets/mask.h"

namespace tidegauge::proc {

namespace {

constexpr double kNearlyAll = 0.8;  // of a limit
// CPU time of a walk over page tables, measured on 4 KiB pages.
constexpr double kWalkMillisecondsPerGigabyte = 5;
constexpr std::size_t kLongestCommand = 160;

struct StateName {
  char letter;
  std::string_view name;
};
constexpr StateName kStates[] = {{'R', "running"},
                                 {'S', "sleeping"},
                                 {'D', "waiting for a device"},
                                 {'T', "stopped"},
                                 {'t', "stopped by a debugger"},
                                 {'Z', "ended"},
                                 {'X', "ended"},
                                 {'I', "idle"}};

std::string_view name_of(char state) {
  for (const auto& known : kStates) {
    if (known.letter == state) return known.name;
  }
  return "in an unknown state";
}

std::string bytes(std::uint64_t amount) {
  return format_bytes(static_cast<double>(amount));
}

// What is read at the beginning and used by several findings.
struct Subject {
  const Root& root;
  pid_t pid = 0;
  Stat stat{};
  Status status{};
  std::string status_text{};
};

std::string age_of(const Subject& subject) {
  const auto text = subject.root.read("uptime");
  if (!text) return {};
  std::string_view rest = *text;
  const auto uptime = to_number<double>(next_word(rest));
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const auto started = static_cast<double>(subject.stat.id.start_ticks) / ticks;
  if (!uptime || started > *uptime) return {};
  return ", started " + format_duration(*uptime - started) + " ago";
}

void add_identity(Findings& findings, const Subject& subject) {
  auto users = field_of(subject.status_text, "Uid:");
  const auto uid = to_number<uid_t>(next_word(users));
  const auto what = fmt::format("process {}", subject.pid);
  const auto threads = subject.status.threads.value_or(subject.stat.threads);
  const auto found =
      fmt::format("{}, of {}, {}, {} thread{}{}", printable(subject.stat.name),
                  uid ? printable(user_name(*uid)) : "nobody known", name_of(subject.stat.state),
                  threads, threads == 1 ? "" : "s", age_of(subject));
  const char state = subject.stat.state;
  if (state == 'T' || state == 't') {
    findings.limited(what, found, "it does nothing until it gets SIGCONT");
  } else {
    findings.good(what, found);
  }
  if (const auto line = subject.root.read(subject.pid, "cmdline")) {
    auto command = printable(secrets::masked_command(parse_cmdline(*line)));
    if (command.size() > kLongestCommand) {
      std::size_t end = kLongestCommand;
      while (end > 0 && (static_cast<unsigned char>(command[end]) & 0xC0) == 0x80) --end;
      command = command.substr(0, end) + "…";
    }
    if (!command.empty()) findings.good("command", command);
  }
  if (subject.status.pid_namespaces > 1) {
    findings.good("pid namespace",
                  fmt::format("its own, in which it is process {}", subject.status.innermost_pid));
  }
}

void add_reading(Findings& findings, const Subject& subject) {
  const auto rss = subject.status.rss.value_or(0);
  findings.good("counters", fmt::format("readable; {} resident, {} anonymous", bytes(rss),
                                        bytes(subject.status.anon.value_or(0))));
  const auto milliseconds = static_cast<double>(rss) / 1e9 * kWalkMillisecondsPerGigabyte;
  struct Part {
    std::string_view file;
    std::string_view what;
    std::string found = "readable";
  };
  const Part parts[] = {
      {"smaps_rollup", "PSS and private memory",
       milliseconds < 1 ? "readable"
                        : fmt::format("readable; a walk takes about {:.0f} ms", milliseconds)},
      {"pagemap", "page tables"},
      {"mem", "its memory"},
  };
  auto advice = (::geteuid() == 0 ? "" : "run as its user or as root, or: ") +
                how_to_get_rights(subject.root);
  for (const auto& part : parts) {
    const std::string what(part.what);
    const auto access = access_to(subject.root, subject.pid, part.file);
    if (access == Access::Yes) findings.good(what, part.found);
    if (access == Access::Absent) findings.limited(what, "this kernel does not have it");
    // The same would help all of them.
    if (access == Access::Denied) {
      findings.limited(what, "not ours to read", std::exchange(advice, {}));
    }
  }
}

void add_used(Findings& findings, const std::string& what, record::Bytes limit,
              record::Bytes used) {
  if (!limit || !used) return;
  const auto found = fmt::format("{} of {}", bytes(*used), bytes(*limit));
  if (static_cast<double>(*used) > kNearlyAll * static_cast<double>(*limit)) {
    findings.limited(what, found, "allocations fail there: raise it with prlimit or ulimit");
  } else {
    findings.good(what, found);
  }
}

void add_own_limits(Findings& findings, const Subject& subject) {
  const auto text = subject.root.read(subject.pid, "limits");
  if (!text) return;
  const auto limits = parse_limits(*text);
  const auto in_status = [&](std::string_view name) {
    return kilobytes(field_of(subject.status_text, name));
  };
  add_used(findings, "address space (ulimit -v)", limits.address_space, in_status("VmSize:"));
  add_used(findings, "data (ulimit -d)", limits.data, in_status("VmData:"));
  const auto fds = subject.root.list(subject.pid, "fd");
  if (!fds || !limits.open_files) return;
  const auto found = fmt::format("{} of {}", fds->size(), *limits.open_files);
  if (static_cast<double>(fds->size()) > kNearlyAll * static_cast<double>(*limits.open_files)) {
    findings.limited("open files", found, "find what leaks them, or raise the limit: ulimit -n");
  } else {
    findings.good("open files", found);
  }
}

void add_runtime(Findings& findings, const Subject& subject) {
  const auto maps = subject.root.read(subject.pid, "maps");
  if (!maps || maps->empty()) return;
  const auto files = parse_mapped_files(*maps);
  const auto program = subject.root.read_link(subject.pid, "exe");
  if (program) {
    const auto name = printable(*program);
    if (is_dynamic(files)) {
      findings.good("program", name + ", dynamically linked");
    } else {
      findings.limited("program", name + ", statically linked: its allocations cannot be sampled");
    }
  }
  const auto python = python_of(program ? *program : "", files);
  findings.good("interpreter", python.empty() ? "none that we know" : python);
  const auto allocator = allocator_of(files);
  findings.good("allocator", allocator.empty() ? "its own, linked in" : allocator);
  if (const auto frameworks = frameworks_of(files); !frameworks.empty()) {
    findings.good("libraries", fmt::format("{}", fmt::join(frameworks, ", ")));
  }
}

// Whether somebody looks into it already.
void add_company(Findings& findings, const Subject& subject) {
  const auto tracer = to_number<pid_t>(field_of(subject.status_text, "TracerPid:"));
  if (tracer && *tracer > 0) {
    const auto name = subject.root.read(*tracer, "comm");
    findings.limited(
        "debugger",
        fmt::format("process {} ({}) is attached", *tracer, name ? printable(trimmed(*name)) : "?"),
        "what stops it will look like a pause");
  }
  const auto environment = subject.root.read(subject.pid, "environ");
  if (!environment) return;
  const bool gauged = environment->starts_with("TIDEGAUGE_") ||
                      environment->find(std::string("\0TIDEGAUGE_", 11)) != std::string::npos;
  findings.good("gauge", gauged ? "started under tidegauge run" : "none attached");
}

// What the guard could ask it with.
void add_signals(Findings& findings, const Subject& subject) {
  struct Named {
    int number;
    std::string_view name;
  };
  constexpr Named kAsked[] = {
      {SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"}, {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}};
  const auto word = field_of(subject.status_text, "SigCgt:");
  std::uint64_t bits = 0;
  if (std::from_chars(word.data(), word.data() + word.size(), bits, 16).ptr == word.data()) return;
  std::vector<std::string_view> caught;
  for (const auto& signal : kAsked) {
    if (bits & (1ull << (signal.number - 1))) caught.push_back(signal.name);
  }
  findings.good("signals it catches", caught.empty()
                                          ? "none of those that ask for an end or a checkpoint"
                                          : fmt::format("{}", fmt::join(caught, ", ")));
}

}  // namespace

Result<std::vector<Finding>> examine_process(pid_t pid, const CollectOptions& options) {
  const auto root = Root::open(options.roots.proc);
  if (!root) return root.error();
  const auto stat_text = root->read(pid, "stat");
  auto status_text = root->read(pid, "status");
  if (!stat_text || !status_text) {
    return Error{Reason::Gone, fmt::format("there is no process {}, or none that we may see", pid)};
  }
  auto stat = parse_stat(*stat_text);
  if (!stat) return stat.error();
  auto status = parse_status(*status_text);
  if (!status) return status.error();
  const Subject subject{*root, pid, std::move(*stat), *status, std::move(*status_text)};

  Findings findings("process");
  if (has_ended(subject.stat)) {
    findings.missing(fmt::format("process {}", pid), "has ended; its parent has not asked how yet");
    return findings.take();
  }
  add_identity(findings, subject);
  if (!subject.status.rss) {
    findings.missing("memory", "none of its own: it is a part of the kernel");
    return findings.take();
  }
  add_reading(findings, subject);
  add_own_limits(findings, subject);
  add_limit(findings, pid, options);
  add_runtime(findings, subject);
  add_company(findings, subject);
  add_signals(findings, subject);
  return findings.take();
}

}  // namespace tidegauge::proc
