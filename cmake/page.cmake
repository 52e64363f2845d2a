# SPDX-License-Identifier: Apache-2.0
# web/, bundled by npm's esbuild into one page, as a string in the program. With AUTO, and without npm or
# what it has to fetch, the program is built without it: `report` then writes Markdown and text only, and says so.
set(TIDEGAUGE_PAGE AUTO CACHE STRING "build the page of the report: ON, OFF, or AUTO where npm works")

find_program(NODE NAMES node nodejs)
find_program(NPM npm)
set(web ${CMAKE_SOURCE_DIR}/web)
set(installed ${web}/node_modules/.package-lock.json)

# Sets IS_THERE to whether the page can be built: node is new enough, and npm gets what it needs.
function(look_for_page_tools is_there)
  set(${is_there} OFF PARENT_SCOPE)
  if(NOT NODE OR NOT NPM)
    message(STATUS "no page in the report: npm was not found")
    return()
  endif()
  execute_process(COMMAND ${NODE} --version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REPLACE "v" "" version "${version}")
  if(version VERSION_LESS 18)
    message(STATUS "no page in the report: node ${version} is older than 18")
    return()
  endif()
  if(NOT EXISTS ${installed})
    execute_process(COMMAND ${CMAKE_SOURCE_DIR}/tools/npm_ci ${web} --omit=dev RESULT_VARIABLE failed)
    if(failed)
      message(WARNING "no page in the report: npm could not install what it is made of")
      return()
    endif()
  endif()
  set(${is_there} ON PARENT_SCOPE)
endfunction()

set(page_wanted ${TIDEGAUGE_PAGE})
if(page_wanted STREQUAL "AUTO")
  look_for_page_tools(page_wanted)
endif()

set(page_source ${CMAKE_BINARY_DIR}/page_template.cc)
if(page_wanted)
  if(NOT NODE OR NOT NPM)
    message(FATAL_ERROR "the page needs node 18 or later and npm; -DTIDEGAUGE_PAGE=OFF builds without it")
  endif()
  file(GLOB page_sources CONFIGURE_DEPENDS web/src/*)
  # Not tied to this build folder: all of them share what npm installed.
  add_custom_command(
    OUTPUT ${installed}
    COMMAND ${CMAKE_SOURCE_DIR}/tools/npm_ci ${web} --omit=dev
    DEPENDS ${web}/package-lock.json
    COMMENT "Installing what the page is made of")
  add_custom_command(
    OUTPUT ${page_source} ${CMAKE_BINARY_DIR}/page.html
    COMMAND ${NODE} bundle.mjs ${CMAKE_BINARY_DIR}
    WORKING_DIRECTORY ${web}
    DEPENDS ${installed} ${web}/bundle.mjs ${web}/tsconfig.json ${page_sources}
    COMMENT "Bundling the page")
else()
  file(CONFIGURE OUTPUT ${page_source} CONTENT [[// SPDX-License-Identifier: Apache-2.0
#include "view/page.h"
namespace tidegauge::view {
std::string_view page_template() { return {}; }
}  // namespace tidegauge::view
]])
endif()
target_sources(view PRIVATE ${page_source})
# One string: longer than a compiler must take, and both of ours do.
set_source_files_properties(${page_source} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
