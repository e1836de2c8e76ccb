# installed tree: library, headers, command line, pkg-config file, CMake package
install(TARGETS cortenforge LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# what `cortenforge adopt` copies; in a folder of its own, so that nobody links to it by accident
install(FILES $<TARGET_FILE:cf_mujoco> DESTINATION ${CMAKE_INSTALL_LIBDIR}/cortenforge)
install(FILES ${CF_STATIC} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_BINARY_DIR}/cortenforge.kernels DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)  # make gpu
install(FILES ${PROJECT_BINARY_DIR}/web/cortenforge.html DESTINATION ${CMAKE_INSTALL_DATADIR}/cortenforge OPTIONAL)  # make web
install(DIRECTORY include/mujoco include/cortenforge DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
if(TARGET cf_cli)
  install(TARGETS cf_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# the pkg-config file finds its prefix from its own place, so that an installed tree may be moved
string(REGEX REPLACE "[^/]+" ".." CF_PC_UP "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
configure_file(${PROJECT_SOURCE_DIR}/cmake/cortenforge.pc.in ${PROJECT_BINARY_DIR}/generated/cortenforge.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/generated/cortenforge.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
include(CMakePackageConfigHelpers)
# built from source, they are in the library already
set(cf_needs "${CF_QHULL};${CF_CCD};${CF_SPNG};")
if(CF_DEPENDENCIES)
  set(cf_needs)
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/cortenforge-config.cmake.in ${PROJECT_BINARY_DIR}/generated/cortenforge-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cortenforge)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/cortenforge-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/cortenforge-config.cmake
  ${PROJECT_BINARY_DIR}/generated/cortenforge-config-version.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cortenforge)

# for programs that say find_package(mujoco): the same targets under that name, where it was asked for
if(CF_MUJOCO_PACKAGE)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/mujoco-config.cmake @ONLY CONTENT
    "include(\${CMAKE_CURRENT_LIST_DIR}/../cortenforge/cortenforge-config.cmake)\n")
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/mujoco-config-version.cmake VERSION 3.5.0
    COMPATIBILITY SameMajorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/generated/mujoco-config.cmake ${PROJECT_BINARY_DIR}/generated/mujoco-config-version.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/mujoco)
endif()
