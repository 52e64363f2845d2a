// SPDX-License-Identifier: Apache-2.0
#include "guard/answers.h"

#include <algorithm>
#include <csignal>

namespace tidegauge::guard {

namespace {

struct Said {
  std::uint32_t state = 0;
  std::uint64_t answered = 0;
  bool whole = false;
};

Said said_by(tidegauge_listener* place) {
  Said said;
  const auto before = __atomic_load_n(&place->seq, __ATOMIC_ACQUIRE);
  said.state = __atomic_load_n(&place->state, __ATOMIC_RELAXED);
  said.answered = __atomic_load_n(&place->answered, __ATOMIC_RELAXED);
  const auto after = __atomic_fetch_add(&place->seq, 0, __ATOMIC_ACQ_REL);
  said.whole = before % 2 == 0 && after == before;
  return said;
}

bool belongs(pid_t pid, const Levers& cell) {
  if (pid <= 0) return false;
  return cell.join_count() > 0 ? cell.holds(pid) : ::kill(pid, 0) == 0;
}

}  // namespace

Answers answers_on(tidegauge_ask_header* page, const Levers& cell, std::uint64_t request) {
  Answers answers;
  std::size_t saved = 0, failed = 0, saving = 0, silent = 0;
  for (std::size_t i = 0; page != nullptr && i < TIDEGAUGE_ASK_LISTENERS; ++i) {
    auto* const place = tidegauge_ask_listener(page, i);
    const auto pid = static_cast<pid_t>(__atomic_load_n(&place->pid, __ATOMIC_ACQUIRE));
    if (!belongs(pid, cell)) continue;
    answers.who[answers.count++] = pid;
    const auto said = said_by(place);
    if (!said.whole || said.answered < request) {
      ++silent;
    } else if (said.state == TIDEGAUGE_SAVED) {
      ++saved;
    } else if (said.state == TIDEGAUGE_NOT_SAVED) {
      ++failed;
    } else if (said.state == TIDEGAUGE_SAVING) {
      ++saving;
    }  // one that came after the request was not asked
  }
  if (request == 0) return answers;
  if (failed > 0) {
    answers.heard = Heard::NotSaved;
  } else if (saving > 0) {
    answers.heard = Heard::Saving;
  } else if (saved > 0 && silent == 0) {
    answers.heard = Heard::Saved;
  }
  return answers;
}

bool all_saved(tidegauge_ask_header* page, const Answers& asked, std::uint64_t request) {
  if (page == nullptr || request == 0) return false;
  std::size_t saved = 0;
  for (std::size_t i = 0; i < TIDEGAUGE_ASK_LISTENERS; ++i) {
    auto* const place = tidegauge_ask_listener(page, i);
    const auto pid = static_cast<pid_t>(__atomic_load_n(&place->pid, __ATOMIC_ACQUIRE));
    const auto* const end = asked.who.data() + asked.count;
    if (std::find(asked.who.data(), end, pid) == end) continue;
    const auto said = said_by(place);
    if (said.whole && said.answered >= request && said.state == TIDEGAUGE_SAVED) ++saved;
  }
  return asked.count > 0 && saved == asked.count;
}

}  // namespace tidegauge::guard
