// SPDX-License-Identifier: Apache-2.0
#include "record/names.h"

#include <array>
#include <cassert>

namespace tidegauge::record {

namespace {

template <class Enum>
struct Name {
  Enum value;
  const char* id;
};

constexpr std::array kRoles = {
    Name<Role>{Role::Other, "other"},
    Name<Role>{Role::Main, "main"},
    Name<Role>{Role::Wrapper, "wrapper"},
    Name<Role>{Role::CompileWorker, "compile_worker"},
    Name<Role>{Role::LoaderWorker, "loader_worker"},
};

constexpr std::array kEventKinds = {
    Name<EventKind>{EventKind::Started, "started"},
    Name<EventKind>{EventKind::Exited, "exited"},
    Name<EventKind>{EventKind::Exec, "exec"},
    Name<EventKind>{EventKind::Step, "step"},
    Name<EventKind>{EventKind::Epoch, "epoch"},
    Name<EventKind>{EventKind::PhaseBegin, "phase_begin"},
    Name<EventKind>{EventKind::PhaseEnd, "phase_end"},
    Name<EventKind>{EventKind::Distinct, "distinct"},
    Name<EventKind>{EventKind::Note, "note"},
    Name<EventKind>{EventKind::MarksLost, "marks_lost"},
    Name<EventKind>{EventKind::OomKill, "oom_kill"},
    Name<EventKind>{EventKind::Gap, "gap"},
    Name<EventKind>{EventKind::Held, "held"},
};

constexpr std::array kMarkSources = {
    Name<MarkSource>{MarkSource::Kernel, "kernel"},
    Name<MarkSource>{MarkSource::Explicit, "explicit"},
    Name<MarkSource>{MarkSource::Framework, "framework"},
    Name<MarkSource>{MarkSource::Optimizer, "optimizer"},
    Name<MarkSource>{MarkSource::Loader, "loader"},
    Name<MarkSource>{MarkSource::Output, "output"},
    Name<MarkSource>{MarkSource::File, "file"},
};

// The tables are in the order of their enumerators, so a value is its index.
template <class Table, class Enum>
const char* find_id(const Table& table, Enum value) {
  const auto index = static_cast<std::size_t>(value);
  assert(index < table.size() && table[index].value == value);
  return table[index].id;
}

template <class Enum, std::size_t N>
std::optional<Enum> find_value(const std::array<Name<Enum>, N>& table, std::string_view id) {
  for (const auto& name : table) {
    if (id == name.id) return name.value;
  }
  return {};
}

}  // namespace

const char* id_of(Role role) {
  return find_id(kRoles, role);
}
const char* id_of(EventKind kind) {
  return find_id(kEventKinds, kind);
}
const char* id_of(MarkSource source) {
  return find_id(kMarkSources, source);
}

std::optional<Role> role_of(std::string_view id) {
  return find_value(kRoles, id);
}
std::optional<EventKind> event_kind_of(std::string_view id) {
  return find_value(kEventKinds, id);
}
std::optional<MarkSource> mark_source_of(std::string_view id) {
  return find_value(kMarkSources, id);
}

}  // namespace tidegauge::record
