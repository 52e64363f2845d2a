// SPDX-License-Identifier: Apache-2.0
#include "census/stub.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

// What the numbers are: 14 rt_sigprocmask, 56 clone, 60 exit, 9 mmap, 28 madvise, 11 munmap, 61
// wait4. The first part is run by a thread that has flags of its own: nothing in it changes flags.
// It neither calls nor returns (a shadow stack sees nothing of it), and pushes nothing: a signal's
// handler may run in between, on the thread's own stack.
asm(R"(
.pushsection .rodata, "a", @progbits
.balign 16
tidegauge_stub_begin:
tidegauge_stub_enter:
    movl $14, %eax                      # no signals: the helper is born with that
    movl $2, %edi                       # SIG_SETMASK
    leaq tidegauge_stub_all(%rip), %rsi
    movl $0, %edx
    movl $8, %r10d
    syscall
    movl $56, %eax
    movl $0x10f00, %edi                 # CLONE_VM FS FILES SIGHAND THREAD
    movl $8, %esi                       # no stack
    syscall
tidegauge_stub_after_clone:
    movq %rax, %rcx
    jrcxz tidegauge_stub_leave          # the helper, to which nobody has said anything
    movl $14, %eax
    movl $2, %edi
    leaq tidegauge_stub_blocked(%rip), %rsi
    movl $0, %edx
    movl $8, %r10d
    syscall
    movq tidegauge_stub_registers+0(%rip), %rax
    movq tidegauge_stub_registers+8(%rip), %rcx
    movq tidegauge_stub_registers+16(%rip), %rdx
    movq tidegauge_stub_registers+24(%rip), %rsi
    movq tidegauge_stub_registers+32(%rip), %rdi
    movq tidegauge_stub_registers+40(%rip), %r10
    movq tidegauge_stub_registers+48(%rip), %r11
    jmpq *tidegauge_stub_registers+56(%rip)

tidegauge_stub_leave:
    movl $60, %eax
    xorl %edi, %edi
    syscall

tidegauge_stub_map:
    movl $9, %eax
    xorl %edi, %edi
    movq %r15, %rsi
    movl $3, %edx                       # PROT_READ PROT_WRITE
    movl $0x22, %r10d                   # MAP_PRIVATE MAP_ANONYMOUS
    movq $-1, %r8
    xorl %r9d, %r9d
    syscall
    movq %rax, %r14
    jmp tidegauge_stub_finish

tidegauge_stub_advise:
    movq %r12, %rbp
1:  cmpq %r13, %rbp
    jae 2f
    movq 0(%rbp), %rdi
    movq 8(%rbp), %rsi
    movl $10, %edx                      # MADV_DONTFORK
    movl $28, %eax
    syscall
    addq $16, %rbp
    jmp 1b
2:  movl $56, %eax
    movl $0x600, %edi                   # CLONE_FS FILES: no descriptors of its own, no signal
    movl $8, %esi                       # no stack
    syscall
    testl %eax, %eax
    jz tidegauge_stub_leave             # the copy
    movl %eax, %ebx
    movq %r12, %rbp
3:  cmpq %r13, %rbp
    jae tidegauge_stub_finish
    movq 0(%rbp), %rdi
    movq 8(%rbp), %rsi
    movl $11, %edx                      # MADV_DOFORK
    movl $28, %eax
    syscall
    addq $16, %rbp
    jmp 3b

tidegauge_stub_finish:
    testq %r15, %r15
    jz 4f
    movl $11, %eax
    movq %r14, %rdi
    movq %r15, %rsi
    syscall
4:  testl %ebx, %ebx
    jle tidegauge_stub_leave
    movl $61, %eax
    movl %ebx, %edi
    xorl %esi, %esi
    movl $0x40000000, %edx              # __WALL
    xorl %r10d, %r10d
    syscall
    jmp tidegauge_stub_leave

.balign 8
tidegauge_stub_all: .quad -1
tidegauge_stub_registers: .fill 8, 8, 0
tidegauge_stub_blocked: .quad 0
tidegauge_stub_end:
.popsection
)");

extern "C" {
extern const std::byte tidegauge_stub_begin[];
extern const std::byte tidegauge_stub_enter[];
extern const std::byte tidegauge_stub_after_clone[];
extern const std::byte tidegauge_stub_leave[];
extern const std::byte tidegauge_stub_map[];
extern const std::byte tidegauge_stub_advise[];
extern const std::byte tidegauge_stub_finish[];
extern const std::byte tidegauge_stub_registers[];
extern const std::byte tidegauge_stub_end[];
}

