// SPDX-License-Identifier: Apache-2.0
#include "proc/role.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "proc/program.h"

namespace tidegauge::proc {

namespace {

using record::Role;

// A program that starts the job and waits. With a `command`, only that of its commands does.
struct Starter {
  std::string_view name;
  std::string_view command = {};
};

constexpr Starter kStarters[] = {
    // launchers of training jobs
    {"torchrun"},
    {"torch.distributed.run"},
    {"torch.distributed.launch"},
    {"accelerate", "launch"},
    {"accelerate-launch"},
    {"accelerate.commands.launch"},
    {"accelerate.commands.accelerate_cli", "launch"},
    {"deepspeed"},
    {"deepspeed.launcher.runner"},
    {"deepspeed.launcher.launch"},
    {"colossalai", "run"},
    {"composer"},
    {"horovodrun"},
    {"xla_dist"},
    {"ray", "job"},
    {"raylet"},
    {"wandb", "agent"},
    {"guild", "run"},
    {"dvc", "repro"},
    {"dvc", "exp"},
    {"mlflow", "run"},
    {"submitit"},
    {"sky", "exec"},
    {"jupyter"},
    {"jupyter-lab"},
    {"jupyter-notebook"},
    {"jupyterhub-singleuser"},
    // MPI and batch systems
    {"mpirun"},
    {"mpiexec"},
    {"mpiexec.hydra"},
    {"mpirun.openmpi"},
    {"mpirun.mpich"},
    {"orterun"},
    {"orted"},
    {"prterun"},
    {"prted"},
    {"hydra_pmi_proxy"},
    {"srun"},
    {"slurmstepd:"},
    {"salloc"},
    {"flux", "run"},
    {"pbs_demux"},
    {"condor_starter"},
    // environments
    {"uv", "run"},
    {"uv", "tool"},
    {"uvx"},
    {"poetry", "run"},
    {"pdm", "run"},
    {"pipenv", "run"},
    {"pipx", "run"},
    {"hatch", "run"},
    {"rye", "run"},
    {"conda", "run"},
    {"mamba", "run"},
    {"micromamba", "run"},
    {"pixi", "run"},
    {"nix", "run"},
    {"direnv", "exec"},
    {"mise", "exec"},
    {"tox"},
    {"nox"},
    {"npm", "run"},
    {"npm", "exec"},
    {"npx"},
    {"cargo", "run"},
    {"go", "run"},
    {"bazel", "run"},
    // one command that runs another
    {"env"},
    {"nice"},
    {"ionice"},
    {"chrt"},
    {"taskset"},
    {"numactl"},
    {"nohup"},
    {"setsid"},
    {"time"},
    {"timeout"},
    {"stdbuf"},
    {"unbuffer"},
    {"script"},
    {"flock"},
    {"prlimit"},
    {"setpriv"},
    {"runuser"},
    {"su"},
    {"sudo"},
    {"doas"},
    {"chroot"},
    {"unshare"},
    {"nsenter"},
    {"systemd-run"},
    {"cgexec"},
    {"apptainer"},
    {"singularity"},
    {"starter"},
    {"xargs"},
    {"parallel"},
    {"make"},
    {"gmake"},
    {"ninja"},
    {"just"},
    {"watch"},
    {"entr"},
    {"strace"},
    {"ltrace"},
    {"gdb"},
    {"perf"},
    {"nsys"},
    {"ncu"},
    {"py-spy"},
    {"tidegauge", "run"},
    {"tidegauge", "gate"},
    {"tidegauge", "experiment"},
    // first processes of containers and sessions
    {"tini"},
    {"docker-init"},
    {"dumb-init"},
    {"catatonit"},
    {"s6-svscan"},
    {"s6-supervise"},
    {"supervisord"},
    {"containerd-shim-runc-v2"},
    {"conmon"},
    {"systemd"},
    {"tmux"},
    {"tmux:"},
    {"screen"},
    {"SCREEN"},
    {"sshd"},
    {"sshd:"},
    {"login"},
};

// How far into its own arguments a program's command is looked for: global options may come first.
constexpr std::size_t kCommandWithin = 8;

bool has_command(std::span<const std::string> rest, std::string_view command) {
  for (const auto& word : rest.first(std::min(rest.size(), kCommandWithin))) {
    if (word == "--") return false;
    if (word == command) return true;
  }
  return false;
}

bool starts_others(const Program& program) {
  if (program.language == Language::Shell) return true;  // sh -c, bash run.sh
  if (program.is_inline) return false;
  return std::any_of(std::begin(kStarters), std::end(kStarters), [&](const Starter& starter) {
    return starter.name == program.name &&
           (starter.command.empty() || has_command(program.rest, starter.command));
  });
}

// What a command line alone says about a process.
enum class Kind {
  Plain,
  Starter,
  CompileWorker,
  DataWorker,  // torch names it so
  Spawned,     // by Python's multiprocessing, with a new interpreter
  ForkServer,  // of multiprocessing, or what it forked
  Tracker,     // of multiprocessing: cleans up after the others
};

bool any_has(std::span<const std::string> arguments, std::string_view part) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [&](const std::string& word) { return word.find(part) != std::string::npos; });
}

