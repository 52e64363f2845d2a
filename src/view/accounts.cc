// SPDX-License-Identifier: Apache-2.0
#include "view/accounts.h"

#include <algorithm>

#include "view/phrases.h"
#include "view/short_words.h"

namespace tidegauge::view {

namespace {

// Beyond these, processes count in their role and in the tree but have no line of their own.
constexpr std::size_t kMostProcesses = 256;
constexpr std::size_t kMostGone = 32;
constexpr std::size_t kMostRoles = 131'072;  // of processes of which no end was told
constexpr std::size_t kMostNamed = 64;
constexpr std::size_t kMostCommandBytes = 512;
constexpr std::size_t kMostNameBytes = 512;  // the kernel's have 15
constexpr std::size_t kNameColumns = 40;
constexpr std::size_t kMostGuardLines = 20;
constexpr std::string_view kGuardsWords = "guard: ";

std::size_t index_of(record::Role role) {
  return static_cast<std::size_t>(role);
}

// Of many tallies; a bit in `told` for each that was added to.
template <std::size_t N, class Which, class Value>
void add_if_known(std::array<Tally, N>& tallies, std::uint32_t& told, Which which,
                  const std::optional<Value>& value) {
  if (!value) return;
  tallies[static_cast<std::size_t>(which)].add(static_cast<double>(*value));
  told |= 1u << static_cast<std::size_t>(which);
}

template <std::size_t N>
void repeat_told(std::array<Tally, N>& tallies, std::uint32_t told, std::uint64_t times) {
  for (std::size_t i = 0; i < N; ++i) {
    if ((told >> i & 1) != 0) tallies[i].repeat(times);
  }
}

// What a process holds: resident without what is counted for others too, and swapped.
std::optional<double> held(const record::Memory& memory, std::int64_t counted_twice) {
  const auto resident = memory.rss ? memory.rss : memory.pss;
  if (!resident) return {};
  const auto own = std::max<std::int64_t>(0, static_cast<std::int64_t>(*resident) - counted_twice);
  return static_cast<double>(own) + static_cast<double>(memory.swap.value_or(0));
}

}  // namespace

const char* id_of(Part part) {
  switch (part) {
    case Part::Total:
      return "total";
    case Part::Anon:
      return "anon";
    case Part::File:
      return "file";
    case Part::Shmem:
      return "shmem";
    case Part::Swap:
      return "swap";
    case Part::Gpu:
      break;
  }
  return "gpu";
}

const char* id_of(Line line) {
  switch (line) {
    case Line::Total:
      return "total";
    case Line::Anon:
      return "anon";
    case Line::File:
      return "file";
    case Line::Shmem:
      return "shmem";
    case Line::Swap:
      return "swap";
    case Line::PageTables:
      return "page_tables";
    case Line::Hugetlb:
      return "hugetlb";
    case Line::Gpu:
      return "gpu";
    case Line::Unexplained:
      break;
  }
  return "unexplained";
}

const char* label_of(Part part) {
  switch (part) {
    case Part::Total:
      return "total";
    case Part::Anon:
      return "anonymous";
    case Part::File:
      return "file-backed";
    case Part::Shmem:
      return "shared";
    case Part::Swap:
      return "swapped";
    case Part::Gpu:
      break;
  }
  return "GPU";
}

const char* label_of(Line line, double bytes) {
  return line == Line::Unexplained && bytes < 0 ? "paid by others" : label_of(line);
}

const char* label_of(Line line) {
  switch (line) {
    case Line::Total:
      return "total";
    case Line::Anon:
      return "anonymous";
    case Line::File:
      return "file-backed";
    case Line::Shmem:
      return "shared";
    case Line::Swap:
      return "swapped";
    case Line::PageTables:
      return "page tables";
    case Line::Hugetlb:
      return "huge pages";
    case Line::Gpu:
      return "GPU";
    case Line::Unexplained:
      break;
  }
  return "unexplained";
}

void Accounts::begin(const record::Header& its_header) {
  header = its_header;
  header.command.resize(std::min(header.command.size(), kMostCommandBytes));
  history = History(header.interval_seconds);
}

void Accounts::add(const record::Entry& entry, const record::LedgerKeeper& ledgers) {
  if (const auto* sample = std::get_if<record::Sample>(&entry)) add(*sample, ledgers);
  if (const auto* process = std::get_if<record::Process>(&entry)) add(*process);
  if (const auto* event = std::get_if<record::Event>(&entry)) add(*event);
  if (const auto* profile = std::get_if<record::Profile>(&entry)) sites.add(*profile);
}

void Accounts::add(const record::Process& process) {
  if (role_of_.size() >= kMostRoles && !role_of_.contains(process.id)) return;
  const auto [role, newly] = role_of_.emplace(process.id, process.role);
  if (!newly) --living_[index_of(role->second)];
  role->second = process.role;
  ++living_[index_of(process.role)];
  const auto found = processes.find(process.id);
  if (found == processes.end() && processes.size() >= kMostProcesses) return;
  auto& known = processes[process.id].known;
  known = {.id = process.id,
           .parent = process.parent,
           .name = process.name.substr(0, kMostNameBytes),
           .command = process.command.substr(0, kMostCommandBytes),
           .role = process.role,
           .at_ns = process.at_ns};
}

void Accounts::add(const record::Event& event) {
  progress.add(event);
  if (event.kind == record::EventKind::Note && event.source == record::MarkSource::Kernel &&
      event.name.starts_with(kGuardsWords)) {
    guard.emplace_back(seconds_of(event.at_ns),
                       event.name.substr(kGuardsWords.size(), kMostCommandBytes));
    if (guard.size() > kMostGuardLines) guard.pop_front();
  }
  if (event.kind == record::EventKind::OomKill) oom_kills.add_kill(event);
  if (event.kind != record::EventKind::Exited) return;
  add_end(event);
  if (const auto known = role_of_.find(event.process); known != role_of_.end()) {
    --living_[index_of(known->second)];
    end_without(known->second);
    role_of_.erase(known);
  }
  if (const auto found = processes.find(event.process); found != processes.end()) {
    retire(found->first, found->second, seconds_of(event.at_ns));
  }
}

// What had started the job ends after it, and has nothing to do with how the job ended.
void Accounts::add_end(const record::Event& event) {
  const auto role = role_of_.find(event.process);
  if (role != role_of_.end() && role->second == record::Role::Wrapper) return;
  End end{.at = seconds_of(event.at_ns), .pid = event.process.pid, .status = event.value};
  if (const auto found = processes.find(event.process); found != processes.end()) {
    end.name = shown(job_name(found->second.known), kNameColumns);
    end.largest = is_largest(found->second);
  }
  oom_kills.add_end(std::move(end));
}

bool Accounts::is_largest(const ProcessAccount& account) const {
  return std::none_of(processes.begin(), processes.end(), [&account](const auto& other) {
    return !other.second.gone &&
           other.second.tally(Part::Total).last() > account.tally(Part::Total).last();
  });
}

// One of that role has gone. A tree ends with its last process that is more than a wrapper.
void Accounts::end_without(record::Role role) {
  if (living_[index_of(role)] == 0) roles[index_of(role)].together.end();
  std::size_t more_than_wrappers = 0;
  for (std::size_t i = 0; i < living_.size(); ++i) {
    if (i != index_of(record::Role::Wrapper)) more_than_wrappers += living_[i];
  }
  if (more_than_wrappers > 0) return;
  for (auto& line : lines) line.end();
}

void Accounts::retire(const record::ProcessId& id, ProcessAccount& account, double at) {
  if (account.gone) return;
  if (account.tally(Part::Total).count() == 0) {  // never seen in a sample
    ++folded[index_of(account.known.role)].count;
    processes.erase(id);
    return;
  }
  account.gone = true;
  account.gone_at = at;
  for (auto& tally : account.tallies) tally.end();
  if (++gone_ > kMostGone) fold_one();
}

void Accounts::fold_one() {
  auto least = processes.end();
  for (auto at = processes.begin(); at != processes.end(); ++at) {
    if (!at->second.gone) continue;
    if (least == processes.end() ||
        at->second.tally(Part::Total).max() < least->second.tally(Part::Total).max()) {
      least = at;
    }
  }
  if (least == processes.end()) return;
  auto& of_role = folded[index_of(least->second.known.role)];
  of_role.largest = std::max(of_role.largest, least->second.tally(Part::Total).max());
  ++of_role.count;
  --gone_;
  processes.erase(least);
}

void Accounts::add_process(const record::ProcessSample& seen, double at) {
  const auto& memory = seen.memory;
  if (memory.pss) ++walks;
  auto found = processes.find(seen.id);
  if (found == processes.end() && processes.size() < kMostProcesses) {
    found = processes.emplace(seen.id, ProcessAccount{}).first;
    found->second.known.id = seen.id;
  }
  if (found == processes.end()) return;
  auto& account = found->second;
  if (account.tally(Part::Total).count() == 0) account.first_seen = at;
  account.last_seen = at;
  if (memory.pss && memory.rss) {
    // The two are not read in the same moment: of one that shares nothing, PSS may be the larger.
    account.counted_twice = std::max<std::int64_t>(
        0, static_cast<std::int64_t>(*memory.rss) - static_cast<std::int64_t>(*memory.pss));
  }
  const auto total = held(memory, account.counted_twice.value_or(0));
  account.told = 0;
  const auto add = [&account](Part part, const auto& value) {
    add_if_known(account.tallies, account.told, part, value);
  };
  add(Part::Total, total);
  add(Part::Anon, memory.anon);
  add(Part::File, memory.file);
  add(Part::Shmem, memory.shmem);
  add(Part::Swap, memory.swap);
  add(Part::Gpu, memory.gpu);
  account.peak_rss =
      std::max({account.peak_rss, memory.peak_rss.value_or(0), memory.rss.value_or(0)});
}

void Accounts::add_ledger(const record::Ledger& now, double at) {
  ledger = now;
  const auto add = [this](Line line, const auto& value) {
    add_if_known(lines, lines_told_, line, value);
  };
  add(Line::Total, std::optional(ledger.total));
  add(Line::Anon, ledger.anon);
  add(Line::File, ledger.file);
  add(Line::Shmem, ledger.shmem);
  add(Line::Swap, ledger.swap);
  add(Line::PageTables, ledger.page_tables);
  add(Line::Hugetlb, ledger.hugetlb);
  add(Line::Gpu, ledger.gpu);
  if (ledger.charged) add(Line::Unexplained, std::optional(ledger.unexplained));
  history.add(at, static_cast<double>(ledger.total), progress.step());
}

void Accounts::add_named(const std::string& name, double bytes, double at) {
  if (named.size() >= kMostNamed && !named.contains(name)) return;
  if (named.empty() || named.begin()->first == name) history.add(at, bytes, progress.step());
  named[name].add(bytes);
}

void Accounts::add_surroundings(const record::Sample& sample) {
  if (sample.machine) {
    machine = *sample.machine;
    if (machine.available) {
      least_available = std::min(least_available.value_or(*machine.available), *machine.available);
    }
  }
  oom_kills.look(sample);
  for (const auto& group : sample.cgroups) {
    if (!group.limit) continue;
    cgroup = group;
    if (group.current) cgroup_most = std::max(cgroup_most.value_or(0), *group.current);
    break;
  }
}

// The job is over, and what had started it has not yet noticed: that is no fall of the job's
// memory.
bool Accounts::only_wrappers_left() const {
  std::size_t others = 0;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (i != static_cast<std::size_t>(record::Role::Wrapper)) others += roles[i].now;
  }
  return others == 0 && role(record::Role::Main).most > 0;
}

