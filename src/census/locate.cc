// SPDX-License-Identifier: Apache-2.0
#include "census/locate.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <thread>

#include "census/elf_symbols.h"
#include "census/layout_checks.h"
#include "census/layout_search.h"
#include "census/other_runtime.h"

namespace tidegauge::census {

namespace {

constexpr std::string_view kCookie = "xdebugpy";  // in memory, from 3.13 on

// A file's bytes, for as long as this lives.
class MappedFile {
 public:
  explicit MappedFile(const CodeFile& file) {
    if (!file.file || file.bytes == 0) return;
    const auto size = static_cast<std::size_t>(file.bytes);
    void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.file.get(), 0);
    if (start != MAP_FAILED) bytes_ = {static_cast<const std::byte*>(start), size};
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_{};
};

bool has_cookie(const Memory& memory, Address runtime) {
  const auto cookie = memory.get<std::array<char, 8>>(runtime);
  return cookie && std::string_view(cookie->data(), cookie->size()) == kCookie;
}

bool is_free_threaded(const Memory& memory, Address runtime) {
  return has_cookie(memory, runtime) && memory.pointer(runtime + 16) == 1;
}

bool fits(const Memory& memory, Address runtime, const Layout& layout) {
  if (is_free_threaded(memory, runtime) != layout.free_threaded) return false;
  const auto interp = main_interpreter(memory, runtime, layout);
  if (interp == 0) return false;
  const auto thread = memory.pointer(interp + layout.interp_threads);
  if (thread == 0 || memory.pointer(thread + thread::kInterp) != interp) return false;
  // The youngest list of a busy process changes while we look, the oldest hardly ever does.
  constexpr Address kOldest = 2 * 24;
  if (!layout.free_threaded && !is_gc_head(memory, interp + layout.gc_heads + kOldest))
    return false;
  return is_dict(memory, layout, memory.pointer(interp + layout.interp_modules)) &&
         is_dict(memory, layout, memory.pointer(interp + layout.interp_sysdict));
}

// 3.9 and 3.10 keep their state at the same offsets; where a class has its names tells them apart.
bool class_fits(const Memory& memory, Address runtime, const Layout& layout) {
  const auto interp = main_interpreter(memory, runtime, layout);
  const auto type = some_heap_type(memory, layout, interp);
  constexpr Address kNameBeforeQualname = 16;
  const auto qualname = type + layout.heap_type_qualname;
  return type != 0 && type_name_of(memory, layout, memory.pointer(qualname)) == "str" &&
         type_name_of(memory, layout, memory.pointer(qualname - kNameBeforeQualname)) == "str";
}

struct Found {
  Address runtime = 0;
  std::optional<Address> version{};  // of Py_Version, from 3.11 on
  std::string build_id{};            // of the file that it is in
};

std::optional<Found> symbols_of(const CodeFile& code) {
  const MappedFile file(code);
  const ElfFile elf(file.bytes());
  const auto runtime = elf.symbol("_PyRuntime");
  const auto linked_at = elf.first_load_address();
  if (!runtime || !linked_at) return {};
  const Address shift = code.loaded_at - *linked_at;
  Found found{.runtime = *runtime + shift};
  if (const auto version = elf.symbol("Py_Version")) found.version = *version + shift;
  found.build_id = elf.build_id();
  return found;
}

// PY_VERSION_HEX: 0x030b07f0
std::string version_text(std::uint32_t hex) {
  return fmt::format("{}.{}.{}", hex >> 24, (hex >> 16) & 0xff, (hex >> 8) & 0xff);
}

std::vector<Region> data_regions(const std::vector<Region>& regions, Address runtime) {
  const auto home = std::find_if(regions.begin(), regions.end(),
                                 [&](const Region& region) { return region.holds(runtime); });
  std::vector<Region> data;
  if (home == regions.end()) return data;
  auto it = home;
  // The program's own writable mappings follow each other; .bss is the anonymous one behind them.
  while (it != regions.begin() && (it - 1)->inode == home->inode && (it - 1)->path == home->path) {
    --it;
  }
  for (; it != regions.end(); ++it) {
    const bool own = it->path == home->path;
    const bool bss = it->path.empty() && !data.empty() && it->begin == data.back().end;
    if (!own && !bss) break;
    if (it->writable) data.push_back(*it);
    if (bss) break;
  }
  return data;
}

std::optional<Found> find_runtime(const Target& target) {
  for (const auto& file : target.code) {
    if (auto found = symbols_of(file)) return found;
  }
  return {};
}

// Builds from 3.13 on carry a cookie in memory, so a stripped or unreadable file is no obstacle.
std::optional<Found> find_cookie(const Memory& memory, const std::vector<Region>& regions) {
  constexpr Address kMost = 64U << 20;
  for (const auto& region : regions) {
    if (!region.writable || region.inode == 0 || region.end - region.begin > kMost) continue;
    std::vector<std::byte> bytes(region.end - region.begin);
    if (!memory.read(region.begin, bytes)) continue;
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (auto at = text.find(kCookie); at != std::string_view::npos;
         at = text.find(kCookie, at + 1)) {
      if (at % 8 == 0) return Found{.runtime = region.begin + at};
    }
  }
  return {};
}

std::optional<Found> find_any(const Target& target, const Memory& memory) {
  auto found = find_runtime(target);
  return found ? found : find_cookie(memory, target.regions);
}

std::optional<std::uint32_t> version_of(const Memory& memory, const Found& found) {
  if (found.version) return memory.get<std::uint32_t>(*found.version);
  if (!has_cookie(memory, found.runtime)) return {};
  return memory.get<std::uint32_t>(found.runtime + 8);
}

// Of a build that no row fits.
void learn(const Target& target, const Memory& memory, const Found& found, Interpreter& python) {
  const auto take = [&](const std::optional<Layout>& row) {
    if (!row || !layout_fits(memory, found.runtime, *row)) return false;
    python.learned = std::make_unique<const Layout>(*row);
    python.layout = python.learned.get();
    return true;
  };
  for (const auto& kept : target.layouts) {
    const bool is_of_this_build = !found.build_id.empty() && kept.build_id == found.build_id;
    if ((is_of_this_build || kept.is_named) && take(kept.layout)) return;
  }
  python.searched = take(search_layout(memory, found.runtime, target.known));
}

std::string nothing_known(const Target& target, const Memory& memory, const Found& found) {
  const auto hex = version_of(memory, found);
  if (!hex && !other_runtime(target.program, target.regions).empty()) {
    return fmt::format("{} runs {}", target.pid, why_not_read(target.program, target.regions));
  }
  return fmt::format(
      "{} runs a {}CPython {} of which nothing is known here (--layout-from learns "
      "it from a Python of that version that you trust)",
      target.pid, is_free_threaded(memory, found.runtime) ? "free-threaded " : "",
      hex ? version_text(*hex) : "version");
}

}  // namespace

std::optional<FoundRuntime> find_cpython(const Target& target, const Memory& memory) {
  const auto found = find_any(target, memory);
  if (!found) return {};
  return FoundRuntime{.runtime = found->runtime,
                      .build_id = found->build_id,
                      .version = version_of(memory, *found),
                      .free_threaded = is_free_threaded(memory, found->runtime)};
}

bool layout_fits(const Memory& memory, Address runtime, const Layout& layout) {
  return fits(memory, runtime, layout) && class_fits(memory, runtime, layout);
}

const Layout* fitting_layout(const Memory& memory, Address runtime, std::span<const Layout> known) {
  const Layout* fitting = nullptr;
  for (const auto& layout : known) {
    if (!layout_fits(memory, runtime, layout)) continue;
    if (fitting != nullptr) return nullptr;
    fitting = &layout;
  }
  return fitting;
}

Result<Interpreter> locate(const Target& target, const Memory& memory) {
  const auto found = find_any(target, memory);
  if (!found) {
    return Error{Reason::Unsupported, fmt::format("{} runs {}", target.pid,
                                                  why_not_read(target.program, target.regions))};
  }
  Interpreter python{.runtime = found->runtime};
  // A process that runs may be caught in the middle of a change: look again a few times.
  constexpr int kLooks = 20;
  for (int look = 0; look < kLooks && python.layout == nullptr; ++look) {
    if (look > 0) std::this_thread::sleep_for(std::chrono::milliseconds(look));
    python.layout = fitting_layout(memory, found->runtime, target.known);
  }
  if (python.layout == nullptr) learn(target, memory, *found, python);
  const auto hex = version_of(memory, *found);
  if (python.layout == nullptr) {
    return Error{Reason::Unsupported, nothing_known(target, memory, *found)};
  }
  python.version = hex ? version_text(*hex) : python.layout->version;
  if (hex && python.layout->free_threaded) python.version += 't';  // as its program is called
  python.interpreters = all_interpreters(memory, found->runtime, *python.layout);
  if (python.interpreters.empty())
    return Error{Reason::Gone, fmt::format("{} has ended", target.pid)};
  python.data = data_regions(target.regions, found->runtime);
  const auto modules = memory.pointer(python.interpreters.back() + python.layout->interp_modules);
  const auto dict_type = memory.pointer(in_object(*python.layout, modules, object::kType));
  python.type_type = memory.pointer(in_object(*python.layout, dict_type, object::kType));
  return python;
}

}  // namespace tidegauge::census
