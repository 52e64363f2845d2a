# SPDX-License-Identifier: Apache-2.0
# What `make install` and the Debian package put where.
include(GNUInstallDirs)

# All that gets installed, and none of the tests.
add_custom_target(product ALL DEPENDS tidegauge)
install(TARGETS tidegauge RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# For jobs that tell the gauge about their steps: docs/marks.md.
install(FILES include/tidegauge/mark.h src/record/ring.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tidegauge)