namespace tidegauge::census {

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kAlignment = 16;

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::size_t offset_of(const std::byte* place) {
  return static_cast<std::size_t>(place - tidegauge_stub_begin);
}

// What is the same wherever and whenever it lies there.
std::span<const std::byte> instructions() {
  return stub::code().first(stub::offsets().registers);
}

bool write_all(const UniqueFd& memory, Address to, std::span<const std::byte> bytes) {
  const auto written = ::pwrite(memory.get(), bytes.data(), bytes.size(), static_cast<off_t>(to));
  return written == static_cast<ssize_t>(bytes.size());
}

bool read_all(const UniqueFd& memory, Address from, std::span<std::byte> bytes) {
  const auto got = ::pread(memory.get(), bytes.data(), bytes.size(), static_cast<off_t>(from));
  return got == static_cast<ssize_t>(bytes.size());
}

}  // namespace

GoingOn where_it_goes_on(const user_regs_struct& registers) {
  // From the kernel's own headers: what it says to itself of a call that has to begin again.
  constexpr std::int64_t kRestart[] = {-512, -513, -514};  // ERESTARTSYS, NOINTR, NOHAND
  constexpr std::int64_t kRestartBlock = -516;             // and it remembers with what
  constexpr std::uint64_t kInstructionBytes = 2;
  const auto result = static_cast<std::int64_t>(registers.rax);
  if (static_cast<std::int64_t>(registers.orig_rax) < 0) return {registers.rip, registers.rax};
  if (result == kRestartBlock) return {registers.rip - kInstructionBytes, SYS_restart_syscall};
  if (std::find(std::begin(kRestart), std::end(kRestart), result) == std::end(kRestart)) {
    return {registers.rip, registers.rax};
  }
  return {registers.rip - kInstructionBytes, registers.orig_rax};
}

namespace stub {

std::span<const std::byte> code() {
  return {tidegauge_stub_begin, offset_of(tidegauge_stub_end)};
}

const Offsets& offsets() {
  static const Offsets all{.enter = offset_of(tidegauge_stub_enter),
                           .after_clone = offset_of(tidegauge_stub_after_clone),
                           .map = offset_of(tidegauge_stub_map),
                           .advise = offset_of(tidegauge_stub_advise),
                           .finish = offset_of(tidegauge_stub_finish),
                           .leave = offset_of(tidegauge_stub_leave),
                           .registers = offset_of(tidegauge_stub_registers)};
  return all;
}

std::optional<std::size_t> room_in(std::span<const std::byte> page) {
  if (const auto there = as_text(page).find(as_text(instructions()));
      there != std::string_view::npos && there % kAlignment == 0 &&
      page.size() - there >= code().size()) {
    return there;
  }
  const auto last =
      std::find_if(page.rbegin(), page.rend(), [](std::byte byte) { return byte != std::byte{}; });
  const auto used = static_cast<std::size_t>(page.rend() - last);
  // Some of the zeros may belong to what is before them.
  const auto begin = (used + 2 * kAlignment - 1) / kAlignment * kAlignment;
  if (begin + code().size() > page.size()) return {};
  return begin;
}

}  // namespace stub

std::optional<Stub> Stub::put_into(pid_t pid) {
  auto regions = read_regions(pid);
  UniqueFd memory(::open(fmt::format("/proc/{}/mem", pid).c_str(), O_RDWR | O_CLOEXEC));
  if (!regions || !memory) return {};
  std::erase_if(*regions, [](const Region& region) {
    return !region.executable || !region.readable || region.writable || region.shared ||
           (region.inode == 0 && region.path != "[vdso]");
  });
  // The kernel's own first: it is always there.
  std::stable_partition(regions->begin(), regions->end(),
                        [](const Region& region) { return region.path == "[vdso]"; });
  std::array<std::byte, kPage> page;
  for (const auto& region : *regions) {
    if (!read_all(memory, region.end - kPage, page)) continue;
    const auto room = stub::room_in(page);
    if (!room) continue;
    const auto begin = region.end - kPage + *room;
    const auto is_there = std::equal(instructions().begin(), instructions().end(),
                                     page.begin() + static_cast<std::ptrdiff_t>(*room));
    if (is_there || write_all(memory, begin, instructions())) return Stub(std::move(memory), begin);
  }
  return {};
}

bool Stub::keep(const stub::Kept& registers) const {
  return write_all(memory_, at(stub::offsets().registers), std::as_bytes(std::span(&registers, 1)));
}

bool Stub::is_in_use() const {
  stub::Kept kept;
  return !read_all(memory_, at(stub::offsets().registers),
                   std::as_writable_bytes(std::span(&kept, 1))) ||
         kept.rip != 0;
}

}  // namespace tidegauge::census
