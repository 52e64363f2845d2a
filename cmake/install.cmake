# SPDX-License-Identifier: Apache-2.0
# What `make install` and the Debian package put where.
include(GNUInstallDirs)

# All that gets installed, and none of the tests.
add_custom_target(product ALL DEPENDS tidegauge)

# Installs FILE, compressed, as NAME in FOLDER.
function(install_compressed file name folder)
  find_program(GZIP gzip REQUIRED)
  set(compressed ${CMAKE_BINARY_DIR}/${name})
  add_custom_command(
    OUTPUT ${compressed}
    COMMAND ${GZIP} -9nc ${file} > ${compressed}
    DEPENDS ${file}
    COMMENT "Compressing ${file}")
  add_custom_target(compressed_${name} DEPENDS ${compressed})
  add_dependencies(product compressed_${name})
  install(FILES ${compressed} DESTINATION ${folder})
endfunction()

# "program" alone is what a Python wheel holds.
install(TARGETS tidegauge RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
# Not in the machine's own folder for libraries: the program looks for it in ../lib/tidegauge.
install(TARGETS tidegauge_probe LIBRARY DESTINATION lib/tidegauge COMPONENT program)
install(FILES probe/sitecustomize.py DESTINATION lib/tidegauge/site COMPONENT program)
file(GLOB headers CONFIGURE_DEPENDS include/tidegauge/*.h)
foreach(header ${headers})
  # Some are links into src/ here; what is installed stands for itself.
  get_filename_component(name ${header} NAME)
  file(REAL_PATH ${header} real)
  install(FILES ${real} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tidegauge RENAME ${name})
endforeach()
install_compressed(${CMAKE_SOURCE_DIR}/docs/tidegauge.1 tidegauge.1.gz ${CMAKE_INSTALL_MANDIR}/man1)

install(FILES completions/tidegauge.bash
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME tidegauge)
install(FILES completions/tidegauge.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
# Debian's zsh looks into another folder below /usr than below /usr/local and elsewhere.
install(CODE "
  set(folder site-functions)
  if(CMAKE_INSTALL_PREFIX MATCHES \"(^|/_CPack_Packages/.*)/usr$\")
    set(folder vendor-completions)
  endif()
  file(INSTALL \"${CMAKE_SOURCE_DIR}/completions/_tidegauge\"
       DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/zsh/\${folder}\")")

set(doc_folder ${CMAKE_INSTALL_DATADIR}/doc/tidegauge)
file(GLOB guides CONFIGURE_DEPENDS docs/*.md)
install(FILES README.md packaging/copyright DESTINATION ${doc_folder})
install(FILES ${guides} DESTINATION ${doc_folder}/docs)
install_compressed(${CMAKE_SOURCE_DIR}/CHANGELOG.md changelog.gz ${doc_folder})
string(TIMESTAMP packaged_at "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(packaging/changelog.in changelog.Debian @ONLY)
install_compressed(${CMAKE_BINARY_DIR}/changelog.Debian changelog.Debian.gz ${doc_folder})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tidegauge)
set(CPACK_PACKAGE_VENDOR tidegauge)
set(CPACK_PACKAGE_CONTACT "The tidegauge maintainers <maintainers@tidegauge.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "tells memory leaks from warm-up, spikes and noise")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Watches the memory of a process and all its descendants, from outside, and
says what its growth is: a leak, a warm-up that ends, spikes, or not decidable
yet and when it will be; how fast it is, along with what, and when it reaches
its limit.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_OUTPUT_FILE_PREFIX ${CMAKE_SOURCE_DIR}/out)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
include(CPack)
