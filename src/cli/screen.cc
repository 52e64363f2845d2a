// SPDX-License-Identifier: Apache-2.0
#include "cli/screen.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "base/text.h"
#include "cli/command.h"
#include "view/live_state.h"
#include "view/status_line.h"

namespace tidegauge::cli {

namespace {

constexpr double kSecondsBetweenLines = 60;
// Long enough to read a path; then the keys are there again.
constexpr std::int64_t kNoteNs = 6'000'000'000;

view::LiveState state_of(const Session& session) {
  return view::live_state(session.summary().accounts(), session.verdicts());
}

}  // namespace

Screen::Screen(Kind kind, bool ascii) : lines_(kind == Kind::Best || kind == Kind::Lines) {
  const auto paper = paper_of(STDOUT_FILENO);
  const bool ours = paper.terminal && ::isatty(STDIN_FILENO) == 1;
  if (kind != Kind::View && !(kind == Kind::Best && ours)) return;
  auto live = Live::open({.ascii = ascii, .colour = paper.colour || kind == Kind::View});
  if (!live) return;  // a terminal that can do too little gets lines
  live_.emplace(*std::move(live));
  lines_ = false;
}

int Screen::fd() const {
  return live_ ? live_->fd() : -1;
}

void Screen::close() {
  live_.reset();
}

void Screen::show(Session& session) {
  if (lines_) show_line(session);
  if (!live_) return;
  auto state = state_of(session);
  if (session.now_ns() < note_until_ns_) state.note = note_;
  live_->show(state);
}

void Screen::show_line(Session& session) {
  const auto& all = session.verdicts().all;
  const auto klass = all.empty() ? std::optional<verdict::Class>{} : all.front().klass;
  const double now = static_cast<double>(session.now_ns()) / 1e9;
  const auto kills = session.summary().accounts().oom_kills.news();
  if (klass == last_class_ && kills == last_kills_ && now < last_line_at_ + kSecondsBetweenLines)
    return;
  last_class_ = klass;
  last_kills_ = kills;
  last_line_at_ = now;
  put(stderr, view::status_line(state_of(session)) + "\n");
}

bool Screen::take_keys(Session& session) {
  if (!live_) return false;
  bool leave = false;
  while (const auto key = live_->poll()) {
    if (*key == view::Key::Quit) leave = true;
    if (*key == view::Key::Report) {
      const auto path = session.write_report();
      note_ = path ? "report written to " + printable(*path) : path.error().what;
      note_until_ns_ = session.now_ns() + kNoteNs;
    }
  }
  if (!leave) show(session);
  return leave;
}

}  // namespace tidegauge::cli
