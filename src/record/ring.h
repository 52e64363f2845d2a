// SPDX-License-Identifier: Apache-2.0
// The ring through which a job tells the gauge about its steps: memory that both share, laid out as
// docs/marks.md says, and the side that writes. C11 and C++, needs nothing of ours, is installed as
// <tidegauge/ring.h>. A writer never waits, takes no lock, allocates nothing, leaves no file open,
// needs no reader and outlives it; whatever goes wrong, the job goes on without marks.
#pragma once

#include <assert.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef MAP_POPULATE
#error \
    "tidegauge: compile with -std=gnu11 (not c11), or define _GNU_SOURCE before the first #include"
#endif

// NOLINTBEGIN(modernize-use-nullptr): C has no nullptr.
enum {
  TIDEGAUGE_RING_VERSION = 1,
  TIDEGAUGE_RING_HEADER_BYTES = 4096,  // a page, so that the header can grow
  TIDEGAUGE_RING_SLOT_BYTES = 64,      // a cache line
  TIDEGAUGE_RING_SLOTS = 1 << 14,      // 8 ranks at 2,000 marks a second fill it in a second
  TIDEGAUGE_RING_MOST_SLOTS = 1 << 20,
  TIDEGAUGE_RING_TEXT_BYTES = 24,  // of a text, in each slot
  TIDEGAUGE_RING_TEXT_SLOTS = 10   // a longer text is cut
};

enum tidegauge_kind {
  TIDEGAUGE_STEP = 1,         // a: number of the step that ended; b: how many there will be, or 0
  TIDEGAUGE_EPOCH = 2,        // a: number of the epoch that begins; b: how many, or 0; c: of a
                              // loader, which data set (as in the source of its DISTINCT), or 0
  TIDEGAUGE_PHASE_BEGIN = 3,  // text: its name
  TIDEGAUGE_PHASE_END = 4,
  TIDEGAUGE_DISTINCT = 5,  // a: distinct examples this process has read; b: size of its data set
  TIDEGAUGE_NOTE = 6,      // text
  TIDEGAUGE_MORE_TEXT = 7  // goes on from the slot before
};

enum tidegauge_source {
  TIDEGAUGE_EXPLICIT = 1,   // the job's own word
  TIDEGAUGE_FRAMEWORK = 2,  // a trainer's own counter
  TIDEGAUGE_OPTIMIZER = 3,
  TIDEGAUGE_LOADER = 4
};

// One mark, as it lies in memory. A text takes the place of a, b and c, padded with zeros, and goes
// on in the following slots; `flags` of the first counts those, theirs numbers them from 1.
struct tidegauge_slot {
  uint64_t seq;   // 0 while it is being written, then its index in the order of all marks, plus 1
  uint64_t t_ns;  // CLOCK_MONOTONIC
  uint32_t pid;
  uint32_t tid;
  uint16_t kind;
  uint16_t flags;
  uint32_t source;  // low 8 bits: tidegauge_source; the rest: which one of that kind, or 0
  int64_t a;
  int64_t b;
  uint64_t c;
  uint64_t check;  // of the seven words before it: two writers in one slot do not pass for a mark
};

struct tidegauge_ring_header {
  uint64_t magic;
  uint32_t version;
  uint32_t header_bytes;
  uint64_t size_bytes;  // of the whole
  uint32_t slots;       // a power of two
  uint32_t slot_bytes;
  uint8_t reserved[32];
  uint64_t head;  // marks begun so far; on a cache line of its own
};

static_assert(sizeof(struct tidegauge_slot) == TIDEGAUGE_RING_SLOT_BYTES, "layout");
static_assert(offsetof(struct tidegauge_slot, kind) == 24, "layout");
static_assert(offsetof(struct tidegauge_slot, a) == 32, "layout");
static_assert(offsetof(struct tidegauge_slot, check) == 56, "layout");
static_assert(offsetof(struct tidegauge_ring_header, head) == 64, "layout");

enum { TIDEGAUGE_SLOT_WORDS = TIDEGAUGE_RING_SLOT_BYTES / 8 };

static inline uint64_t tidegauge_ring_magic(void) {
  return UINT64_C(0x31474e4952474454);  // "TDGRING1" in memory
}

// The variable of the job's environment that names its ring.
static inline const char* tidegauge_ring_variable(void) {
  return "TIDEGAUGE_RING";
}

static inline uint64_t tidegauge_ring_size(uint64_t slots) {
  return TIDEGAUGE_RING_HEADER_BYTES + slots * TIDEGAUGE_RING_SLOT_BYTES;
}

