// SPDX-License-Identifier: Apache-2.0
#include "proc/role.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <sstream>

namespace tidegauge::proc {
namespace {

using record::Role;
using Words = std::vector<std::string>;

Member member(pid_t pid, pid_t parent, std::uint64_t megabytes, Words arguments,
              std::string name = "python") {
  return {.id = {pid, 1},
          .parent = {parent, 1},
          .name = std::move(name),
          .arguments = std::move(arguments),
          .anon = megabytes << 20};
}

Words words(const std::string& line) {
  std::istringstream in(line);
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string letters(const std::vector<Role>& roles) {
  std::string text;
  for (const auto role : roles) {
    const std::map<Role, char> kLetters{{Role::Other, 'o'},
                                        {Role::Main, 'M'},
                                        {Role::Wrapper, 'w'},
                                        {Role::CompileWorker, 'c'},
                                        {Role::LoaderWorker, 'l'}};
    text += kLetters.at(role);
  }
  return text;
}

// As seen with torch 2.15 and Python 3.11; sizes in MB.
const std::string kPython = "/venv/bin/python";
const Words kTrain{kPython, "train.py", "fork", "compile", "x"};
const Words kPool{kPython,
                  "/venv/lib/python3.11/site-packages/torch/_inductor/compile_worker/__main__.py",
                  "--pickler=torch._inductor.compile_worker.subproc_pool.SubprocPickler",
                  "--kind=fork",
                  "--workers=3",
                  "--parent=20862",
                  "--read-fd=14",
                  "--write-fd=18",
                  "--torch-key=sNLUgJOiGRwfFUp9jvhn72J0fCGGY+XUm8I2j/yM6G0="};
const Words kTracker{kPython, "-B", "-c",
                     "from multiprocessing.resource_tracker import main;main(5)"};

TEST(NameRoles, FindsTheJobBehindItsWrappersAndItsWorkers) {
  EXPECT_EQ(
      letters(name_roles(std::vector{
          member(10, 1, 1, {"bash", "run.sh"}, "bash"),
          member(11, 10, 1, {"sh", "-c", "python train.py fork compile x; true"}, "sh"),
          member(12, 11, 500, kTrain), member(13, 12, 477, kTrain, "pt_data_worker"),
          member(14, 12, 477, kTrain, "pt_data_worker"), member(15, 12, 385, kPool),
          member(16, 15, 385, kPool), member(17, 15, 385, kPool), member(18, 12, 5, kTracker)})),
      "wwMllccco");
}

TEST(NameRoles, KnowsWhatTriesToLoadACompiledLibrary) {
  const Words trial{kPython, "-c",
                    "\nimport torch\nfrom ctypes import cdll\n"
                    "cdll.LoadLibrary(\"/tmp/torchinductor_root/xo/cxo533e53n.so\")\n"};
  const Words own{kPython, "-c", "from ctypes import cdll; cdll.LoadLibrary('/opt/mine.so')"};
  EXPECT_EQ(letters(name_roles(std::vector{member(11, 1, 500, kTrain), member(12, 11, 440, trial),
                                           member(13, 11, 20, own)})),
            "Mco");
}

TEST(NameRoles, KnowsWorkersThatWereSpawned) {
  const Words spawned{kPython, "-B", "-c",
                      "from multiprocessing.spawn import spawn_main; spawn_main(tracker_fd=6, "
                      "pipe_handle=11)",
                      "--multiprocessing-fork"};
  EXPECT_EQ(letters(name_roles(std::vector{member(11, 1, 346, {kPython, "train.py"}),
                                           member(12, 11, 5, kTracker),
                                           member(13, 11, 299, spawned, "pt_data_worker"),
                                           member(14, 11, 299, spawned)})),  // before torch 2.6
            "Moll");
}

TEST(NameRoles, KnowsWorkersOfAForkServer) {
  const Words server{kPython, "-B", "-c",
                     "from multiprocessing.forkserver import main; main(8, 9, ['__main__'])"};
  EXPECT_EQ(letters(name_roles(std::vector{member(11, 1, 346, {kPython, "train.py"}),
                                           member(12, 11, 5, kTracker), member(13, 11, 6, server),
                                           member(14, 13, 299, server, "pt_data_worker"),
                                           member(15, 13, 299, server)})),
            "Mooll");
}

TEST(NameRoles, EveryRankIsTheJob) {
  const Words rank{"/venv/bin/python3.11", "-u", "train.py"};
  EXPECT_EQ(letters(name_roles(std::vector{member(10, 1, 300,
                                                  {"/venv/bin/python3.11", "/venv/bin/torchrun",
                                                   "--nproc_per_node=2", "train.py"},
                                                  "pt_elastic"),
                                           member(11, 10, 346, rank), member(12, 10, 290, rank),
                                           member(13, 11, 348, rank, "pt_data_worker"),
                                           member(14, 12, 348, rank, "pt_data_worker")})),
            "wMMll");
}

TEST(NameRoles, RanksThatMultiprocessingStartedAreTheJobToo) {
  const Words spawned{kPython, "-c",
                      "from multiprocessing.spawn import spawn_main; spawn_main(tracker_fd=6)",
                      "--multiprocessing-fork"};
  EXPECT_EQ(letters(name_roles(std::vector{
                member(10, 1, 300, {kPython, "train.py"}), member(11, 10, 900, spawned),
                member(12, 10, 900, spawned), member(13, 11, 300, spawned, "pt_data_worker"),
                member(14, 12, 300, spawned, "pt_data_worker"), member(15, 10, 5, kTracker)})),
            "wMMllo");
}

TEST(NameRoles, OfUnequalSiblingsTheLargestIsTheJob) {
  EXPECT_EQ(letters(name_roles(std::vector{
                member(10, 1, 2, {"/bin/bash", "run.sh"}, "bash"),
                member(11, 10, 90, {kPython, "/venv/bin/tensorboard", "--logdir", "x"}),
                member(12, 10, 4000, {kPython, "train.py"}), member(13, 10, 1, {"tee", "log"}),
                member(14, 12, 1, {"nvidia-smi"}), member(15, 12, 2, {"sh", "-c", "sleep 5"}),
                member(16, 15, 1, {"sleep", "5"})})),
            "woMoooo");
}

TEST(NameRoles, AProgramThatForksSmallerOnesOfItselfIsTheJob) {
  const auto tree = [](std::uint64_t first, std::uint64_t forked) {
    const Words words{"./simulate", "--cells", "4000"};
    return letters(
        name_roles(std::vector{member(10, 1, first, words), member(11, 10, forked, words),
                               member(12, 10, forked, words), member(13, 10, forked / 2, words)}));
  };
  EXPECT_EQ(tree(4000, 250), "Mooo");
  EXPECT_EQ(tree(40, 4000), "wMMM");    // they are ranks
  EXPECT_EQ(tree(4000, 4000), "wMMM");  // and so they may be here, with what they were forked with
}

TEST(NameRoles, AProgramThatItsChildDwarfsIsAWrapper) {
  const auto tree = [](std::uint64_t launcher, std::uint64_t child) {
    return letters(name_roles(std::vector{member(10, 1, launcher, {kPython, "sweep.py"}),
                                          member(11, 10, child, {kPython, "train.py"})}));
  };
  EXPECT_EQ(tree(30, 4000), "wM");
  EXPECT_EQ(tree(30, 100), "Mo");  // too small to matter
  EXPECT_EQ(tree(3000, 4000), "Mo");
}

TEST(NameRoles, OneProcessIsTheJobWhateverItIs) {
  EXPECT_EQ(letters(name_roles(std::vector{member(5, 1, 1, {"bash", "-c", "read x"}, "bash")})),
            "M");
  EXPECT_EQ(letters(name_roles(std::vector{member(5, 1, 1, kPool)})), "M");
  EXPECT_EQ(letters(name_roles(std::vector{member(5, 1, 1, {}, "kworker")})), "M");
  EXPECT_TRUE(name_roles({}).empty());
}

TEST(NameRoles, EachTreeHasItsJobAndLeftOversHaveNone) {
  EXPECT_EQ(letters(name_roles(std::vector{
                member(10, 1, 3000, {kPython, "a.py"}), member(20, 1, 2000, {kPython, "b.py"}),
                member(30, 1, 3, {"ffmpeg", "-i", "x"}),
                member(40, 1, 2900, {kPython, "c.py"}, "pt_data_worker")})),
            "MMol");
}

TEST(NameRoles, KnowsWhatStartsOthers) {
  for (const auto* line : {
           "uv run train.py",
           "/root/.local/bin/uv --offline run --with torch python train.py",
           "uvx --from x train",
           "sh -c x",
           "/bin/bash -l run.sh --lr 3",
           "-bash",
           "env A=1 python train.py",
           "nice -n 10 python train.py",
           "/usr/bin/time -v python train.py",
           "timeout 3600 python train.py",
           "sudo -u joe python train.py",
           "srun -n 4 python train.py",
           "slurmstepd: [123.0]",
           "mpirun -np 4 python train.py",
           "orted -mca ess env",
           "/usr/bin/hydra_pmi_proxy --control-port x",
           "/venv/bin/python3 /venv/bin/torchrun --nproc_per_node 4 train.py",
           "python -m torch.distributed.run --nproc_per_node 4 train.py",
           "python3.12 -u -m torch.distributed.launch train.py",
           "python -Wignore -X dev -m torch.distributed.run train.py",
           "/venv/bin/python /venv/bin/accelerate launch --num_processes 2 train.py",
           "python -m accelerate.commands.launch train.py",
           "python /venv/bin/deepspeed --num_gpus 2 train.py",
           "python -u -m deepspeed.launcher.launch --world_info=x train.py",
           "python /venv/bin/horovodrun -np 2 python train.py",
           "python /venv/bin/poetry run train",
           "python /venv/bin/pdm run train",
           "python3 /venv/bin/pipenv run train",
           "/opt/conda/bin/python /opt/conda/bin/conda run -n env python train.py",
           "pixi run train",
           "python /venv/bin/hatch run train",
           "/usr/bin/tini -- python train.py",
           "/sbin/docker-init -- python train.py",
           "dumb-init python train.py",
           "xargs -n 1 python train.py",
           "make train",
           "npm run train",
           "node /usr/bin/npm run train",
           "perl /usr/bin/parallel python train.py",
           "tidegauge run -- python train.py",
           "python /venv/bin/wandb agent x/y/z",
           "/venv/bin/python /venv/bin/jupyter-lab --no-browser",
           "tmux: server",
           "nsys profile python train.py",
       }) {
    const auto roles = name_roles(std::vector{member(10, 1, 300, words(line), "x"),
                                              member(11, 10, 200, {kPython, "train.py"})});
    EXPECT_EQ(letters(roles), "wM") << line;
  }
}

TEST(NameRoles, KnowsWhatIsNoWrapper) {
  for (const auto* line : {
           "python train.py",
           "python run.py",
           "python -m train",
           "python time.py",
           "uv pip install torch",
           "accelerate config",
           "python -m pytest -x",
           "python -c make",  // the text of a program, not its name
           "conda install x",
           "tidegauge watch 12",
           "java -jar x.jar",
           "poetry install -- run",
       }) {
    const auto roles = name_roles(std::vector{member(10, 1, 300, words(line), "x"),
                                              member(11, 10, 200, {kPython, "other.py"})});
    EXPECT_EQ(letters(roles), "Mo") << line;
  }
}

Member any_member(pid_t pid) {
  static const std::vector<Words> kLines{
      kTrain,        kPool,
      kTracker,      {"bash", "x.sh"},
      {"uv", "run"}, {kPython, "-c", "from multiprocessing.spawn import x"},
      {"tee"},       {}};
  return {
      .id = {pid, 1},
      .parent = {*rc::gen::inRange(1, static_cast<int>(pid)), 1},
      .name = *rc::gen::element<std::string>("python", "pt_data_worker", "pt_elastic", "x"),
      .arguments = *rc::gen::elementOf(kLines),
      .anon = *rc::gen::element<record::Bytes>(record::Bytes{}, 1u << 20, 700u << 20, 2000u << 20)};
}

TEST(NameRoles, DoNotDependOnTheOrderAndAlwaysNameAJob) {
  EXPECT_TRUE(rc::check([] {
    const int count = *rc::gen::inRange(1, 20);
    std::vector<Member> members;
    for (pid_t pid = 2; pid < 2 + count; ++pid) members.push_back(any_member(pid));
    const auto roles = name_roles(members);
    RC_ASSERT(roles.size() == members.size());
    RC_ASSERT(std::count(roles.begin(), roles.end(), Role::Main) > 0);

    std::vector<Member> reversed(members.rbegin(), members.rend());
    auto again = name_roles(reversed);
    std::reverse(again.begin(), again.end());
    RC_ASSERT(again == roles);
  }));
}

TEST(NameRoles, SurvivesParentsInACircle) {
  EXPECT_EQ(name_roles(std::vector{member(10, 11, 1, kTrain), member(11, 10, 1, kTrain)}).size(),
            2u);
}

TEST(Roles, AWrapperStaysOneWhenTheJobHasEnded) {
  auto launcher = member(2, 1, 9, words("python launch.py train.py"));
  EXPECT_EQ(letters(name_roles(std::vector{launcher})), "M") << "nobody has seen it start anything";
  launcher.was_wrapper = true;
  EXPECT_EQ(letters(name_roles(std::vector{launcher})), "w");
}

TEST(Roles, AWrapperThatGoesOnToWorkItselfIsTheJob) {
  auto script = member(2, 1, 900, words("python prepare_and_train.py"));
  script.was_wrapper = true;
  EXPECT_EQ(letters(name_roles(std::vector{script})), "M");
}

}  // namespace
}  // namespace tidegauge::proc
