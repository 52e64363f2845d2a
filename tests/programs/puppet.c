// SPDX-License-Identifier: Apache-2.0
// A process that does as it is told: obeys lines on stdin, answers each with a line on stdout, so
// that a test waits for words and never for time. Says "ready PID" when it can be told.
//
//   grow BYTES          touches that much anonymous memory            done
//   huge BYTES          the same in huge pages, if the kernel gives them  done
//   shm BYTES           the same as shared memory                     done
//   fork N PERCENT      N children, each of which writes to that part of the memory grown so far
//                                                                     done PID PID …
//   end                 ends all children and waits for them          done
//   middle              a child that has a child                      done CHILD GRANDCHILD
//   drop_middle         ends the one in the middle                    done
//   orphan              the same at once                              done GRANDCHILD
//   threads N           N threads that wait                           done
//   leave               the first thread ends, another one goes on    done
//   rename NAME         calls itself that                             done
//   exec NAME           runs itself anew under that name              ready PID
//   namespace           a child in a pid namespace of its own         done PID, or: cannot WHY
//   storm N             N children that end at once, one by one       done
//   exit CODE           ends                                          (nothing)
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kMostChildren = 20000, kPageBytes = 4096 };

static const char* self_path;
static char* grown;
static size_t grown_bytes;
static pid_t children[kMostChildren];
static int child_count;

static void answer(const char* text) {
  printf("%s\n", text);
  fflush(stdout);
}

static void touch(char* memory, size_t bytes) {
  for (size_t at = 0; at < bytes; at += kPageBytes) memory[at] = (char)(memory[at] + 1);
}

static char* map(size_t bytes, int flags) {
  char* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

static void grow(size_t bytes, int flags, int advice) {
  char* memory = map(bytes, flags);
  if (memory == NULL) {
    answer("cannot map");
    return;
  }
  madvise(memory, bytes, advice);
  touch(memory, bytes);
  if (flags == MAP_PRIVATE) {
    grown = memory;
    grown_bytes = bytes;
  }
  answer("done");
}

// A child that ends when we do, however we end.
static pid_t start_child(void) {
  fflush(stdout);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // 0: in a pid namespace of our own our parent cannot be seen.
    if (getppid() != parent && getppid() != 0) _exit(1);
  }
  return pid;
}

static void wait_for_ever(void) {
  while (1) pause();
}

static void fork_children(int count, int percent) {
  int done[2];
  if (pipe(done) != 0) exit(3);
  for (int i = 0; i < count && child_count < kMostChildren; ++i) {
    const pid_t pid = start_child();
    if (pid == 0) {
      close(done[0]);
      if (percent > 0) touch(grown, grown_bytes / 100 * (size_t)percent);
      if (write(done[1], "x", 1) != 1) _exit(1);
      close(done[1]);
      wait_for_ever();
    }
    if (pid > 0) children[child_count++] = pid;
  }
  close(done[1]);
  char byte;
  for (int i = 0; i < count && read(done[0], &byte, 1) == 1; ++i) {
  }
  close(done[0]);
  printf("done");
  for (int i = 0; i < child_count; ++i) printf(" %d", (int)children[i]);
  answer("");
}

static void end_children(void) {
  for (int i = 0; i < child_count; ++i) kill(children[i], SIGKILL);
  for (int i = 0; i < child_count; ++i) waitpid(children[i], NULL, 0);
  child_count = 0;
  answer("done");
}

static int release_middle[2];
static pid_t middle;

// The grandchild's parent ends before we do: a pipe that we hold is its leash.
static void hold_by_pipe(int leash) {
  prctl(PR_SET_PDEATHSIG, 0);
  char byte;
  while (read(leash, &byte, 1) > 0) {
  }
  _exit(0);
}

