// SPDX-License-Identifier: Apache-2.0
// The page through which a job is asked for a checkpoint and says what became of it: memory that
// both share, laid out as docs/asking.md says, and the job's side. C11 and C++, needs nothing of
// ours. The page exists from the first byte to the last before the job starts: asking and answering
// open nothing and allocate nothing, so they work where memory has run out.
#pragma once

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// NOLINTBEGIN(modernize-use-nullptr): C has no nullptr.
enum {
  TIDEGAUGE_ASK_VERSION = 1,
  TIDEGAUGE_ASK_HEADER_BYTES = 4096,
  TIDEGAUGE_ASK_LISTENERS = 16,         // the training processes of one machine
  TIDEGAUGE_ASK_LISTENER_BYTES = 4096,  // most of it for a path
  TIDEGAUGE_ASK_SIZE_BYTES =
      TIDEGAUGE_ASK_HEADER_BYTES + TIDEGAUGE_ASK_LISTENERS * TIDEGAUGE_ASK_LISTENER_BYTES,
  TIDEGAUGE_ASK_TEXT_BYTES = TIDEGAUGE_ASK_LISTENER_BYTES - 64
};

enum tidegauge_want {
  TIDEGAUGE_SAVE = 1,          // and go on
  TIDEGAUGE_SAVE_AND_STOP = 2  // and end
};

enum tidegauge_answer_state {
  TIDEGAUGE_LISTENS = 1,   // has answered nothing yet
  TIDEGAUGE_SAVING = 2,    // has seen the request
  TIDEGAUGE_SAVED = 3,     // text: where
  TIDEGAUGE_NOT_SAVED = 4  // text: why
};

struct tidegauge_ask_header {
  uint64_t magic;
  uint32_t version;
  uint32_t header_bytes;
  uint64_t size_bytes;
  uint32_t listeners;
  uint32_t listener_bytes;
  uint8_t reserved[32];
  uint64_t request;  // number << 32 | what is wanted; 0: nothing was asked for yet
};

struct tidegauge_listener {
  uint64_t seq;          // odd while it is written
  uint32_t pid;          // 0: nobody's
  uint32_t state;        // tidegauge_answer_state
  uint64_t start_ticks;  // of that process, as /proc/PID/stat has it: pids are used again
  uint64_t answered;     // number of the request that the rest is about
  int64_t step;          // or -1
  uint64_t bytes;        // of the checkpoint, or 0
  uint64_t t_ns;         // CLOCK_MONOTONIC
  int32_t error;         // errno of what went wrong, or 0
  uint32_t text_bytes;
  char text[TIDEGAUGE_ASK_TEXT_BYTES];  // not ended by a 0
};

static_assert(offsetof(struct tidegauge_ask_header, request) == 64, "layout");
static_assert(offsetof(struct tidegauge_listener, text) == 64, "layout");
static_assert(sizeof(struct tidegauge_listener) == TIDEGAUGE_ASK_LISTENER_BYTES, "layout");

static inline uint64_t tidegauge_ask_magic(void) {
  return UINT64_C(0x315f4b5341474454);  // "TDGASK_1" in memory
}

// The variable of the job's environment that names its page.
static inline const char* tidegauge_ask_variable(void) {
  return "TIDEGAUGE_ASK";
}

static inline int tidegauge_ask_header_good(const struct tidegauge_ask_header* header) {
  return header->magic == tidegauge_ask_magic() && header->version == TIDEGAUGE_ASK_VERSION &&
         header->header_bytes == TIDEGAUGE_ASK_HEADER_BYTES &&
         header->size_bytes == TIDEGAUGE_ASK_SIZE_BYTES &&
         header->listeners == TIDEGAUGE_ASK_LISTENERS &&
         header->listener_bytes == TIDEGAUGE_ASK_LISTENER_BYTES;
}

// The page behind `fd`, if it is one that nobody can cut short; else null.
static inline struct tidegauge_ask_header* tidegauge_ask_map(int fd) {
  enum { GET_SEALS = 1034, SEAL_SHRINK = 2 };  // <fcntl.h> has them only with _GNU_SOURCE
  struct stat status;
  const int seals = fcntl(fd, GET_SEALS);
  if (seals < 0 || (seals & SEAL_SHRINK) == 0 || fstat(fd, &status) != 0) return NULL;
  if (status.st_size != TIDEGAUGE_ASK_SIZE_BYTES) return NULL;
  void* const map = mmap(NULL, TIDEGAUGE_ASK_SIZE_BYTES, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_POPULATE, fd, 0);
  if (map == MAP_FAILED) return NULL;
  struct tidegauge_ask_header* const page = (struct tidegauge_ask_header*)map;
  if (tidegauge_ask_header_good(page)) return page;
  munmap(map, TIDEGAUGE_ASK_SIZE_BYTES);
  return NULL;
}

