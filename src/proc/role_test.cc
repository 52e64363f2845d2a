// SPDX-License-Identifier: Apache-2.0
#include "proc/role.h"

#include <gtest/gtest.h>

namespace tidegauge::proc {
namespace {

using record::Role;

Member member(pid_t pid, pid_t parent, std::vector<std::string> arguments, std::uint64_t megabytes,
              std::string name = "python") {
  return {.id = {pid, 1},
          .parent = {parent, 1},
          .name = std::move(name),
          .arguments = std::move(arguments),
          .anon = megabytes << 20};
}

TEST(NameRoles, FindsTheJobBehindItsWrapperAndItsWorkers) {
  const std::vector<std::string> train{"/venv/bin/python3", "train.py", "--epochs", "3"};
  const std::vector<std::string> pool{
      "/venv/bin/python3",
      "/venv/lib/python3.12/site-packages/torch/_inductor/compile_worker/__main__.py",
      "--pickler=torch._inductor.compile_worker.subproc_pool.SubprocPickler", "--workers=20",
      "--parent=11"};
  const std::vector<Member> members{
      member(10, 1, {"uv", "run", "train.py", "--epochs", "3"}, 30, "uv"),
      member(11, 10, train, 9000, "pt_main_thread"),
      member(12, 11, pool, 200),
      member(13, 12, pool, 90),
      member(14, 12, pool, 90),
      member(15, 11, train, 800, "pt_data_worker"),
      member(
          16, 11,
          {"/venv/bin/python3", "-c", "from multiprocessing.resource_tracker import main;main(20)"},
          10),
  };
  EXPECT_EQ(name_roles(members),
            (std::vector{Role::Wrapper, Role::Main, Role::CompileWorker, Role::CompileWorker,
                         Role::CompileWorker, Role::LoaderWorker, Role::Other}));
}

TEST(NameRoles, OneProcessIsTheJobWhateverItIs) {
  EXPECT_EQ(name_roles(std::vector{member(5, 1, {"bash", "-c", "read x"}, 1, "bash")}),
            std::vector{Role::Main});
  EXPECT_TRUE(name_roles({}).empty());
}

}  // namespace
}  // namespace tidegauge::proc
