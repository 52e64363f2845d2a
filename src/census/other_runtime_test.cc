// SPDX-License-Identifier: Apache-2.0
#include "census/other_runtime.h"

#include <gtest/gtest.h>

namespace tidegauge::census {
namespace {

std::string runtime(const std::string& program, const std::string& mapped = "/usr/lib/libc.so.6") {
  return other_runtime(program, {{.inode = 1, .path = program}, {.inode = 2, .path = mapped}});
}

TEST(OtherRuntime, IsKnownByTheNamesOfFiles) {
  EXPECT_EQ(runtime("/usr/lib/pypy3.9/bin/pypy3.9"), "PyPy");
  EXPECT_EQ(runtime("/opt/app/server", "/opt/app/libpypy3.9-c.so"), "PyPy");
  EXPECT_EQ(runtime("/opt/graalpy-24.1/bin/graalpy"), "GraalPy");
  EXPECT_EQ(runtime("/opt/app/bin/launcher", "/opt/graalpy/lib/libpythonvm.so"), "GraalPy");
  EXPECT_EQ(runtime("/usr/bin/java", "/usr/share/java/jython-2.7.3.jar"), "Jython");
  EXPECT_EQ(runtime("/usr/bin/micropython"), "MicroPython");
}

TEST(OtherRuntime, OldCPythonsHaveTheirVersion) {
  EXPECT_EQ(runtime("/usr/bin/python2.7"), "CPython 2.7");
  EXPECT_EQ(runtime("/usr/bin/python3.8"), "CPython 3.8");
  EXPECT_EQ(runtime("/opt/app/server", "/usr/lib/libpython3.6m.so.1.0"), "CPython 3.6");
  EXPECT_EQ(runtime("/usr/bin/python2"), "CPython 2");
}

TEST(OtherRuntime, EverythingElseIsNotNamed) {
  EXPECT_EQ(runtime("/usr/bin/sleep"), "");
  EXPECT_EQ(runtime("/usr/bin/python3.11"), "");
  EXPECT_EQ(runtime("/usr/bin/python3"), "");
  EXPECT_EQ(runtime("/usr/bin/python3.14"), "");
  EXPECT_EQ(runtime(""), "");
}

TEST(OtherRuntime, TheReasonIsPrintable) {
  const auto why = why_not_read("/tmp/\x1b[31mevil\n", {});
  EXPECT_EQ(why.find('\x1b'), std::string::npos);
  EXPECT_EQ(why.find('\n'), std::string::npos);
  EXPECT_NE(why.find("no CPython"), std::string::npos);
}

}  // namespace
}  // namespace tidegauge::census
