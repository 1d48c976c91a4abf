# The installed package: find_package(Fathom), pkg-config fathom, and a test of both. The prefix may
# be moved after installation.
include(CMakePackageConfigHelpers)

set(FATHOM_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Fathom)
get_target_property(FATHOM_LIBRARY_TYPE fathom TYPE)

# The libraries that a static library needs at every link.
set(FATHOM_PACKAGES [["PMIX;pmix>=4" "JANSSON;jansson"]])
set(FATHOM_PC_PACKAGES "pmix >= 4, jansson")
if(FATHOM_UCX)
  string(APPEND FATHOM_PACKAGES [[ "UCX;ucx>=1.13"]])
  string(APPEND FATHOM_PC_PACKAGES ", ucx >= 1.13")
endif()

# Three sets, so that a program that only wants the runtime needs neither HDF5 nor METIS.
install(EXPORT FathomTargets NAMESPACE Fathom:: DESTINATION ${FATHOM_CMAKE_DIR})
install(EXPORT FathomMeshesTargets NAMESPACE Fathom:: DESTINATION ${FATHOM_CMAKE_DIR})
install(EXPORT FathomPerfmodelTargets NAMESPACE Fathom:: DESTINATION ${FATHOM_CMAKE_DIR})

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/FathomConfig.cmake.in ${PROJECT_BINARY_DIR}/FathomConfig.cmake
  INSTALL_DESTINATION ${FATHOM_CMAKE_DIR}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/FathomConfigVersion.cmake
  COMPATIBILITY SameMinorVersion) # before 1.0 a minor version may change the interface
install(FILES
  ${PROJECT_BINARY_DIR}/FathomConfig.cmake ${PROJECT_BINARY_DIR}/FathomConfigVersion.cmake
  DESTINATION ${FATHOM_CMAKE_DIR})

# A build with the runtime's checks (PGAS_DEBUG) passes them on to the inline functions of the
# headers.
set(FATHOM_PC_CFLAGS "")
if(FATHOM_DEBUG_CHECKS)
  target_compile_definitions(fathom INTERFACE $<INSTALL_INTERFACE:PGAS_DEBUG=1>)
  set(FATHOM_PC_CFLAGS " -DPGAS_DEBUG=1")
endif()
# A static library needs its own libraries at every link, a shared one only with `--static`. But a
# program must find the shared library when it runs, in a place where the system does not search by
# itself.
set(FATHOM_PC_RPATH "")
if(FATHOM_LIBRARY_TYPE STREQUAL "STATIC_LIBRARY")
  set(FATHOM_PC_REQUIRES "Requires")
else()
  set(FATHOM_PC_REQUIRES "Requires.private")
  if(NOT CMAKE_INSTALL_FULL_LIBDIR IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
    set(FATHOM_PC_RPATH " -Wl,-rpath,\${libdir}")
  endif()
endif()
# The prefix as seen from the directory of fathom.pc.
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}
           OUTPUT_VARIABLE pkgconfig_dir)
cmake_path(APPEND pkgconfig_dir pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${pkgconfig_dir}
           OUTPUT_VARIABLE FATHOM_PC_PREFIX)
# The headers lie below it, unless their place is given as a whole.
set(FATHOM_PC_INCLUDEDIR \${prefix}/${CMAKE_INSTALL_INCLUDEDIR})
if(IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  set(FATHOM_PC_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/fathom.pc.in ${PROJECT_BINARY_DIR}/fathom.pc @ONLY)
# A project of which this is a part has a licence of its own.
set(FATHOM_DOCDIR ${CMAKE_INSTALL_DOCDIR})
if(NOT PROJECT_IS_TOP_LEVEL)
  set(FATHOM_DOCDIR ${CMAKE_INSTALL_DATAROOTDIR}/doc/${PROJECT_NAME})
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${FATHOM_DOCDIR})
install(FILES ${PROJECT_BINARY_DIR}/fathom.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# GASNet's libraries, one for each way in which a program may use threads; fathom-gasnet is the
# first.
foreach(FATHOM_GASNET_MACRO SEQ PARSYNC PAR)
  string(TOLOWER ${FATHOM_GASNET_MACRO} FATHOM_GASNET_MODE)
  set(pc ${PROJECT_BINARY_DIR}/fathom-gasnet-${FATHOM_GASNET_MODE}.pc)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/fathom-gasnet.pc.in ${pc} @ONLY)
  install(FILES ${pc} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/fathom-gasnet-seq.pc RENAME fathom-gasnet.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Programs outside this build do not know its sanitizers.
if(FATHOM_TESTS AND NOT FATHOM_SANITIZE)
  add_test(NAME installed_package
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_installed.sh
      ${CMAKE_COMMAND} ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
  add_test(NAME installed_package_shared
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/test_installed_shared.sh
      ${CMAKE_COMMAND} ${CMAKE_GENERATOR} ${CMAKE_C_COMPILER} ${PROJECT_SOURCE_DIR} ${FATHOM_UCX})
  foreach(test installed_package installed_package_shared)
    fathom_set_test_properties(${test} 300 script)
  endforeach()
  fathom_needs_network(installed_package installed_package_shared)
  fathom_mark_slow(installed_package_shared)
  fathom_mark_long(installed_package_shared)
endif()