static void start_middle(int ends_at_once) {
  static int leash[2];
  int tell[2];
  if (pipe(tell) != 0 || pipe(leash) != 0 || pipe(release_middle) != 0) exit(3);
  middle = start_child();
  if (middle == 0) {
    close(leash[1]);
    close(release_middle[1]);
    const pid_t grandchild = fork();
    if (grandchild == 0) hold_by_pipe(leash[0]);
    if (write(tell[1], &grandchild, sizeof grandchild) != sizeof grandchild) _exit(1);
    char byte;
    if (!ends_at_once && read(release_middle[0], &byte, 1) != 0) _exit(1);
    _exit(0);
  }
  pid_t grandchild = 0;
  if (read(tell[0], &grandchild, sizeof grandchild) != sizeof grandchild) exit(3);
  close(tell[0]);
  close(tell[1]);
  close(leash[0]);
  close(release_middle[0]);
  if (ends_at_once) {
    waitpid(middle, NULL, 0);
    printf("done %d\n", (int)grandchild);
  } else {
    printf("done %d %d\n", (int)middle, (int)grandchild);
  }
  fflush(stdout);
}

static void drop_middle(void) {
  close(release_middle[1]);
  waitpid(middle, NULL, 0);
  answer("done");
}

static void* thread_waits(void* barrier) {
  pthread_barrier_wait(barrier);
  wait_for_ever();
  return NULL;
}

static void start_threads(int count) {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, (unsigned)count + 1);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  for (int i = 0; i < count; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, &small, thread_waits, &barrier) != 0) exit(3);
  }
  pthread_barrier_wait(&barrier);
  answer("done");
}

static void start_namespace(void) {
  fflush(stdout);
  if (unshare(CLONE_NEWPID) != 0) {
    printf("cannot %s\n", strerror(errno));
    fflush(stdout);
    return;
  }
  fork_children(1, 0);
}

static void storm(int count) {
  for (int i = 0; i < count; ++i) {
    const pid_t pid = start_child();
    if (pid == 0) _exit(0);
    waitpid(pid, NULL, 0);
  }
  answer("done");
}

static void obey(void);

static void* thread_goes_on(void* first) {
  pthread_join(*(pthread_t*)first, NULL);
  answer("done");
  obey();
  exit(0);
}

static void leave(void) {
  static pthread_t first;
  first = pthread_self();
  pthread_t other;
  if (pthread_create(&other, NULL, thread_goes_on, &first) != 0) exit(3);
  pthread_exit(NULL);
}

static void obey_line(char* line) {
  char word[32] = "";
  char rest[256] = "";
  unsigned long long number = 0;
  int percent = 0;
  line[strcspn(line, "\n")] = '\0';
  sscanf(line, "%31s %255[^\n]", word, rest);
  sscanf(rest, "%llu %d", &number, &percent);
  if (!strcmp(word, "grow"))
    grow(number, MAP_PRIVATE, MADV_NOHUGEPAGE);
  else if (!strcmp(word, "huge"))
    grow(number, MAP_PRIVATE, MADV_HUGEPAGE);
  else if (!strcmp(word, "shm"))
    grow(number, MAP_SHARED, MADV_NORMAL);
  else if (!strcmp(word, "fork"))
    fork_children((int)number, percent);
  else if (!strcmp(word, "end"))
    end_children();
  else if (!strcmp(word, "middle"))
    start_middle(0);
  else if (!strcmp(word, "drop_middle"))
    drop_middle();
  else if (!strcmp(word, "orphan"))
    start_middle(1);
  else if (!strcmp(word, "threads"))
    start_threads((int)number);
  else if (!strcmp(word, "leave"))
    leave();
  else if (!strcmp(word, "namespace"))
    start_namespace();
  else if (!strcmp(word, "storm"))
    storm((int)number);
  else if (!strcmp(word, "exit"))
    _exit((int)number);
  else if (!strcmp(word, "rename")) {
    prctl(PR_SET_NAME, rest);
    answer("done");
  } else if (!strcmp(word, "exec")) {
    execl(self_path, rest, self_path, (char*)NULL);
    answer("cannot exec");
  } else {
    answer("cannot: not a word I know");
  }
}

static void obey(void) {
  char line[512];
  while (fgets(line, sizeof line, stdin) != NULL) obey_line(line);
}

// The only argument is the way to this program, since a name given by `exec` is none.
int main(int argc, char** argv) {
  if (argc != 2) return 2;
  self_path = argv[1];
  setvbuf(stdin, NULL, _IONBF, 0);  // a line belongs to the one who reads it, not to his buffer
  printf("ready %d\n", (int)getpid());
  fflush(stdout);
  obey();
  return 0;
}
