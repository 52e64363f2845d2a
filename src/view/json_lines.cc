// SPDX-License-Identifier: Apache-2.0
// Sample lines are written as text at once: building a tree of values for them took a sixth of all
// the time that watching takes.
#include "view/json_lines.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "record/names.h"
#include "view/verdict_json.h"

namespace tidegauge::view {

namespace {

using Json = nlohmann::ordered_json;

// Names are any bytes; what is no UTF-8 becomes U+FFFD instead of an exception.
std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

template <class Number>
void put_number(std::string& line, Number number) {
  const fmt::format_int text(number);
  line.append(text.data(), text.size());
}

// Empty is not zero: what the kernel did not say is left out. `field` comes with its quotes, colon
// and the comma before it.
void put(std::string& line, std::string_view field, const std::optional<std::uint64_t>& value) {
  if (!value) return;
  line += field;
  put_number(line, *value);
}

void put_tree(std::string& line, const record::Ledger& ledger) {
  line += R"("tree":{"total_bytes":)";
  put_number(line, ledger.total);
  put(line, R"(,"anon_bytes":)", ledger.anon);
  put(line, R"(,"file_bytes":)", ledger.file);
  put(line, R"(,"shmem_bytes":)", ledger.shmem);
  put(line, R"(,"swap_bytes":)", ledger.swap);
  put(line, R"(,"page_tables_bytes":)", ledger.page_tables);
  put(line, R"(,"hugetlb_bytes":)", ledger.hugetlb);
  put(line, R"(,"gpu_bytes":)", ledger.gpu);
  if (ledger.charged) {
    put(line, R"(,"charged_bytes":)", ledger.charged);
    line += R"(,"unexplained_bytes":)";
    put_number(line, ledger.unexplained);
  }
  line += '}';
}

void put_memory(std::string& line, const record::Memory& memory) {
  put(line, R"(,"rss_bytes":)", memory.rss);
  put(line, R"(,"anon_bytes":)", memory.anon);
  put(line, R"(,"file_bytes":)", memory.file);
  put(line, R"(,"shmem_bytes":)", memory.shmem);
  put(line, R"(,"swap_bytes":)", memory.swap);
  put(line, R"(,"hugetlb_bytes":)", memory.hugetlb);
  put(line, R"(,"locked_bytes":)", memory.locked);
  put(line, R"(,"page_tables_bytes":)", memory.page_tables);
  put(line, R"(,"uss_bytes":)", memory.uss);
  put(line, R"(,"pss_bytes":)", memory.pss);
  put(line, R"(,"peak_rss_bytes":)", memory.peak_rss);
  put(line, R"(,"gpu_bytes":)", memory.gpu);
}

std::string name_fields(const record::Process& process) {
  std::string fields = R"(,"name":)";
  append_json_string(fields, process.name);
  fields += R"(,"role":)";
  append_json_string(fields, record::id_of(process.role));
  return fields;
}

std::string event_line(const record::Event& event) {
  Json line{{"type", "event"},
            {"seconds", static_cast<double>(event.at_ns) / 1e9},
            {"event", record::id_of(event.kind)}};
  if (event.process.pid != 0) line["pid"] = event.process.pid;
  if (!event.name.empty()) line["name"] = event.name;
  if (event.value) line["value"] = *event.value;
  if (event.total) line["total"] = *event.total;
  return line_of(line);
}

}  // namespace

void JsonLines::put_sample(const record::Sample& sample, const record::LedgerKeeper& ledgers) {
  seconds_ = static_cast<double>(sample.at_ns) / 1e9;
  line_ = R"({"type":"sample","seconds":)";
  fmt::format_to(std::back_inserter(line_), "{},", seconds_);
  put_tree(line_, ledgers.last());
  line_ += R"(,"processes":)";
  line_ += processes_of(sample, ledgers.processes_as_before());
  line_ += "}\n";
}

const std::string& JsonLines::processes_of(const record::Sample& sample, bool as_before) {
  if (as_before && !last_text_.empty()) return last_text_;
  auto& text = last_text_ = '[';
  for (const auto& one : sample.processes) {
    text += R"({"pid":)";
    put_number(text, one.id.pid);
    put(text, R"(,"start_ticks":)", one.id.start_ticks);
    if (const auto found = names_.find(one.id); found != names_.end()) text += found->second;
    put_memory(text, one.memory);
    put(text, R"(,"threads":)", one.activity.threads);
    put(text, R"(,"fds":)", one.activity.fds);
    put(text, R"(,"vmas":)", one.activity.vmas);
    text += "},";
  }
  if (text.back() == ',') text.pop_back();
  text += ']';
  return text;
}

std::string_view JsonLines::add(const record::Entry& entry, const record::LedgerKeeper& ledgers) {
  if (const auto* sample = std::get_if<record::Sample>(&entry)) {
    put_sample(*sample, ledgers);
    return line_;
  }
  if (const auto* process = std::get_if<record::Process>(&entry)) {
    names_[process->id] = name_fields(*process);
    last_text_.clear();
    return {};
  }
  const auto& event = std::get<record::Event>(entry);
  if (event.kind == record::EventKind::Exited) names_.erase(event.process);
  return line_ = event_line(event);
}

std::string_view JsonLines::verdict(const verdict::Verdicts& verdicts, const std::string& source,
                                    const std::optional<Killed>& killed) {
  if (verdicts.all.empty() || last_class_ == verdicts.all.front().klass) return {};
  return last_verdict(verdicts, source, killed);
}

std::string_view JsonLines::last_verdict(const verdict::Verdicts& verdicts,
                                         const std::string& source,
                                         const std::optional<Killed>& killed) {
  if (!verdicts.all.empty()) last_class_ = verdicts.all.front().klass;
  auto document = Json::parse(verdict_document(source, verdicts, killed));
  Json line{{"type", "verdict"}, {"seconds", seconds_}};
  line.update(document);
  return line_ = line_of(line);
}

}  // namespace tidegauge::view
