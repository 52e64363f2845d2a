// SPDX-License-Identifier: Apache-2.0
#include "record/sealed_memory.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <utility>

namespace tidegauge::record {

namespace {

constexpr unsigned kNoExecSeal = 0x8;  // MFD_NOEXEC_SEAL, Linux 6.3: else the kernel log complains

}  // namespace

void UnmapWords::operator()(std::uint64_t* words) const {
  ::munmap(words, bytes);
}

Result<SealedMemory> sealed_memory(const std::string& name, std::size_t bytes) {
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  UniqueFd fd(::memfd_create(name.c_str(), kFlags | kNoExecSeal));
  if (!fd) fd = UniqueFd(::memfd_create(name.c_str(), kFlags));
  if (!fd) return from_errno(errno, name);
  // Sparse memory would kill the writer by SIGBUS when no page is left for it.
  if (const int error = ::posix_fallocate(fd.get(), 0, static_cast<off_t>(bytes)); error != 0) {
    return from_errno(error, name);
  }
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return from_errno(errno, "sealing " + name);
  }
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (at == MAP_FAILED) return from_errno(errno, "mapping " + name);
  return SealedMemory{std::move(fd),
                      SharedWords(static_cast<std::uint64_t*>(at), UnmapWords{bytes})};
}

}  // namespace tidegauge::record
