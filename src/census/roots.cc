// SPDX-License-Identifier: Apache-2.0
#include "census/roots.h"

#include <fmt/format.h>

#include <algorithm>

#include "census/dicts.h"
#include "census/frames.h"
#include "secrets/shown.h"

namespace tidegauge::census {

namespace {

constexpr std::size_t kLongestName = 120;
constexpr std::uint64_t kMostLocals = 5'000;

// "/home/me/train.py" is "train", as its module would be called.
std::string file_stem(const std::string& path) {
  const auto name = path.substr(path.rfind('/') + 1);
  return name.ends_with(".py") ? name.substr(0, name.size() - 3) : name;
}

class Finder {
 public:
  Finder(const Memory& memory, const Interpreter& python, TypeTable& types)
      : memory_(memory), layout_(*python.layout), types_(types) {}

  void modules_of(Address interp) {
    const auto modules = memory_.pointer(interp + layout_.interp_modules);
    for_each_item(memory_, layout_, modules, [&](Address key_at, Address module) {
      const auto dict = memory_.pointer(module + layout_.header());
      if (shape_of(module) == Shape::Module && shape_of(dict) == Shape::Dict) {
        roots_.push_back({dict, Root::Kind::Module, name(memory_.pointer(key_at)), true});
      }
      return true;
    });
    roots_.push_back({modules, Root::Kind::Module, "sys.modules"});
  }

  void threads_of(Address interp) {
    for_each_thread(memory_, layout_, interp, [&](Address thread) {
      const auto first = static_cast<std::ptrdiff_t>(roots_.size());
      for_each_running(memory_, layout_, types_, thread, [&](const RunningFunction& running) {
        locals(running.code, running.locals);
        if (running.object != 0) {
          roots_.push_back({running.object, Root::Kind::Frame, function_name(running.code)});
        }
        return true;
      });
      // What is handed down has its name from where it came from: main()'s, not the last callee's.
      std::reverse(roots_.begin() + first, roots_.end());
    });
  }

  std::vector<Root> take() { return std::move(roots_); }

 private:
  std::string text(Address object) const {
    return read_text(memory_, layout_, object, kLongestName);
  }
  std::string name(Address object) const { return secrets::shown_name(text(object)); }

  Shape shape_of(Address object) { return census::shape_of(memory_, types_, object); }

  std::string function_name(Address code) const {
    std::string function;
    if (layout_.code_qualname != 0) function = name(memory_.pointer(code + layout_.code_qualname));
    if (function.empty()) function = name(memory_.pointer(code + layout_.code_name));
    const auto file = file_stem(text(memory_.pointer(code + layout_.code_filename)));
    return secrets::shown_name(file) + "." + function + "()";
  }

  void locals(Address code, Address first) {
    const auto names = memory_.pointer(code + layout_.code_local_names);
    if (shape_of(names) != Shape::Tuple) return;
    const auto count =
        memory_.get<std::uint64_t>(in_object(layout_, names, object::kSize)).value_or(0);
    // A module's own code has none: its variables are in the module's dict.
    if (count == 0 || count > kMostLocals) return;
    const auto function = function_name(code);
    constexpr Address kTag = 3;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto slot = memory_.pointer(first + i * 8);
      if (slot == 0 || slot == 1 || (slot & kTag) == kTag) continue;  // unbound, or a small number
      const auto local = name(memory_.pointer(names + layout_.tuple_items + i * 8));
      roots_.push_back(
          {slot & ~kTag, Root::Kind::Frame, fmt::format("{} local '{}'", function, local)});
    }
  }

  const Memory& memory_;
  const Layout& layout_;
  TypeTable& types_;
  std::vector<Root> roots_;
};

}  // namespace

std::vector<Root> find_roots(const Memory& memory, const Interpreter& python, TypeTable& types) {
  Finder finder(memory, python, types);
  for (const auto interp : python.interpreters) {
    finder.threads_of(interp);
    finder.modules_of(interp);
  }
  return finder.take();
}

const char* name_of(Root::Kind kind) {
  switch (kind) {
    case Root::Kind::Module:
      return "module";
    case Root::Kind::Frame:
      return "frame";
    case Root::Kind::Thread:
      return "thread";
    case Root::Kind::Type:
      return "type";
    case Root::Kind::Native:
      return "native";
  }
  return "native";
}

}  // namespace tidegauge::census