void Accounts::pass(const record::Sample& sample) {
  ++samples;
  last_at = seconds_of(sample.at_ns);
  if (lines_told_ != 0) {
    history.add(last_at, static_cast<double>(ledger.total), progress.step());
  }
  add_surroundings(sample);
}

void Accounts::repeat(std::uint64_t passed) {
  for (auto& [id, account] : processes) {
    if (account.gone || account.last_seen != added_at_) continue;
    repeat_told(account.tallies, account.told, passed);
    account.last_seen = last_at;
  }
  for (auto& each : roles) {
    if (each.now > 0) each.together.repeat(passed);
  }
  repeat_told(lines, lines_told_, passed);
  added_at_ = last_at;
}

void Accounts::add(const record::Sample& sample, const record::LedgerKeeper& ledgers) {
  const auto at = seconds_of(sample.at_ns);
  if (samples++ == 0) first_at = at;
  last_at = added_at_ = at;
  lines_told_ = 0;
  std::array<double, 5> sums{};
  std::array<std::size_t, 5> counts{};
  bool known = false;
  for (std::size_t i = 0; i < sample.processes.size(); ++i) {
    const auto& seen = sample.processes[i];
    known = known || seen.memory.rss || seen.memory.pss || seen.memory.anon;
    add_process(seen, at);
    const auto role = role_of_.find(seen.id);
    const auto index =
        static_cast<std::size_t>(role == role_of_.end() ? record::Role::Other : role->second);
    // What it adds to the tree: pages that forked workers share are counted once, walked or not.
    sums[index] += static_cast<double>(ledgers.own_at(i));
    ++counts[index];
    for (const auto& series : seen.others) add_named(series.name, series.bytes, at);
  }
  for (std::size_t i = 0; i < roles.size(); ++i) {
    roles[i].now = counts[i];
    roles[i].most = std::max(roles[i].most, counts[i]);
    if (counts[i] > 0) {
      roles[i].together.add(std::min(sums[i], static_cast<double>(ledgers.last().total)));
    }
  }
  if (known && !only_wrappers_left()) add_ledger(ledgers.last(), at);
  for (const auto& series : sample.others) add_named(series.name, series.bytes, at);
  add_surroundings(sample);
}

}  // namespace tidegauge::view
