// SPDX-License-Identifier: Apache-2.0
#include "proc/runtime.h"

#include <gtest/gtest.h>

namespace tidegauge::proc {
namespace {

using Files = std::set<std::string>;

TEST(ParseMappedFiles, TakesPathsOnceAndPassesOverTheRest) {
  EXPECT_EQ(parse_mapped_files("55a0-55b0 r--p 00000000 fe:00 1311 /usr/bin/my prog\n"
                               "55b0-55c0 r-xp 00001000 fe:00 1311 /usr/bin/my prog\n"
                               "55c0-55d0 rw-p 00000000 00:00 0 \n"
                               "55d0-55e0 rw-p 00000000 00:00 0 [heap]\n"
                               "7f00-7f10 r--p 00000000 fe:00 99 /usr/lib/libc.so.6 (deleted)\n"
                               "7f10-7f20 rw-s 00000000 00:01 5 /memfd:x\n"
                               "x\n"),
            (Files{"/usr/bin/my prog", "/usr/lib/libc.so.6 (deleted)", "/memfd:x"}));
}

TEST(AllocatorOf, IsTheOneThatTakesTheCalls) {
  EXPECT_EQ(allocator_of({"/lib/libc.so.6"}), "glibc");
  EXPECT_EQ(allocator_of({"/lib/x86_64-linux-gnu/libc-2.31.so"}), "glibc");
  EXPECT_EQ(allocator_of({"/lib/libc.so.6", "/usr/lib/libjemalloc.so.2"}), "jemalloc");
  EXPECT_EQ(allocator_of({"/lib/libc.so.6", "/usr/lib/libtcmalloc_minimal.so.4"}), "tcmalloc");
  EXPECT_EQ(allocator_of({"/lib/libc.so.6", "/usr/lib/libmimalloc.so.2.0"}), "mimalloc");
  EXPECT_EQ(allocator_of({"/lib/ld-musl-x86_64.so.1"}), "musl");
  EXPECT_EQ(allocator_of({"/app/static"}), "");
}

TEST(PythonOf, TakesTheVersionFromTheProgramOrTheLibrary) {
  EXPECT_EQ(python_of("/usr/bin/python3.11", {}), "CPython 3.11");
  EXPECT_EQ(python_of("/opt/py/bin/python3.13t", {}), "CPython 3.13, free-threaded");
  EXPECT_EQ(python_of("/opt/conda/bin/python", {"/opt/conda/lib/libpython3.12.so.1.0"}),
            "CPython 3.12");
  EXPECT_EQ(python_of("/usr/bin/blender", {"/usr/lib/libpython3.11.so.1.0"}), "CPython 3.11");
  EXPECT_EQ(python_of("/usr/bin/x", {"/opt/lib/libpython3.14t.so.1.0"}),
            "CPython 3.14, free-threaded");
  EXPECT_EQ(python_of("/usr/bin/pypy3.10", {}), "PyPy 3.10");
  EXPECT_EQ(python_of("/opt/bin/python", {}), "Python");
  EXPECT_EQ(python_of("/usr/bin/postgres", {"/usr/lib/python3.11/x.so"}), "");
  EXPECT_EQ(python_of("/usr/bin/python3-config", {}), "");
  EXPECT_EQ(python_of("", {}), "");
}

TEST(IsDynamic, MeansThatItHasALinker) {
  EXPECT_TRUE(is_dynamic({"/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"}));
  EXPECT_TRUE(is_dynamic({"/lib/ld-musl-x86_64.so.1"}));
  EXPECT_FALSE(is_dynamic({"/usr/bin/busybox"}));
}

TEST(FrameworksOf, AreKnownByTheirLibraries) {
  EXPECT_EQ(frameworks_of({"/v/torch/lib/libtorch_cpu.so", "/usr/lib/libcuda.so.580", "/x"}),
            (Files{"CUDA", "torch"}));
}

}  // namespace
}  // namespace tidegauge::proc
