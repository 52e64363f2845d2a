// SPDX-License-Identifier: Apache-2.0
#include "cli/live.h"

#include <fcntl.h>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/fd.h"
#include "cli/terminfo.h"
#include "view/frame.h"

// Last, and in this file only: it defines macros such as OK, erase, move and timeout.
#define NCURSES_NOMACROS 1
#include <ncurses.h>
#undef OK

namespace tidegauge::cli {

namespace {

using view::Key;
using view::Style;

constexpr int kEscapeDelayMs = 25;  // an arrow key's bytes come together; nobody types ESC [ D
constexpr std::size_t kStyles = static_cast<std::size_t>(Style::Keys) + 1;

// What a style looks like: 256 colours where the terminal has them, else the eight, else attributes
// alone. -1 is the terminal's own.
struct Look {
  short foreground = -1;
  short background = -1;
  short foreground8 = -1;
  short background8 = -1;
  attr_t attributes = A_NORMAL;
};

Look look_of(Style style) {
  switch (style) {
    case Style::Plain:
      return {};
    case Style::Dim:
      return {.foreground = 245, .attributes = A_NORMAL};
    case Style::Strong:
      return {.attributes = A_BOLD};
    case Style::TagGood:
      return {16, 79, COLOR_BLACK, COLOR_GREEN, A_BOLD};
    case Style::TagWait:
      return {16, 214, COLOR_BLACK, COLOR_YELLOW, A_BOLD};
    case Style::TagBad:
      return {16, 209, COLOR_BLACK, COLOR_RED, A_BOLD};
    case Style::Good:
      return {79, -1, COLOR_GREEN, -1, A_NORMAL};
    case Style::Wait:
      return {214, -1, COLOR_YELLOW, -1, A_NORMAL};
    case Style::Bad:
      return {209, -1, COLOR_RED, -1, A_NORMAL};
    case Style::Floor:
      return {38, -1, COLOR_CYAN, -1, A_NORMAL};
    case Style::FloorBody:
      return {-1, 24, COLOR_BLUE, -1, A_NORMAL};
    case Style::Spike:
      return {110, -1, COLOR_WHITE, -1, A_NORMAL};
    case Style::Phase:
      return {97, -1, COLOR_MAGENTA, -1, A_NORMAL};
    case Style::Limit:
      return {209, -1, COLOR_RED, -1, A_NORMAL};
    case Style::Forecast:
      return {214, -1, COLOR_YELLOW, -1, A_NORMAL};
    case Style::Bounded:
      return {79, -1, COLOR_GREEN, -1, A_NORMAL};
    case Style::Keys:
      return {252, 238, -1, -1, A_NORMAL};
  }
  return {};
}

// Without colour a tag must still stand out, and so must the line of keys.
attr_t plain_attributes(Style style) {
  switch (style) {
    case Style::TagGood:
    case Style::TagWait:
    case Style::TagBad:
      return A_REVERSE | A_BOLD;
    case Style::Keys:
      return A_REVERSE;
    case Style::Strong:
      return A_BOLD;
    case Style::Dim:
      return A_DIM;
    default:
      return A_NORMAL;
  }
}

std::optional<Key> key_of(int code) {
  switch (code) {
    case 'q':
    case 'Q':
      return Key::Quit;
    case 'p':
    case ' ':
      return Key::Pause;
    case '+':
    case '=':
      return Key::ZoomIn;
    case '-':
    case '_':
      return Key::ZoomOut;
    case '0':
      return Key::ZoomReset;
    case KEY_LEFT:
    case '<':
    case ',':
      return Key::Left;
    case KEY_RIGHT:
    case '>':
    case '.':
      return Key::Right;
    case 's':
      return Key::StepAxis;
    case 'k':
      return Key::Kinds;
    case 'm':
      return Key::Sort;
    case 'r':
      return Key::Report;
    case '?':
    case 'h':
      return Key::Help;
    case KEY_RESIZE:
      return Key::Resize;
    default:
      return {};
  }
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

File open_terminal(const char* mode) {
  return File(std::fopen("/dev/tty", mode));
}

}  // namespace

struct Live::State {
  ~State() {
    if (!screen) return;
    endwin();
    delscreen(screen);
  }

  void prepare(const Options& options);
  void make_pairs();
  void draw();
  void draw_cell(int row, int column, const view::Cell& cell);
  view::Size size() const { return {getmaxx(stdscr), getmaxy(stdscr)}; }

