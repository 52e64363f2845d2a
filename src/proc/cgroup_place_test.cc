// SPDX-License-Identifier: Apache-2.0
#include "proc/cgroup_place.h"

#include <gtest/gtest.h>

namespace tidegauge::proc {
namespace {

const std::vector<Mount> kHybrid{{"/", "/sys/fs/cgroup/cpu", "cgroup", "rw,cpu,cpuacct"},
                                 {"/", "/sys/fs/cgroup/memory", "cgroup", "rw,memory"},
                                 {"/", "/sys/fs/cgroup/unified", "cgroup2", "rw"}};

TEST(MemoryPlaces, VersionOneComesFirstWhereItHasTheController) {
  const std::vector<Membership> memberships{{0, "", "/pod"}, {4, "memory", "/pod/job"}};
  EXPECT_EQ(memory_places(memberships, kHybrid, "/sys"),
            (std::vector<CgroupPlace>{{1, "/sys/fs/cgroup/memory", "/pod/job"},
                                      {2, "/sys/fs/cgroup/unified", "/pod"}}));
}

TEST(MemoryPlaces, OtherControllersAreNoMemory) {
  const std::vector<Membership> memberships{{4, "cpu,cpuacct", "/pod"}, {5, "memory_x", "/pod"}};
  EXPECT_TRUE(memory_places(memberships, kHybrid, "/sys").empty());
}

TEST(MemoryPlaces, AContainerSeesItsOwnGroupAsTheRoot) {
  const std::vector<Mount> mounts{{"/docker/4a", "/sys/fs/cgroup/memory", "cgroup", "ro,memory"}};
  const auto path_below = [&](const std::string& path) {
    const auto places = memory_places(std::vector<Membership>{{4, "memory", path}}, mounts, "/sys");
    return places.at(0);
  };
  EXPECT_EQ(path_below("/docker/4a"), (CgroupPlace{1, "/sys/fs/cgroup/memory", "/"}));
  EXPECT_EQ(path_below("/docker/4a/sub"), (CgroupPlace{1, "/sys/fs/cgroup/memory", "/sub"}));
  EXPECT_EQ(path_below("/docker/4abc"), (CgroupPlace{1, "/sys/fs/cgroup/memory", "/", true}));
}

TEST(MemoryPlaces, NothingLeadsOutOfTheMount) {
  const std::vector<Mount> mounts{{"/", "/sys/fs/cgroup", "cgroup2", "rw"}};
  for (const auto* path : {"/..", "/../x", "/a/../../x", "/a/.."}) {
    const auto places = memory_places(std::vector<Membership>{{0, "", path}}, mounts, "/sys");
    ASSERT_EQ(places.size(), 1u);
    EXPECT_TRUE(places[0].guessed) << path;
    EXPECT_EQ(places[0].folder(), "/sys/fs/cgroup") << path;
  }
}

TEST(MemoryPlaces, TheLastMountAtAPointIsTheOneToBeSeen) {
  const std::vector<Mount> mounts{{"/a", "/sys/fs/cgroup", "cgroup2", "rw"},
                                  {"/", "/sys/fs/cgroup", "cgroup2", "rw"}};
  const auto places = memory_places(std::vector<Membership>{{0, "", "/a/b"}}, mounts, "/fake");
  EXPECT_EQ(places[0], (CgroupPlace{2, "/fake/fs/cgroup", "/a/b"}));
}

TEST(NamedPlaces, AFolderComesBeforeAPath) {
  const auto places = named_places("/sys/fs/cgroup/memory/job", kHybrid, "/sys");
  ASSERT_FALSE(places.empty());
  EXPECT_EQ(places[0], (CgroupPlace{1, "/sys/fs/cgroup/memory", "/job"}));
}

TEST(NamedPlaces, MemoryComesBeforeTheOthers) {
  for (const auto* name : {"/job", "job", "/job/"}) {
    EXPECT_EQ(named_places(name, kHybrid, "/sys"),
              (std::vector<CgroupPlace>{{1, "/sys/fs/cgroup/memory", "/job"},
                                        {2, "/sys/fs/cgroup/unified", "/job"},
                                        {1, "/sys/fs/cgroup/cpu", "/job"}}))
        << name;
  }
  EXPECT_TRUE(named_places("/a/../b", kHybrid, "/sys").empty());
}

TEST(ParentPath, EndsAtTheMountPoint) {
  EXPECT_EQ(parent_path("/a/b"), "/a");
  EXPECT_EQ(parent_path("/a"), "/");
  EXPECT_FALSE(parent_path("/"));
  EXPECT_FALSE(parent_path(""));
}

}  // namespace
}  // namespace tidegauge::proc
