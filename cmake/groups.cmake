# SPDX-License-Identifier: Apache-2.0
# With TIDEGAUGE_GROUPED, files that share most of their headers are compiled as one (tools/groups.py says which may).

if(TIDEGAUGE_GROUPED)
  find_program(PYTHON3 python3)
  if(NOT PYTHON3)
    message(STATUS "every file by itself: python3, which groups them, was not found")
  endif()
endif()

function(compile_in_groups target)
  if(NOT TIDEGAUGE_GROUPED OR NOT PYTHON3)
    return()
  endif()
  execute_process(
    COMMAND ${PYTHON3} ${CMAKE_SOURCE_DIR}/tools/groups.py ${CMAKE_SOURCE_DIR}/src ${ARGN}
    OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${lines}")
  foreach(line ${lines})
    string(REGEX MATCH "^([0-9]+) (.*)$" line "${line}")
    set_source_files_properties(${CMAKE_MATCH_2} PROPERTIES UNITY_GROUP ${CMAKE_MATCH_1})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # It takes every file that is included for a header.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  # A name that comes into a file may part it from its group.
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
endfunction()
