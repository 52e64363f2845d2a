// SPDX-License-Identifier: Apache-2.0
#include "view/json_lines.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "record/names.h"
#include "view/verdict_json.h"

namespace tidegauge::view {

namespace {

using Json = nlohmann::ordered_json;

// Names are any bytes; what is no UTF-8 becomes U+FFFD instead of an exception.
std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Empty is not zero: what the kernel did not say is left out.
template <class Value>
void put(Json& into, const char* name, const std::optional<Value>& value) {
  if (value) into[name] = *value;
}

void put_memory(Json& into, const record::Memory& memory) {
  const std::pair<const char*, record::Bytes> kFields[] = {
      {"rss_bytes", memory.rss},           {"anon_bytes", memory.anon},
      {"file_bytes", memory.file},         {"shmem_bytes", memory.shmem},
      {"swap_bytes", memory.swap},         {"hugetlb_bytes", memory.hugetlb},
      {"locked_bytes", memory.locked},     {"page_tables_bytes", memory.page_tables},
      {"uss_bytes", memory.uss},           {"pss_bytes", memory.pss},
      {"peak_rss_bytes", memory.peak_rss}, {"gpu_bytes", memory.gpu},
  };
  for (const auto& [name, bytes] : kFields) put(into, name, bytes);
}

Json tree_json(const record::Ledger& ledger) {
  Json tree;
  tree["total_bytes"] = ledger.total;
  put(tree, "anon_bytes", ledger.anon);
  put(tree, "file_bytes", ledger.file);
  put(tree, "shmem_bytes", ledger.shmem);
  put(tree, "swap_bytes", ledger.swap);
  put(tree, "page_tables_bytes", ledger.page_tables);
  put(tree, "hugetlb_bytes", ledger.hugetlb);
  put(tree, "gpu_bytes", ledger.gpu);
  if (ledger.charged) {
    tree["charged_bytes"] = *ledger.charged;
    tree["unexplained_bytes"] = ledger.unexplained;
  }
  return tree;
}

std::string event_line(const record::Event& event) {
  Json line{{"type", "event"},
            {"seconds", static_cast<double>(event.at_ns) / 1e9},
            {"event", record::id_of(event.kind)}};
  if (event.process.pid != 0) line["pid"] = event.process.pid;
  if (!event.name.empty()) line["name"] = event.name;
  put(line, "value", event.value);
  put(line, "total", event.total);
  return line_of(line);
}

}  // namespace

std::string JsonLines::sample_line(const record::Sample& sample) {
  seconds_ = static_cast<double>(sample.at_ns) / 1e9;
  Json line{{"type", "sample"}, {"seconds", seconds_}, {"tree", tree_json(ledger_.add(sample))}};
  auto& processes = line["processes"] = Json::array();
  for (const auto& one : sample.processes) {
    Json process{{"pid", one.id.pid}, {"start_ticks", one.id.start_ticks}};
    if (const auto found = known_.find(one.id); found != known_.end()) {
      process["name"] = found->second.name;
      process["role"] = record::id_of(found->second.role);
    }
    put_memory(process, one.memory);
    put(process, "threads", one.activity.threads);
    put(process, "fds", one.activity.fds);
    put(process, "vmas", one.activity.vmas);
    processes.push_back(std::move(process));
  }
  return line_of(line);
}

std::optional<std::string> JsonLines::add(const record::Entry& entry) {
  if (const auto* process = std::get_if<record::Process>(&entry)) {
    known_[process->id] = *process;
    return {};
  }
  if (const auto* event = std::get_if<record::Event>(&entry)) {
    if (event->kind == record::EventKind::Exited) known_.erase(event->process);
    return event_line(*event);
  }
  return sample_line(std::get<record::Sample>(entry));
}

std::optional<std::string> JsonLines::verdict(const verdict::Verdicts& verdicts,
                                              const std::string& source) {
  if (verdicts.all.empty() || last_class_ == verdicts.all.front().klass) return {};
  last_class_ = verdicts.all.front().klass;
  auto document = Json::parse(verdict_document(source, verdicts));
  Json line{{"type", "verdict"}, {"seconds", seconds_}};
  line.update(document);
  return line_of(line);
}

}  // namespace tidegauge::view
