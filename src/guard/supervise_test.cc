// SPDX-License-Identifier: Apache-2.0
// Real jobs, without a terminal; those with one are in tests/end_to_end.
#include "guard/supervise.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/fd.h"

namespace tidegauge::guard {
namespace {

constexpr std::int64_t kLong = 10'000'000'000;

class JobTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "tidegauge-job.XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    ASSERT_EQ(::mkfifo(path("said").c_str(), 0600), 0);
    ASSERT_EQ(::mkfifo(path("orders").c_str(), 0600), 0);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string text(const std::string& name) const {
    std::ostringstream all;
    all << std::ifstream(path(name)).rdbuf();
    return all.str();
  }
  // A shell command; $1 is the test's folder.
  Launch shell(const std::string& script) const {
    return {.arguments = {"/bin/sh", "-c", script, "sh", folder_.string()}};
  }
  static int run_to_end(Job& job) {
    while (!job.status()) job.pump(kLong);
    return job.status()->code;
  }
  int code_of(const Launch& launch) const {
    auto job = Job::start(launch);
    return job ? run_to_end(*job) : exit_code_for(job.error());
  }
  // Waits until the job writes to $1/said, pumping meanwhile; gives what was written.
  std::string hear(Job& job) const {
    const UniqueFd fifo(::open(path("said").c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
    char words[256];
    while (true) {
      const ssize_t got = ::read(fifo.get(), words, sizeof words);
      if (got > 0) return {words, static_cast<std::size_t>(got)};
      job.pump(kLong, fifo.get());
    }
  }

  std::filesystem::path folder_;
};

TEST_F(JobTest, EndsAsTheJobDid) {
  EXPECT_EQ(code_of(shell("exit 0")), 0);
  EXPECT_EQ(code_of(shell("exit 7")), 7);
  EXPECT_EQ(code_of(shell("kill -KILL $$")), 128 + SIGKILL);
  EXPECT_EQ(code_of(shell("kill -TERM $$")), 128 + SIGTERM);
  auto job = Job::start(shell("kill -ABRT $$"));
  ASSERT_TRUE(job);
  run_to_end(*job);
  EXPECT_FALSE(job->status()->exited);
  EXPECT_EQ(job->status()->signal, SIGABRT);
}

TEST_F(JobTest, SaysWhatAShellSaysOfACommandThatCannotBeStarted) {
  std::ofstream(path("plain")) << "no program";
  EXPECT_EQ(code_of({.arguments = {"tidegauge-no-such-command"}}), 127);
  EXPECT_EQ(code_of({.arguments = {path("none")}}), 127);
  EXPECT_EQ(code_of({.arguments = {path("plain")}}), 126);
  EXPECT_EQ(code_of({.arguments = {folder_.string()}}), 126);
  const auto job = Job::start({.arguments = {"tidegauge-no-such-command"}});
  EXPECT_EQ(job.error().what, "tidegauge-no-such-command: command not found");
}

TEST_F(JobTest, RunsAScriptWithoutAFirstLineAsAShellWould) {
  std::ofstream(path("script")) << "exit 5\n";
  ::chmod(path("script").c_str(), 0700);
  EXPECT_EQ(code_of({.arguments = {path("script")}}), 5);
}

TEST_F(JobTest, AddsToTheEnvironmentAndReplacesWhatWasThere) {
  ::setenv("TIDEGAUGE_TEST_KEPT", "kept", 1);
  ::setenv("TIDEGAUGE_TEST_SET", "old", 1);
  auto launch = shell("env | grep ^TIDEGAUGE_TEST | sort > $1/out");
  launch.environment = {{"TIDEGAUGE_TEST_SET", "new=1"}, {"TIDEGAUGE_TEST_NEW", ""}};
  EXPECT_EQ(code_of(launch), 0);
  EXPECT_EQ(text("out"),
            "TIDEGAUGE_TEST_KEPT=kept\nTIDEGAUGE_TEST_NEW=\nTIDEGAUGE_TEST_SET=new=1\n");
}

// What a job finds when it is started plainly, by a child of ours, and what it finds under us.
TEST_F(JobTest, FindsSignalsAndFilesAsIfWeWereNotThere) {
  struct sigaction ignore {};
  struct sigaction hup_before {};
  struct sigaction child_before {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGHUP, &ignore, &hup_before);  // nohup
  ::sigaction(SIGCHLD, &ignore, &child_before);
  const std::string look =
      "grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status > $1/$2; ls /proc/self/fd >> $1/$2";
  auto plain = shell(look);
  plain.arguments.emplace_back("plain");
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<char*> words;
    for (auto& word : plain.arguments) words.push_back(word.data());
    words.push_back(nullptr);
    ::execv(words[0], words.data());
    ::_exit(99);
  }
  ::waitpid(child, nullptr, 0);  // ECHILD at once it has ended: it is ignored
  auto ours = shell(look + "; exit 3");
  ours.arguments.emplace_back("ours");
  EXPECT_EQ(code_of(ours), 3) << "although SIGCHLD was ignored";
  ::sigaction(SIGHUP, &hup_before, nullptr);
  ::sigaction(SIGCHLD, &child_before, nullptr);
  EXPECT_FALSE(text("plain").empty());
  EXPECT_EQ(text("ours"), text("plain"));
}

TEST_F(JobTest, SignalsSentToUsAreTheJobs) {
  for (const int signal : {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH}) {
    auto job =
        Job::start(shell("trap 'exit 41' TERM HUP INT QUIT USR1 USR2 WINCH\n"
                         "echo ready > $1/said\n"
                         "while :; do { read line < $1/orders; } 2>/dev/null; done"));
    ASSERT_TRUE(job);
    EXPECT_EQ(hear(*job), "ready\n");
    ::kill(::getpid(), signal);
    EXPECT_EQ(run_to_end(*job), 41) << signal;
  }
}

TEST_F(JobTest, AStoppedJobIsContinuedWhenWeAre) {
  auto job =
      Job::start(shell("trap 'echo continued > $1/said' CONT\n"
                       "echo ready > $1/said\n"
                       "kill -STOP $$; exit 6"));
  ASSERT_TRUE(job);
  EXPECT_EQ(hear(*job), "ready\n");
  const auto stat = "/proc/" + std::to_string(job->pid()) + "/stat";
  char state = '?';
  while (state != 'T') {
    std::string word;
    std::ifstream(stat) >> word >> word >> state;
    job->pump(0);
  }
  ::kill(::getpid(), SIGCONT);
  EXPECT_EQ(hear(*job), "continued\n");
  EXPECT_EQ(run_to_end(*job), 6);
}

TEST_F(JobTest, WhatTheJobSendsToItsParentDoesNotComeBack) {
  auto job =
      Job::start(shell("trap 'exit 42' USR1; trap 'exit 43' USR2\n"
                       "kill -USR1 $PPID; echo sent > $1/said\n"
                       "while :; do { read line < $1/orders; } 2>/dev/null; done"));
  ASSERT_TRUE(job);
  EXPECT_EQ(hear(*job), "sent\n");
  ::kill(::getpid(), SIGUSR2);  // would come after it
  EXPECT_EQ(run_to_end(*job), 43);
}

TEST_F(JobTest, OrphansBecomeOursAndAreReaped) {
  auto job =
      Job::start(shell("( sh -c 'read line < $0/orders; ps -o ppid= -p $$ > $0/parent' $1 & )\n"
                       "exit 4"));
  ASSERT_TRUE(job);
  EXPECT_EQ(run_to_end(*job), 4);
  std::ofstream(path("orders")) << "go\n";
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_ALL, 0, &info, WEXITED | WNOWAIT), 0) << "the orphan is our child";
  job->pump(kLong);
  EXPECT_EQ(std::stoi(text("parent")), ::getpid());
  EXPECT_EQ(::kill(info.si_pid, 0), -1) << "and no zombie is left of it";
  EXPECT_EQ(job->status()->code, 4) << "its end is not the job's";
}

TEST_F(JobTest, PumpReturnsForTheFileItWasGiven) {
  auto job = Job::start(shell("read line < $1/orders"));
  ASSERT_TRUE(job);
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd from(ends[0]);
  const UniqueFd to(ends[1]);
  ASSERT_EQ(::write(to.get(), "x", 1), 1);
  job->pump(-1, from.get());  // would never return otherwise
  EXPECT_FALSE(job->status());
  std::ofstream(path("orders")) << "end\n";
  EXPECT_EQ(run_to_end(*job), 0);
}

TEST_F(JobTest, LivesOnWhenNobodyWatchesItAnyMore) {
  pid_t pid = 0;
  {
    auto job = Job::start(shell("echo ready > $1/said; read line < $1/orders; exit 8"));
    ASSERT_TRUE(job);
    EXPECT_EQ(hear(*job), "ready\n");
    pid = job->pid();
  }
  std::ofstream(path("orders")) << "go\n";
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WEXITSTATUS(status), 8);
}

}  // namespace
}  // namespace tidegauge::guard
