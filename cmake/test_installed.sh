#!/bin/bash
# The installed package from the outside: installs the build into a prefix, moves the prefix, builds
# the examples against it by find_package and by pkg-config, and runs them.
#
# usage: test_installed.sh CMAKE BUILD-DIRECTORY SOURCE-DIRECTORY
set -euo pipefail
export LC_ALL=C

cmake=$1
build=$2
source=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

die()
{
    printf 'FAILED: %s\n' "$*"
    exit 1
}

# quietly WHAT COMMAND...: runs it, and shows its output only if it fails.
quietly()
{
    local what=$1
    shift
    "$@" >"$work/log" 2>&1 || {
        cat "$work/log"
        die "$what"
    }
}

# expect TEXT COMMAND...: it succeeds and prints TEXT.
expect()
{
    local text=$1
    shift
    "$@" >"$work/log" 2>&1 || {
        cat "$work/log"
        die "$* ended with a failing status"
    }
    grep -qF -- "$text" "$work/log" || {
        cat "$work/log"
        die "$* did not say '$text'"
    }
}

# run_examples DIRECTORY: checks the output of the programs there.
run_examples()
{
    local run=$work/moved/bin/fathom-run
    expect "thread 1 of 2" "$run" -n 2 -- "$1/hello"
    expect "sum 1.000000" "$run" -n 2 -- "$1/spread" 1000 10
    expect "sum 1.000000" "$run" -n 3 --nodes 2 -- "$1/spread" 1000 7
    expect "837799 with 524 steps" "$run" -n 2 -- "$1/collatz" 1000000
    expect "97 with 118 steps" "$run" -n 4 -- "$1/collatz" 100
    expect "200 rows sorted by 3 threads on 1 nodes, by atomic operations" "$run" -n 3 -- "$1/toposort" 200
    expect "30000 numbers counted" "$run" -n 3 --nodes 2 -- "$1/histogram" 10000
    expect "5000 bytes one way" "$run" -n 3 --nodes 2 -- "$1/pingpong" 100 5000
    expect "thread 2 visited" "$run" -n 3 --nodes 2 -- "$1/tree" 18
    expect "thread 0 visited" "$run" -n 1 -- "$1/tree" 12
    expect "sum 6" "$run" -n 4 --nodes 2 -- "$1/ring"
    expect "sum 1048576.000000" "$run" -n 3 --nodes 2 -- "$1/halo"
    expect "sum 1048576.000000" "$run" -n 1 -- "$1/neighbours"
    expect "sum 1048576.000000" "$run" -n 3 --nodes 2 -- "$1/neighbours"
}

quietly "cmake --install" "$cmake" --install "$build" --prefix "$work/prefix"
mv "$work/prefix" "$work/moved"
cp -r "$source/examples" "$work/examples"
[[ -n $(find "$work/moved" -name LICENSE) ]] || die "the package has no licence"
! grep -rqF "$work/prefix" "$work/moved" || die "the package names its prefix"