static inline struct tidegauge_ask_header* tidegauge_ask_open(const char* path) {
  struct stat status;
  // Opening a device or a pipe can do things to it; a page is neither.
  if (path == NULL || stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return NULL;
  const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0) return NULL;
  struct tidegauge_ask_header* const page = tidegauge_ask_map(fd);
  close(fd);
  return page;
}

static inline void tidegauge_ask_close(struct tidegauge_ask_header* page) {
  if (page != NULL) munmap(page, TIDEGAUGE_ASK_SIZE_BYTES);
}

// ---- requests

// The latest: its number and what is wanted.
static inline uint64_t tidegauge_ask_request(const struct tidegauge_ask_header* page) {
  return __atomic_load_n(&page->request, __ATOMIC_ACQUIRE);
}
static inline uint64_t tidegauge_ask_number(uint64_t request) {
  return request >> 32;
}
static inline uint32_t tidegauge_ask_want(uint64_t request) {
  return (uint32_t)request;
}

// Asks, and gives the number of the request.
static inline uint64_t tidegauge_ask_for(struct tidegauge_ask_header* page,
                                         enum tidegauge_want want) {
  uint64_t before = tidegauge_ask_request(page);
  uint64_t after = 0;
  do {
    after = (tidegauge_ask_number(before) + 1) << 32 | (uint32_t)want;
  } while (!__atomic_compare_exchange_n(&page->request, &before, after, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE));
  return tidegauge_ask_number(after);
}

// ---- listeners

static inline struct tidegauge_listener* tidegauge_ask_listener(struct tidegauge_ask_header* page,
                                                                size_t index) {
  return (struct tidegauge_listener*)(void*)((char*)page + TIDEGAUGE_ASK_HEADER_BYTES +
                                             index * TIDEGAUGE_ASK_LISTENER_BYTES);
}

// What a listener says; `text` is cut where it is too long.
struct tidegauge_answer {
  enum tidegauge_answer_state state;
  uint64_t answered;
  int64_t step;
  uint64_t bytes;
  int error;
  const char* text;
  uint64_t t_ns;
};

// Only its own process writes to a listener's place, one thread at a time.
static inline void tidegauge_ask_answer(struct tidegauge_listener* mine,
                                        const struct tidegauge_answer* answer) {
  const uint64_t seq = __atomic_load_n(&mine->seq, __ATOMIC_RELAXED) | 1;
  // An exchange, not a store: nothing that is written below may come before it.
  (void)__atomic_exchange_n(&mine->seq, seq, __ATOMIC_ACQ_REL);
  const size_t length = answer->text == NULL ? 0 : strnlen(answer->text, sizeof mine->text);
  mine->state = (uint32_t)answer->state;
  mine->answered = answer->answered;
  mine->step = answer->step;
  mine->bytes = answer->bytes;
  mine->error = answer->error;
  mine->t_ns = answer->t_ns;
  mine->text_bytes = (uint32_t)length;
  if (length > 0) memcpy(mine->text, answer->text, length);
  __atomic_store_n(&mine->seq, seq + 1, __ATOMIC_RELEASE);
}

static inline int tidegauge_ask_is_free(uint32_t pid, uint32_t own_pid) {
  return pid == 0 || pid == own_pid || (kill((pid_t)pid, 0) != 0 && errno == ESRCH);
}

// A place of our own, that of a process that is gone if need be; null if there is none. A forked
// child has to ask for its own.
static inline struct tidegauge_listener* tidegauge_ask_listen(struct tidegauge_ask_header* page,
                                                              uint64_t start_ticks, uint64_t t_ns) {
  const int error = errno;
  const uint32_t own_pid = (uint32_t)getpid();
  struct tidegauge_listener* mine = NULL;
  for (size_t i = 0; i < TIDEGAUGE_ASK_LISTENERS && mine == NULL; ++i) {
    struct tidegauge_listener* const place = tidegauge_ask_listener(page, i);
    uint32_t pid = __atomic_load_n(&place->pid, __ATOMIC_ACQUIRE);
    if (!tidegauge_ask_is_free(pid, own_pid)) continue;
    if (__atomic_compare_exchange_n(&place->pid, &pid, own_pid, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
      mine = place;
    }
  }
  errno = error;
  if (mine == NULL) return NULL;
  __atomic_store_n(&mine->start_ticks, start_ticks, __ATOMIC_RELEASE);
  const struct tidegauge_answer listens = {
      TIDEGAUGE_LISTENS, tidegauge_ask_number(tidegauge_ask_request(page)), -1, 0, 0, NULL, t_ns};
  tidegauge_ask_answer(mine, &listens);
  return mine;
}
// NOLINTEND(modernize-use-nullptr)
