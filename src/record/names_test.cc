// SPDX-License-Identifier: Apache-2.0
#include "record/names.h"

#include <gtest/gtest.h>

namespace tidegauge::record {
namespace {

TEST(Names, EveryIdLeadsBackToItsValue) {
  for (const auto role :
       {Role::Other, Role::Main, Role::Wrapper, Role::CompileWorker, Role::LoaderWorker}) {
    EXPECT_EQ(role_of(id_of(role)), role);
  }
  for (int i = 0; i <= static_cast<int>(EventKind::Held); ++i) {
    EXPECT_EQ(event_kind_of(id_of(static_cast<EventKind>(i))), static_cast<EventKind>(i));
  }
  for (int i = 0; i <= static_cast<int>(MarkSource::File); ++i) {
    EXPECT_EQ(mark_source_of(id_of(static_cast<MarkSource>(i))), static_cast<MarkSource>(i));
  }
}

TEST(Names, AWordThatIsNoneGivesNothing) {
  EXPECT_FALSE(role_of("boss"));
  EXPECT_FALSE(event_kind_of(""));
  EXPECT_FALSE(mark_source_of("STEP"));
}

}  // namespace
}  // namespace tidegauge::record