  File in{};
  File out{};
  SCREEN* screen = nullptr;
  bool unicode = false;
  bool colour = false;
  bool many_colours = false;
  view::Controls controls{};
  std::optional<view::LiveState> shown{};
  view::Grid last{view::Size{0, 0}};
};

void Live::State::prepare(const Options& options) {
  cbreak();  // keys at once; Ctrl-C and Ctrl-Z stay signals
  noecho();
  nonl();
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  leaveok(stdscr, TRUE);
  set_escdelay(kEscapeDelayMs);
  curs_set(0);
  unicode = !options.ascii && std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  const char* no_colour = std::getenv("NO_COLOR");
  colour = options.colour && has_colors() && !(no_colour && *no_colour);
  if (!colour) return;
  start_color();
  use_default_colors();
  many_colours = COLORS >= 256;
  make_pairs();
}

void Live::State::make_pairs() {
  for (std::size_t i = 0; i < kStyles; ++i) {
    const auto look = look_of(static_cast<Style>(i));
    const auto pair = static_cast<short>(i + 1);
    if (!many_colours) {
      init_pair(pair, look.foreground8, look.background8);
      continue;
    }
    init_pair(pair, look.foreground, look.background);
  }
}

void Live::State::draw_cell(int row, int column, const view::Cell& cell) {
  if (cell.tail) return;
  const auto look = look_of(cell.style);
  short pair = 0;
  attr_t attributes = plain_attributes(cell.style);
  wchar_t glyph[] = {static_cast<wchar_t>(cell.glyph), L'\0'};
  if (colour) {
    pair = static_cast<short>(static_cast<int>(cell.style) + 1);
    const bool reversed = look.background8 < 0 && cell.style == Style::Keys && !many_colours;
    attributes = look.attributes | (reversed ? A_REVERSE : A_NORMAL);
    if (many_colours && cell.style == Style::FloorBody) glyph[0] = L' ';
  }
  cchar_t one{};
  setcchar(&one, glyph, attributes, pair, nullptr);
  mvadd_wch(row, column, &one);
}

void Live::State::draw() {
  if (!shown) return;
  auto grid = view::frame(*shown, controls, size(), unicode);
  const bool same_size = grid.size() == last.size();
  if (!same_size) ::werase(stdscr);
  for (int row = 0; row < grid.size().rows; ++row) {
    for (int column = 0; column < grid.size().columns; ++column) {
      const auto& cell = grid.at(row, column);
      if (!same_size || !(cell == last.at(row, column))) draw_cell(row, column, cell);
    }
  }
  ::refresh();
  last = std::move(grid);
}

Live::Live(std::unique_ptr<State> state) : state_(std::move(state)) {}
Live::Live(Live&&) noexcept = default;
Live& Live::operator=(Live&&) noexcept = default;
Live::~Live() = default;

Result<Live> Live::open(const Options& options) {
  auto state = std::make_unique<State>();
  state->out = open_terminal("w");
  state->in = open_terminal("r");
  if (!state->out || !state->in) return from_errno(errno, "/dev/tty");
  std::setlocale(LC_CTYPE, "");
  if (terminal_skills().moves_cursor) {
    state->screen = newterm(nullptr, state->out.get(), state->in.get());
  }
  if (!state->screen) {
    const char* name = std::getenv("TERM");
    return Error{Reason::Unsupported, std::string("the terminal '") + (name ? name : "") +
                                          "' can do too little for a live view"};
  }
  state->prepare(options);
  return Live(std::move(state));
}

void Live::show(const view::LiveState& state) {
  // Under `run` the signal of a new size is the job's and does not reach ncurses.
  winsize now{};
  if (::ioctl(fd(), TIOCGWINSZ, &now) == 0 && is_term_resized(now.ws_row, now.ws_col)) {
    resizeterm(now.ws_row, now.ws_col);
  }
  if (!state_->controls.paused_at || !state_->shown) state_->shown = state;
  state_->shown->note = state.note;  // what was asked for is answered all the same
  state_->draw();
}

std::optional<Key> Live::poll() {
  auto& state = *state_;
  while (true) {
    const int code = ::wgetch(stdscr);
    if (code == ERR) return {};
    const auto key = key_of(code);
    if (!key) continue;
    if (*key == Key::Quit || *key == Key::Report) return key;
    if (state.shown)
      state.controls = view::turned(state.controls, *key, view::extent_of(*state.shown));
    state.draw();
  }
}

int Live::fd() const {
  return ::fileno(state_->in.get());
}

}  // namespace tidegauge::cli
