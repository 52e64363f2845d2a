// SPDX-License-Identifier: Apache-2.0
// A page full of anything, as a job could leave it: the input is written over requests and
// listeners, again and again until the page is full.
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "record/ask_page.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tidegauge::record;
  auto page = AskPage::create();
  if (!page || size == 0) return 0;
  void* const map =
      ::mmap(nullptr, TIDEGAUGE_ASK_SIZE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, page->fd(), 0);
  if (map == MAP_FAILED) return 0;
  auto* const bytes = static_cast<std::uint8_t*>(map);
  constexpr std::size_t kFrom = offsetof(tidegauge_ask_header, request);
  for (std::size_t at = kFrom; at < TIDEGAUGE_ASK_SIZE_BYTES; at += size) {
    std::memcpy(bytes + at, data, std::min(size, TIDEGAUGE_ASK_SIZE_BYTES - at));
  }
  const auto before =
      tidegauge_ask_number(tidegauge_ask_request(static_cast<const tidegauge_ask_header*>(map)));
  const auto number = page->ask(TIDEGAUGE_SAVE);
  if (number != ((before + 1) & 0xffffffff)) std::abort();
  for (const auto& one : page->listeners()) {
    if (one.who.pid <= 0 || one.text.size() > TIDEGAUGE_ASK_TEXT_BYTES) std::abort();
  }
  ::munmap(map, TIDEGAUGE_ASK_SIZE_BYTES);
  return 0;
}