// FNV-1a by words, folded, so that every bit of every word moves it.
static inline uint64_t tidegauge_ring_check(const uint64_t* words) {
  uint64_t check = UINT64_C(0xcbf29ce484222325);
  for (int i = 0; i < TIDEGAUGE_SLOT_WORDS - 1; ++i) {
    check = (check ^ words[i]) * UINT64_C(0x100000001b3);
    check ^= check >> 29;
  }
  return check;
}

static inline uint64_t* tidegauge_ring_slot(uint64_t* ring, uint64_t mask, uint64_t index) {
  return ring + TIDEGAUGE_RING_HEADER_BYTES / 8 + (index & mask) * TIDEGAUGE_SLOT_WORDS;
}

static inline uint64_t* tidegauge_ring_head(uint64_t* ring) {
  return ring + offsetof(struct tidegauge_ring_header, head) / 8;
}

// ---- writing

// A ring that is open for writing; lies in a page of its own.
struct tidegauge_ring {
  uint64_t* words;  // the shared memory
  uint64_t mask;    // slots - 1, as it was when we looked: nobody can change it under us
  uint64_t size_bytes;
  // 0 in a new process: its page does not survive a fork. Null: ask the kernel every time.
  uint32_t* pid;
};

static inline int tidegauge_ring_header_good(const struct tidegauge_ring_header* header,
                                             uint64_t size_bytes) {
  return header->magic == tidegauge_ring_magic() && header->version == TIDEGAUGE_RING_VERSION &&
         header->header_bytes == TIDEGAUGE_RING_HEADER_BYTES &&
         header->slot_bytes == TIDEGAUGE_RING_SLOT_BYTES && header->slots > 0 &&
         header->slots <= TIDEGAUGE_RING_MOST_SLOTS && (header->slots & (header->slots - 1)) == 0 &&
         header->size_bytes == size_bytes && size_bytes == tidegauge_ring_size(header->slots);
}

// Maps the memory behind `fd` if it is a ring that nobody can cut short: a write beyond the end of
// a file that shrank would kill the job. `words` is null if it is not.
static inline struct tidegauge_ring tidegauge_ring_map(int fd) {
  enum { GET_SEALS = 1034, SEAL_SHRINK = 2 };  // <fcntl.h> has them only with _GNU_SOURCE
  struct tidegauge_ring ring;
  struct tidegauge_ring_header header;
  struct stat status;
  memset(&ring, 0, sizeof ring);
  const int seals = fcntl(fd, GET_SEALS);
  if (seals < 0 || (seals & SEAL_SHRINK) == 0 || fstat(fd, &status) != 0) return ring;
  ring.size_bytes = (uint64_t)status.st_size;
  if (ring.size_bytes < tidegauge_ring_size(1)) return ring;
  // MAP_POPULATE: a first touch in the middle of a step would cost microseconds.
  void* const map =
      mmap(NULL, (size_t)ring.size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
  if (map == MAP_FAILED) return ring;
  memcpy(&header, map, sizeof header);
  if (tidegauge_ring_header_good(&header, ring.size_bytes)) {
    ring.words = (uint64_t*)map;
    ring.mask = header.slots - 1;
  } else {
    munmap(map, (size_t)ring.size_bytes);
  }
  return ring;
}

// Two pages of our own: one for what we know of the ring, and one that a fork empties.
static inline struct tidegauge_ring* tidegauge_ring_keep(struct tidegauge_ring ring) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  void* const map =
      mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) return NULL;
#ifdef MADV_WIPEONFORK
  if (madvise((char*)map + page, page, MADV_WIPEONFORK) == 0) {
    ring.pid = (uint32_t*)(void*)((char*)map + page);
  }
#endif
  memcpy(map, &ring, sizeof ring);
  return (struct tidegauge_ring*)map;
}

static inline void tidegauge_ring_close(struct tidegauge_ring* ring) {
  if (ring == NULL) return;
  munmap(ring->words, (size_t)ring->size_bytes);
  munmap(ring, 2 * (size_t)sysconf(_SC_PAGESIZE));
}

// The ring that `path` names, or null if it names none.
static inline struct tidegauge_ring* tidegauge_ring_open(const char* path) {
  struct stat status;
  // Opening a device or a pipe can do things to it; a ring is neither.
  if (path == NULL || stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return NULL;
  const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0) return NULL;
  const struct tidegauge_ring mapped = tidegauge_ring_map(fd);
  close(fd);
  if (mapped.words == NULL) return NULL;
  struct tidegauge_ring* const ring = tidegauge_ring_keep(mapped);
  if (ring == NULL) munmap(mapped.words, (size_t)mapped.size_bytes);
  return ring;
}

