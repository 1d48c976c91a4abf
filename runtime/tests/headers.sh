#!/bin/bash
# Every public header compiles alone, without a warning, as C11 and as C++17.
#
# usage: headers.sh INCLUDE-DIRECTORY C-COMPILER
set -u

include=$1
cc=$2
cxx=$(command -v c++ || command -v g++ || command -v clang++)
failures=0

compile()
{
    echo "#include <pgas/$header>" |
        "$@" -Wall -Wextra -Wpedantic -Werror -I"$include" -fsyntax-only - || {
        echo "FAILED: $header with $*"
        failures=$((failures + 1))
    }
}

for file in "$include"/pgas/*.h; do
    header=${file##*/}
    compile "$cc" -std=c11 -Wshadow -Wconversion -x c
    compile "$cc" -std=c11 -DPGAS_DEBUG=1 -x c
    [ -z "$cxx" ] || compile "$cxx" -std=c++17 -x c++
done
[ $failures -eq 0 ] || exit 1
[ -n "$cxx" ] || {
    echo "no C++ compiler"
    exit 77
}
