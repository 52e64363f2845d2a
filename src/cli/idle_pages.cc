// SPDX-License-Identifier: Apache-2.0
#include "cli/idle_pages.h"

#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <span>

namespace tidegauge::cli {

namespace {

// Of one loaded object: what can only be read is in its file as it is in memory.
int give_back_of(dl_phdr_info* object, std::size_t /*size*/, void* /*unused*/) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (const auto& part : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) != 0) continue;
    const auto begin = (object->dlpi_addr + part.p_vaddr) / page * page;
    const auto end = (object->dlpi_addr + part.p_vaddr + part.p_memsz + page - 1) / page * page;
    ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }
  return 0;
}

}  // namespace

void give_back_free_heap() {
  ::malloc_trim(0);
}

void give_back_idle_code() {
  ::dl_iterate_phdr(give_back_of, nullptr);
}

}  // namespace tidegauge::cli
