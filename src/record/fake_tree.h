// SPDX-License-Identifier: Apache-2.0
// Tests only.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "record/recording.h"

namespace tidegauge::record {

// A process tree down to its pages, so that the truth about it is known.
class FakeTree {
 public:
  static constexpr std::uint64_t kPage = 1 << 20;  // big pages make small tests
  using Pages = std::set<int>;
  struct Body {
    ProcessId parent{};
    std::string command = "python train.py";
    Pages anon{};
    Pages file{};
    Pages shmem{};
  };

  ProcessId start(const std::string& command = "python train.py") {
    const ProcessId id{next_pid_++, 1};
    bodies_[id].command = command;
    news_.push_back(id);
    return id;
  }
  ProcessId fork(const ProcessId& parent) {
    const ProcessId id{next_pid_++, 1};
    bodies_[id] = bodies_.at(parent);
    bodies_[id].parent = parent;
    news_.push_back(id);
    return id;
  }
  Event exec(const ProcessId& id, const std::string& command) {
    bodies_.at(id) = {.parent = bodies_.at(id).parent, .command = command};
    news_.push_back(id);
    return {.kind = EventKind::Exec, .process = id};
  }
  void exit(const ProcessId& id) { bodies_.erase(id); }
  void grow(const ProcessId& id, int pages) {
    for (int i = 0; i < pages; ++i) bodies_.at(id).anon.insert(next_page_++);
  }
  void write(const ProcessId& id, int pages) {  // to its oldest shared ones: copies them
    Pages copied;
    for (const int page : bodies_.at(id).anon) {
      if (static_cast<int>(copied.size()) == pages) break;
      if (mappers(&Body::anon, page) > 1) copied.insert(page);
    }
    for (const int page : copied) bodies_.at(id).anon.erase(page);
    grow(id, static_cast<int>(copied.size()));
  }
  void free(const ProcessId& id, int pages) {
    auto& anon = bodies_.at(id).anon;
    while (pages-- > 0 && !anon.empty()) anon.erase(anon.begin());
  }
  void map_file(const ProcessId& id, int from, int to) {
    for (int page = from; page < to; ++page) bodies_.at(id).file.insert(page);
  }
  void map_shmem(const ProcessId& id, int from, int to) {
    for (int page = from; page < to; ++page) bodies_.at(id).shmem.insert(page);
  }

  std::vector<ProcessId> living() const {
    std::vector<ProcessId> ids;
    for (const auto& [id, body] : bodies_) ids.push_back(id);
    return ids;
  }
  // The descriptions that are due before the next sample.
  std::vector<Process> news() {
    std::vector<Process> out;
    for (const auto& id : std::exchange(news_, {})) {
      const auto at = bodies_.find(id);
      if (at == bodies_.end()) continue;
      out.push_back({.id = id, .parent = at->second.parent, .command = at->second.command});
    }
    return out;
  }
  Sample sample(const std::set<ProcessId>& walked) const {
    Sample out;
    for (const auto& [id, body] : bodies_) {
      ProcessSample process{.id = id};
      auto& memory = process.memory;
      memory.anon = body.anon.size() * kPage;
      memory.file = body.file.size() * kPage;
      memory.shmem = body.shmem.size() * kPage;
      memory.rss = *memory.anon + *memory.file + *memory.shmem;
      if (walked.contains(id)) walk(body, memory);
      out.processes.push_back(std::move(process));
    }
    return out;
  }
  std::uint64_t truth(Pages Body::*kind) const {
    Pages all;
    for (const auto& [id, body] : bodies_) all.insert((body.*kind).begin(), (body.*kind).end());
    return all.size() * kPage;
  }
  std::uint64_t truth() const {
    return truth(&Body::anon) + truth(&Body::file) + truth(&Body::shmem);
  }

 private:
  int mappers(Pages Body::*kind, int page) const {
    int count = 0;
    for (const auto& [id, body] : bodies_) count += (body.*kind).contains(page) ? 1 : 0;
    return count;
  }
  void walk(const Body& body, Memory& memory) const {
    std::uint64_t uss = 0;
    const auto pss = [&](Pages Body::*kind) {
      double sum = 0;
      for (const int page : body.*kind) {
        const int count = mappers(kind, page);
        sum += static_cast<double>(kPage) / count;
        uss += count == 1 ? kPage : 0;
      }
      return static_cast<std::uint64_t>(sum + 0.5);
    };
    memory.pss_anon = pss(&Body::anon);
    memory.pss_file = pss(&Body::file);
    memory.pss_shmem = pss(&Body::shmem);
    memory.pss = *memory.pss_anon + *memory.pss_file + *memory.pss_shmem;
    memory.uss = uss;
  }

  std::map<ProcessId, Body> bodies_;
  std::vector<ProcessId> news_;
  int next_page_ = 0;
  pid_t next_pid_ = 100;
};

}  // namespace tidegauge::record
