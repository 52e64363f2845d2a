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

#include <charconv>
#include <fstream>
#include <iterator>

#include "census/aside.h"

namespace tidegauge::census {

namespace {

constexpr double kPatienceMs = 10'000;  // a cold start from a slow disk

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

std::string link_target(const std::string& path) {
  char target[4096];
  const auto size = ::readlink(path.c_str(), target, sizeof target);
  return size > 0 ? std::string(target, static_cast<std::size_t>(size)) : std::string();
}

// A library path that the program may need; of its environment nothing else matters.
std::string library_path_of(pid_t pid) {
  std::ifstream in(fmt::format("/proc/{}/environ", pid), std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(in)), {});
  constexpr std::string_view kName = "LD_LIBRARY_PATH=";
  for (std::size_t at = 0; at < all.size();) {
    const auto end = std::min(all.find('\0', at), all.size());
    if (std::string_view(all).substr(at, end - at).starts_with(kName)) {
      return all.substr(at, end - at);
    }
    at = end + 1;
  }
  return "";
}

// Everything that must be known before the fork.
struct Program {
  UniqueFd file{};
  std::string root{};  // empty: ours
  std::string path{};  // as it is called there
  std::string libraries{};
  uid_t user = 0;
  gid_t group = 0;
};

std::optional<Program> program_of(pid_t pid) {
  const auto exe = fmt::format("/proc/{}/exe", pid);
  Program program{.file = UniqueFd(::open(exe.c_str(), O_RDONLY | O_CLOEXEC))};
  program.path = link_target(exe);
  const auto name = program.path.substr(program.path.rfind('/') + 1);
  if (!program.file || name.find("python") == std::string::npos) return {};
  struct stat status {};
  if (::stat(fmt::format("/proc/{}", pid).c_str(), &status) != 0) return {};
  program.user = status.st_uid;
  program.group = status.st_gid;
  const auto root_link = fmt::format("/proc/{}/root", pid);
  const auto root = link_target(root_link);
  struct stat its {};
  struct stat ours {};
  if (::stat((root_link + "/").c_str(), &its) != 0 || ::stat("/", &ours) != 0) return {};
  if (its.st_dev != ours.st_dev || its.st_ino != ours.st_ino) {
    if (::geteuid() != 0) return {};  // we may not go there
    program.root = root_link;
    if (root.size() > 1 && program.path.starts_with(root)) program.path.erase(0, root.size());
  }
  if (::geteuid() != 0 && ::geteuid() != program.user) return {};
  program.libraries = library_path_of(pid);
  return program;
}

// In the child: from here on only what may be done between fork and exec.
[[noreturn]] void become(const Program& program, int in, int out, char* const* words,
                         char* const* environment) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  const rlimit seconds{20, 20};
  ::setrlimit(RLIMIT_CPU, &seconds);
  if (!program.root.empty() && ::chroot(program.root.c_str()) != 0) ::_exit(1);
  if (::chdir("/") != 0) ::_exit(1);
  // It is somebody's program: it gets that one's rights, not ours.
  if (::geteuid() == 0 && (::setgroups(0, nullptr) != 0 || ::setgid(program.group) != 0 ||
                           ::setuid(program.user) != 0)) {
    ::_exit(1);
  }
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::fexecve(program.file.get(), words, environment);
  ::_exit(1);
}

}  // namespace

std::optional<Model> Model::start(pid_t like) {
  const auto program = program_of(like);
  int in[2];
  int out[2];
  if (!program || ::pipe2(in, O_CLOEXEC) != 0) return {};
  UniqueFd its_in(in[0]);
  UniqueFd to(in[1]);
  if (::pipe2(out, O_CLOEXEC) != 0) return {};
  UniqueFd from(out[0]);
  UniqueFd its_out(out[1]);
  std::vector<std::string> words = {program->path, "-I", "-S", "-B", "-c", kScript};
  std::vector<std::string> environment = {"LC_ALL=C.UTF-8"};
  if (!program->libraries.empty()) environment.push_back(program->libraries);
  const auto pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> all;
    all.reserve(texts.size() + 1);
    for (auto& text : texts) all.push_back(text.data());
    all.push_back(nullptr);
    return all;
  };
  const auto arguments = pointers(words);
  const auto variables = pointers(environment);
  const auto pid = ::fork();
  if (pid < 0) return {};
  if (pid == 0) become(*program, its_in.get(), its_out.get(), arguments.data(), variables.data());
  Model model(pid, std::move(to), std::move(from));
  its_in = UniqueFd();
  its_out = UniqueFd();
  const auto lines = model.lines_until("ready");
  if (!lines) return {};
  for (const auto& line : *lines) {
    const auto blank = line.find(' ');
    Address value = 0;
    if (blank == std::string::npos) continue;
    std::from_chars(line.data() + blank + 1, line.data() + line.size(), value);
    model.facts_[line.substr(0, blank)] = value;
  }
  return model;
}

Model::~Model() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

bool Model::go_on_to_a_collection() {
  return ::write(to_.get(), "\n", 1) == 1 && lines_until("collecting").has_value();
}

std::optional<std::vector<std::string>> Model::lines_until(std::string_view last) {
  const double deadline = now_ms() + kPatienceMs;
  std::vector<std::string> lines;
  std::string line;
  constexpr std::size_t kMostLines = 1000;
  while (lines.size() < kMostLines) {
    pollfd waited{.fd = from_.get(), .events = POLLIN, .revents = 0};
    const double left = deadline - now_ms();
    if (left <= 0 || ::poll(&waited, 1, static_cast<int>(left) + 1) <= 0) return {};
    char byte = 0;
    if (::read(from_.get(), &byte, 1) != 1) return {};
    if (byte != '\n') {
      line += byte;
      continue;
    }
    if (line == last) return lines;
    lines.push_back(std::move(line));
    line.clear();
  }
  return {};
}

}  // namespace tidegauge::census