// Who is writing: our ids, also in a child that was forked a moment ago.
static inline void tidegauge_ring_sign(struct tidegauge_ring* ring, struct tidegauge_slot* mark) {
  static __thread uint32_t known_pid;
  static __thread uint32_t known_tid;
  uint32_t pid = ring->pid != NULL ? __atomic_load_n(ring->pid, __ATOMIC_RELAXED) : 0;
  if (pid == 0) {
    pid = (uint32_t)getpid();
    if (ring->pid != NULL) __atomic_store_n(ring->pid, pid, __ATOMIC_RELAXED);
  }
  if (known_pid != pid) {
    known_pid = pid;
    known_tid = (uint32_t)syscall(SYS_gettid);
  }
  mark->pid = pid;
  mark->tid = known_tid;
}

static inline uint64_t tidegauge_ring_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

// Puts `mark` at `index`. Release stores, in this order, tell a reader from any moment on whether
// what it sees is whole.
static inline void tidegauge_ring_put(struct tidegauge_ring* ring, uint64_t index,
                                      struct tidegauge_slot* mark) {
  uint64_t* const slot = tidegauge_ring_slot(ring->words, ring->mask, index);
  uint64_t words[TIDEGAUGE_SLOT_WORDS];
  // We were held up for a whole round: the slot is another's now.
  if (__atomic_load_n(slot, __ATOMIC_RELAXED) > index) return;
  mark->seq = index + 1;
  memcpy(words, mark, sizeof words);
  words[TIDEGAUGE_SLOT_WORDS - 1] = tidegauge_ring_check(words);
  __atomic_store_n(slot, 0, __ATOMIC_RELAXED);
  for (int i = 1; i < TIDEGAUGE_SLOT_WORDS; ++i) {
    __atomic_store_n(slot + i, words[i], __ATOMIC_RELEASE);
  }
  __atomic_store_n(slot, words[0], __ATOMIC_RELEASE);
}

// Writes kind, source, a, b and c of `mark`; its pid and time where they are 0 become ours and now.
static inline void tidegauge_ring_write(struct tidegauge_ring* ring, struct tidegauge_slot mark) {
  const uint64_t index = __atomic_fetch_add(tidegauge_ring_head(ring->words), 1, __ATOMIC_RELAXED);
  if (mark.pid == 0) tidegauge_ring_sign(ring, &mark);
  if (mark.t_ns == 0) mark.t_ns = tidegauge_ring_now_ns();
  tidegauge_ring_put(ring, index, &mark);
}

// How many bytes of `text` can be sent: all, or as many as fit without cutting a UTF-8 character.
static inline size_t tidegauge_ring_text_length(const char* text) {
  const size_t most = TIDEGAUGE_RING_TEXT_BYTES * TIDEGAUGE_RING_TEXT_SLOTS;
  size_t length = strnlen(text, most + 1);
  if (length <= most) return length;
  length = most;
  while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) --length;
  return length;
}

// The same for a mark with a text, in as many slots as it takes.
static inline void tidegauge_ring_write_text(struct tidegauge_ring* ring,
                                             struct tidegauge_slot mark, const char* text) {
  const size_t length = tidegauge_ring_text_length(text);
  const size_t more = length == 0 ? 0 : (length - 1) / TIDEGAUGE_RING_TEXT_BYTES;
  const uint64_t index =
      __atomic_fetch_add(tidegauge_ring_head(ring->words), more + 1, __ATOMIC_RELAXED);
  if (mark.pid == 0) tidegauge_ring_sign(ring, &mark);
  if (mark.t_ns == 0) mark.t_ns = tidegauge_ring_now_ns();
  for (size_t part = 0; part <= more; ++part) {
    const size_t from = part * TIDEGAUGE_RING_TEXT_BYTES;
    const size_t left = length - from;
    char piece[TIDEGAUGE_RING_TEXT_BYTES] = {0};
    memcpy(piece, text + from, left < sizeof piece ? left : sizeof piece);
    memcpy(&mark.a, piece, 8);
    memcpy(&mark.b, piece + 8, 8);
    memcpy(&mark.c, piece + 16, 8);
    if (part > 0) mark.kind = TIDEGAUGE_MORE_TEXT;
    mark.flags = (uint16_t)(part > 0 ? part : more);
    tidegauge_ring_put(ring, index + part, &mark);
  }
}
// NOLINTEND(modernize-use-nullptr)
