# Compile settings every target of the project shares.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON) # gnu11: Linux system calls
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(CMAKE_C_FLAGS_DEBUG STREQUAL "-g") # CMake's own
  set(CMAKE_C_FLAGS_DEBUG "-g -Og")
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
# Installed programs find the shared library relative to themselves, so that the prefix may be
# moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_FULL_BINDIR}
           OUTPUT_VARIABLE fathom_lib_from_bin)
if(BUILD_SHARED_LIBS)
  list(PREPEND CMAKE_INSTALL_RPATH $ORIGIN/${fathom_lib_from_bin})
endif()

add_library(fathom_build INTERFACE)
target_compile_options(fathom_build INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
  $<$<BOOL:${FATHOM_WERROR}>:-Werror>
  $<$<BOOL:${FATHOM_NATIVE}>:-march=native>)
target_compile_definitions(fathom_build INTERFACE
  _GNU_SOURCE FATHOM_VERSION="${PROJECT_VERSION}"
  $<$<BOOL:${FATHOM_DEBUG_CHECKS}>:PGAS_DEBUG=1>)
if(FATHOM_SANITIZE)
  target_compile_options(fathom_build INTERFACE
    -fsanitize=${FATHOM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(fathom_build INTERFACE -fsanitize=${FATHOM_SANITIZE})
  # Twice as fast as the usual linker over as much as a sanitizer adds.
  include(CheckLinkerFlag)
  check_linker_flag(C -fuse-ld=gold FATHOM_GOLD)
  if(FATHOM_GOLD)
    target_link_options(fathom_build INTERFACE -fuse-ld=gold)
  endif()
endif()
