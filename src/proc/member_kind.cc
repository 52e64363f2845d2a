// SPDX-License-Identifier: Apache-2.0
#include "proc/member_kind.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace tidegauge::proc {

namespace {

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

bool has_command(const Program& program, std::string_view command) {
  const auto end = program.rest.begin() +
                   static_cast<std::ptrdiff_t>(std::min(program.rest.size(), kCommandWithin));
  const auto found = std::find_if(program.rest.begin(), end, [&](std::string_view word) {
    return word == command || word == "--";
  });
  return found != end && *found == command;
}

bool starts_others(const Program& program) {
  if (program.language == Language::Shell) return true;  // sh -c, bash run.sh
  if (program.is_inline) return false;
  return std::any_of(std::begin(kStarters), std::end(kStarters), [&](const Starter& starter) {
    return starter.name == program.name &&
           (starter.command.empty() || has_command(program, starter.command));
  });
}

bool any_has(const std::vector<std::string>& arguments, std::string_view part) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [&](const std::string& word) { return word.find(part) != std::string::npos; });
}

}  // namespace

MemberKind kind_of(const Member& member, const Program& program) {
  if (member.name.starts_with("pt_data_worker")) return MemberKind::DataWorker;
  if (member.name == "pt_elastic") return MemberKind::Starter;  // torchrun, however it was called
  if (any_has(member.arguments, "torch/_inductor/compile_worker") ||
      any_has(member.arguments, "torch._inductor.compile_worker")) {
    return MemberKind::CompileWorker;
  }
  if (program.is_inline && program.language == Language::Python) {
    const std::string_view text = program.name;
    if (text.find("multiprocessing.resource_tracker") != text.npos ||
        text.find("multiprocessing.semaphore_tracker") != text.npos) {
      return MemberKind::Tracker;
    }
    // inductor tries whether what it built can be loaded, in a process that lives for a second
    if (text.find("torchinductor") != text.npos && text.find("LoadLibrary") != text.npos) {
      return MemberKind::CompileWorker;
    }
    if (text.find("multiprocessing.forkserver") != text.npos) return MemberKind::ForkServer;
    if (text.find("multiprocessing.spawn") != text.npos) return MemberKind::Spawned;
  }
  return starts_others(program) ? MemberKind::Starter : MemberKind::Plain;
}

}  // namespace tidegauge::proc
