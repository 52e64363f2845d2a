// SPDX-License-Identifier: Apache-2.0
#include "census/model.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/text.h"
#include "census/aside.h"
#include "census/confined.h"

namespace tidegauge::census {

namespace {

constexpr double kPatienceMs = 10'000;  // a cold start from a slow disk
constexpr std::size_t kMostSaid = 64 << 10;

// Nothing but built-in modules, so that hardly anything has to be found.
constexpr const char* kScript = R"(
import gc, sys
class Outer:
    class Inner:
        def __init__(self, alpha, beta):
            self.alpha = alpha
            self.beta = beta
def say(name, value):
    sys.stdout.write("%s %d\n" % (name, value))
def wait(word):
    sys.stdout.write(word + "\n")
    sys.stdout.flush()
    sys.stdin.readline()
def hold(first, second):
    one = Outer.Inner(first, second)
    three = (first, second, one)
    known = {"k1": first, "k2": second}
    some = [second, first]
    number = 2 ** 100
    text = "".join(["tidegauge: ", "known text"])
    wide = "".join(["tidegauge: ", "kn\xf6wn text"])
    array = bytearray(500)
    code = hold.__code__
    kind = Outer.Inner
    for name, value in (
        ("modules", sys.modules), ("sysdict", sys.__dict__), ("first", first), ("second", second),
        ("one", one), ("three", three), ("known", known), ("some", some), ("number", number),
        ("text", text), ("wide", wide), ("array", array), ("bytes", bytes), ("none", None),
        ("kind", kind), ("qualname", kind.__qualname__), ("code", code),
        ("filename", code.co_filename), ("name", code.co_name),
        ("code_qualname", getattr(code, "co_qualname", None)), ("caller", main.__code__),
        ("first_name", code.co_varnames[0]),
    ):
        say(name, id(value))
    say("basicsize", kind.__basicsize__)
    say("flags", kind.__flags__)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    return one, three, known, some, number, text, wide, array
def during(phase, info):
    if phase == "start":
        wait("collecting")
def main():
    gc.collect()
    gc.disable()
    gc.set_threshold(70001, 11, 13)
    kept = hold(["first"], ["second"])
    gc.callbacks.append(during)
    gc.collect()
    return kept
main()
)";

struct User {
  uid_t id = 0;
  gid_t group = 0;
};

std::optional<unsigned> number_in_environment(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? std::nullopt : to_number<unsigned>(text);
}

// Root runs nobody's program as root: the one who called sudo does, or nobody.
User whom_to_run_as() {
  if (::geteuid() != 0) return {::geteuid(), ::getegid()};
  const auto user = number_in_environment("SUDO_UID").value_or(0);
  const auto group = number_in_environment("SUDO_GID").value_or(0);
  if (user != 0 && group != 0) return {user, group};
  return {kNobody, kNobody};
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (auto& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

void lower_all_limits() {
  constexpr std::uint64_t kSeconds = 20;
  constexpr std::uint64_t kRoom = 16ULL << 30;  // addresses, of which it uses little
  constexpr std::uint64_t kBytes = 1ULL << 30;
  constexpr std::uint64_t kFiles = 64;
  lower_limit(RLIMIT_CPU, kSeconds);
  lower_limit(RLIMIT_AS, kRoom);
  lower_limit(RLIMIT_DATA, kBytes);
  lower_limit(RLIMIT_NOFILE, kFiles);
  lower_limit(RLIMIT_FSIZE, 0);
  lower_limit(RLIMIT_CORE, 0);
  lower_limit(RLIMIT_MEMLOCK, 0);
  lower_limit(RLIMIT_NPROC, 0);  // it starts nothing
}

// What went wrong, where it is Python that says so.
std::string_view last_line_of(std::string_view said) {
  constexpr std::size_t kMost = 200;
  said = trimmed(said);
  const auto end = said.rfind('\n');
  return said.substr(end == said.npos ? 0 : end + 1).substr(0, kMost);
}

// The error number where it cannot be started; else it does not come back.
int become(const User& user, int in, int out, char* const* words, char* const* environment) {
  if (::setsid() < 0 || ::dup2(in, STDIN_FILENO) < 0 || ::dup2(out, STDOUT_FILENO) < 0 ||
      ::dup2(out, STDERR_FILENO) < 0 || ::chdir("/") != 0) {
    return errno;
  }
  close_all_but({});
  // Before the user changes: it takes rights. Where there is no such user here (a container), the
  // number stays, and a program that is started has no capabilities all the same.
  if (!leave_rights(user.id, user.group)) return EPERM;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  lower_all_limits();
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(words[0], words, environment);
  return errno;
}

}  // namespace

Result<Model> Model::start(const std::string& program) {
  int in[2];
  int out[2];
  if (::pipe2(in, O_CLOEXEC) != 0) return from_errno(errno, "pipe");
  UniqueFd its_in(in[0]);
  UniqueFd to(in[1]);
  if (::pipe2(out, O_CLOEXEC) != 0) return from_errno(errno, "pipe");
  UniqueFd from(out[0]);
  UniqueFd its_out(out[1]);
  std::error_code failed;
  const auto path = std::filesystem::absolute(program, failed).string();
  std::vector<std::string> words = {path, "-I", "-S", "-B", "-c", kScript};
  std::vector<std::string> environment = {"LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin"};
  if (const char* const libraries = std::getenv("LD_LIBRARY_PATH"); libraries != nullptr) {
    environment.push_back(fmt::format("LD_LIBRARY_PATH={}", libraries));
  }
  const auto arguments = pointers_to(words);
  const auto variables = pointers_to(environment);
  const auto user = whom_to_run_as();
  const auto pid = ::fork();
  if (pid < 0) return from_errno(errno, "fork");
  if (pid == 0) {
    const int error = become(user, its_in.get(), its_out.get(), arguments.data(), variables.data());
    const auto text = fmt::format("cannot {}\n", error);
    [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, text.data(), text.size());
    ::_exit(1);
  }
  Model model(pid, std::move(to), std::move(from));
  its_in = UniqueFd();
  its_out = UniqueFd();
  std::string said;
  const bool is_ready = model.hear_until("ready", said);
  model.facts_ = parse_facts(said);
  const auto shown = printable(program);
  if (const auto cannot = model.facts_.find("cannot"); cannot != model.facts_.end()) {
    return from_errno(static_cast<int>(cannot->second),
                      fmt::format("{}, run as user {}", shown, user.id));
  }
  if (!is_ready) {
    const auto last = printable(last_line_of(said));
    return Error{Reason::Unsupported,
                 fmt::format("{}, run as user {}, does not answer as a Python does{}", shown,
                             user.id, last.empty() ? "" : ": " + last)};
  }
  return model;
}

Model::~Model() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool Model::go_on_to_a_collection() {
  std::string said;
  return ::write(to_.get(), "\n", 1) == 1 && hear_until("collecting", said);
}

// It says nothing behind the line that it waits at.
bool Model::hear_until(std::string_view last, std::string& said) {
  const double deadline = now_ms() + kPatienceMs;
  const auto end = fmt::format("{}\n", last);
  while (said.size() < kMostSaid) {
    pollfd waited{.fd = from_.get(), .events = POLLIN, .revents = 0};
    const double left = deadline - now_ms();
    if (left <= 0 || ::poll(&waited, 1, static_cast<int>(left) + 1) <= 0) return false;
    std::array<char, 4096> piece{};
    const auto got = ::read(from_.get(), piece.data(), piece.size());
    if (got <= 0) return false;
    said.append(piece.data(), static_cast<std::size_t>(got));
    if (said.ends_with(end)) return true;
  }
  return false;
}

ModelFacts parse_facts(std::string_view lines) {
  ModelFacts facts;
  while (!lines.empty()) {
    auto line = next_line(lines);
    const auto name = next_word(line);
    const auto value = to_number<Address>(next_word(line));
    if (value && line.empty()) facts[std::string(name)] = *value;
  }
  return facts;
}

}  // namespace tidegauge::census