# The programs of the package start from their new place, with the library next to them if it is a
# shared one.
for program in "$work"/moved/bin/*; do
    expect "(Fathom)" "$program" --version
    ! ldd "$program" | grep "libfathom" | grep -vF "$work/moved/" ||
        die "$program finds another library"
done

quietly "find_package: configure" "$cmake" -S "$work/examples" -B "$work/by-cmake" \
    -DCMAKE_PREFIX_PATH="$work/moved" -DCMAKE_BUILD_TYPE=Release
quietly "find_package: build" "$cmake" --build "$work/by-cmake"
run_examples "$work/by-cmake"

pc=$(dirname "$(find "$work/moved" -name fathom.pc)")
export PKG_CONFIG_PATH=$pc
quietly "pkg-config: make" make -C "$work/examples"
run_examples "$work/examples"

# A GASNet program in each mode.
mkdir "$work/gasnet"
cat >"$work/gasnet/use.c" <<'END'
#include <gasnet.h>
#include <gasnet_tools.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0) != GASNET_OK)
        return 1;
    gasnet_seginfo_t info[2];
    gasnet_getSegmentInfo(info, 2);
    gasnet_put_val(1 - gasnet_mynode(), info[1 - gasnet_mynode()].addr, gasnet_mynode(), 4);
    gasnet_barrier_notify(0, 0);
    gasnet_barrier_wait(0, 0);
    printf("node %d heard of %d\n", (int)gasnet_mynode(), *(int *)info[gasnet_mynode()].addr);
    gasnet_exit(0);
}
END
cat >"$work/gasnet/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(UseGasnet LANGUAGES C)
find_package(Fathom REQUIRED)
foreach(mode seq parsync par)
  add_executable(use-${mode} use.c)
  target_link_libraries(use-${mode} PRIVATE Fathom::gasnet-${mode})
endforeach()
END
quietly "gasnet: configure" "$cmake" -S "$work/gasnet" -B "$work/gasnet/build" \
    -DCMAKE_PREFIX_PATH="$work/moved"
quietly "gasnet: build" "$cmake" --build "$work/gasnet/build"
for mode in seq parsync par; do
    expect "node 0 heard of 1" "$work/moved/bin/fathom-run" -n 2 -- "$work/gasnet/build/use-$mode"
    # shellcheck disable=SC2046 # one word for each flag
    quietly "gasnet: pkg-config $mode" cc "$work/gasnet/use.c" -o "$work/gasnet/use-$mode" \
        $(pkg-config --cflags --libs "fathom-gasnet-$mode")
    expect "node 1 heard of 0" "$work/moved/bin/fathom-run" -n 2 --nodes 2 -- \
        "$work/gasnet/use-$mode"
done
expect "-DGASNET_SEQ=1" pkg-config --cflags fathom-gasnet

# A future version and an unknown component are refused with a message.
mkdir "$work/refused"
cat >"$work/refused/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(Refused LANGUAGES C)
find_package(Fathom ${VERSION} ${MORE})
message(STATUS "found: ${Fathom_FOUND} ${Fathom_CONSIDERED_VERSIONS}")
END
expect "found: 0" "$cmake" -S "$work/refused" -B "$work/refused/new" \
    -DCMAKE_PREFIX_PATH="$work/moved" -DVERSION=99.0
expect "found: 0" "$cmake" -S "$work/refused" -B "$work/refused/odd" \
    -DCMAKE_PREFIX_PATH="$work/moved" -DMORE="COMPONENTS;nonsense"

# An old project; and a component that may be missing.
mkdir "$work/optional"
cat >"$work/optional/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.0)
project(Old LANGUAGES C)
find_package(Fathom REQUIRED OPTIONAL_COMPONENTS meshes)
message(STATUS "found: ${Fathom_FOUND}, meshes: <${Fathom_meshes_FOUND}>")
END
expect "found: 1, meshes: <TRUE>" "$cmake" -S "$work/optional" -B "$work/optional/with" \
    -DCMAKE_PREFIX_PATH="$work/moved"
expect "found: 1, meshes: <>" "$cmake" -S "$work/optional" -B "$work/optional/without" \
    -DCMAKE_PREFIX_PATH="$work/moved" -DCMAKE_DISABLE_FIND_PACKAGE_HDF5=ON
if [[ -n $(find "$work/moved" -name 'libfathom.so*') ]]; then
    sed -i 's/COMPONENTS meshes/COMPONENTS perfmodel/' "$work/optional/CMakeLists.txt"
    for package in PkgConfig Threads; do
        expect "found: 1, meshes: <TRUE>" "$cmake" -S "$work/optional" \
            -B "$work/optional/without-$package" -DCMAKE_PREFIX_PATH="$work/moved" \
            "-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON"
    done
fi

# As a part of another build; and with headers in a place of their own.
mkdir "$work/part"
cat >"$work/part/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(Whole LANGUAGES C)
include(GNUInstallDirs)
add_subdirectory(${FATHOM} fathom)
add_custom_target(show COMMAND echo $<TARGET_FILE:Fathom::fathom-run>)
END
quietly "add_subdirectory: configure" "$cmake" -S "$work/part" -B "$work/part/build" \
    -DFATHOM="$source" -DCMAKE_INSTALL_INCLUDEDIR=/elsewhere/include
expect "/bin/fathom-run" "$cmake" --build "$work/part/build" --target show
grep -qx "includedir=/elsewhere/include" "$work/part/build/fathom/fathom.pc" ||
    die "headers in a place of their own: $(grep includedir "$work/part/build/fathom/fathom.pc")"
! grep -q "share/doc/Whole" "$work/part/build/fathom/cmake_install.cmake" ||
    die "the licence goes to the place of another project's"

# The mesh library by its component.
mkdir "$work/meshes"
cat >"$work/meshes/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(UseMeshes LANGUAGES C)
find_package(Fathom REQUIRED COMPONENTS meshes)
add_executable(use use.c)
target_link_libraries(use PRIVATE Fathom::meshes)
END
cat >"$work/meshes/use.c" <<'END'
#include <meshes/meshes.h>
int main(void)
{
    struct mesh_matrix *matrix = 0;
    (void)matrix;
    return 0;
}
END
quietly "meshes: configure" "$cmake" -S "$work/meshes" -B "$work/meshes/build" \
    -DCMAKE_PREFIX_PATH="$work/moved"
quietly "meshes: build" "$cmake" --build "$work/meshes/build"

# The performance model by its component.
mkdir "$work/perfmodel"
cat >"$work/perfmodel/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(UsePerfmodel LANGUAGES C)
find_package(Fathom REQUIRED COMPONENTS perfmodel)
add_executable(use use.c)
target_link_libraries(use PRIVATE Fathom::perfmodel)
END
cat >"$work/perfmodel/use.c" <<'END'
#include <perfmodel/perfmodel.h>
#include <stdio.h>
int main(void)
{
    mesh_error_t error = {""};
    model_machine_t machine;
    if (model_machine_read("/nowhere", &machine, &error))
        return 1;
    puts(error.text);
    return 0;
}
END
quietly "perfmodel: configure" "$cmake" -S "$work/perfmodel" -B "$work/perfmodel/build" \
    -DCMAKE_PREFIX_PATH="$work/moved"
quietly "perfmodel: build" "$cmake" --build "$work/perfmodel/build"
expect "/nowhere" "$work/perfmodel/build/use"
expect "fathom-model (Fathom)" "$work/moved/bin/fathom-model" --version
echo "installed, moved, built by find_package and by pkg-config, ran"