Kind kind_of(const Member& member, const Program& program) {
  if (member.name.starts_with("pt_data_worker")) return Kind::DataWorker;
  if (any_has(member.arguments, "torch/_inductor/compile_worker")) return Kind::CompileWorker;
  if (program.is_inline && program.language == Language::Python) {
    const std::string_view text = program.name;
    if (text.find("multiprocessing.resource_tracker") != text.npos ||
        text.find("multiprocessing.semaphore_tracker") != text.npos) {
      return Kind::Tracker;
    }
    if (text.find("multiprocessing.forkserver") != text.npos) return Kind::ForkServer;
    if (text.find("multiprocessing.spawn") != text.npos) return Kind::Spawned;
  }
  return starts_others(program) ? Kind::Starter : Kind::Plain;
}

class Tree {
 public:
  explicit Tree(std::span<const Member> members) : members_(members) {
    std::map<record::ProcessId, std::size_t> places;
    for (std::size_t i = 0; i < members.size(); ++i) {
      places.emplace(members[i].id, i);
      programs_.push_back(program_of(members[i].arguments, members[i].name));
      kinds_.push_back(kind_of(members[i], programs_.back()));
    }
    parents_.resize(members.size());
    children_.resize(members.size());
    roles_.assign(members.size(), Role::Other);
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto parent = places.find(members[i].parent);
      if (parent == places.end() || parent->second == i) continue;
      parents_[i] = parent->second;
      children_[parent->second].push_back(i);
    }
  }

  std::vector<Role> roles() {
    find_main();
    name_workers();
    return std::move(roles_);
  }

 private:
  std::uint64_t size_of(std::size_t i) const { return members_[i].anon.value_or(0); }

  bool can_be_main(std::size_t i) const {
    return kinds_[i] == Kind::Plain || kinds_[i] == Kind::Starter;
  }

  // Wrappers from the roots down, and the first ones below them that are none.
  void find_main() {
    std::vector<std::size_t> open;
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (!parents_[i]) open.push_back(i);
    }
    const auto roots = open;
    while (!open.empty()) {
      const auto i = open.back();
      open.pop_back();
      if (!can_be_main(i)) continue;
      const bool has_job = std::any_of(children_[i].begin(), children_[i].end(),
                                       [&](std::size_t child) { return can_be_main(child); });
      if (kinds_[i] == Kind::Starter && has_job) {
        roles_[i] = Role::Wrapper;
        open.insert(open.end(), children_[i].begin(), children_[i].end());
      } else {
        candidates.push_back(i);
      }
    }
    choose_main(candidates.empty() ? roots : candidates);
  }

  // The largest one, and all that run the same program: the ranks.
  void choose_main(const std::vector<std::size_t>& candidates) {
    if (candidates.empty()) return;
    const auto largest =
        *std::max_element(candidates.begin(), candidates.end(),
                          [&](std::size_t a, std::size_t b) { return size_of(a) < size_of(b); });
    for (const auto i : candidates) {
      if (programs_[i].name == programs_[largest].name) roles_[i] = Role::Main;
    }
  }

  void name_workers() {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (roles_[i] != Role::Other) continue;
      const auto parent = parents_[i];
      const bool forked = parent && !members_[i].arguments.empty() &&
                          members_[i].arguments == members_[*parent].arguments;
      if (kinds_[i] == Kind::CompileWorker) roles_[i] = Role::CompileWorker;
      if (kinds_[i] == Kind::DataWorker || kinds_[i] == Kind::Spawned) {
        roles_[i] = Role::LoaderWorker;
      }
      if (forked && kinds_[i] == Kind::ForkServer) roles_[i] = Role::LoaderWorker;
      if (forked && roles_[*parent] == Role::Main && programs_[i].language == Language::Python) {
        roles_[i] = Role::LoaderWorker;
      }
    }
  }

  std::span<const Member> members_;
  std::vector<Program> programs_;
  std::vector<Kind> kinds_;
  std::vector<std::optional<std::size_t>> parents_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<Role> roles_;
};

}  // namespace

std::vector<Role> name_roles(std::span<const Member> members) {
  return Tree(members).roles();
}

}  // namespace tidegauge::proc
