#!/bin/bash
# Every public header compiles alone, without a warning, as C11 and as C++17; so does every macro,
# expanded by macros.cpp, as C++17. Arguments of active messages that have no 32 bits do not.
#
# usage: headers.sh INCLUDE-DIRECTORY C-COMPILER
set -u

include=$1
cc=$2
macros=$(dirname "$0")/macros.cpp
cxx=$(command -v c++ || command -v g++ || command -v clang++)
failures=0

fail()
{
    echo "FAILED: $*"
    failures=$((failures + 1))
}

compile()
{
    echo "#include <pgas/$header>" |
        "$@" -Wall -Wextra -Wpedantic -Werror -I"$include" -fsyntax-only - ||
        fail "$header with $*"
}

# Macros for programs, except those that only mark declarations.
public_macros()
{
    sed -nE 's/^# *define ([A-Za-z]\w*).*/\1/p' "$include"/pgas/*.h |
        grep -vE '^PGASI_|^PGAS_(API|NORETURN|BEGIN_DECLS|END_DECLS)$|^PGAS_.*_H$' | sort -u
}

# Those that stand for a function with arguments.
function_macros()
{
    sed -nE -e 's/^# *define (pgas_\w+)\(\.\.\.\).*/\1/p' -e 's/^# *define (upc_\w+) pgas_\w+$/\1/p' \
        "$include"/pgas/*.h | grep -v accessregion | sort -u
}

expand_macros()
{
    {
        cat "$macros"
        function_macros | sed 's/.*/EXPAND(&)/'
    } | "$cxx" -std=c++17 "$@" -Wall -Wextra -Wpedantic -Wcast-qual -Werror -I"$include" -fsyntax-only -x c++ - ||
        fail "macros in C++ $*"
}

# argument EXPRESSION: whether it compiles as an argument of an active message in C++.
argument()
{
    printf '#include <pgas/am.h>\nvoid f() { pgas_am_request_short(0, pgas_am_t(), PGAS_AM_ARGS(%s)); }\n' "$1" |
        "$cxx" -std=c++17 -I"$include" -fsyntax-only -x c++ - 2>&1
}

check_arguments()
{
    local value
    for value in 1 1u "'a'" true "1, 2, (short)3"; do
        argument "$value" >/dev/null || fail "argument $value in C++"
    done
    for value in 1ll 2.0 2.0f nullptr "1, sizeof(int)"; do
        argument "$value" | grep -q "has 32 bits" || fail "argument $value is cut in C++"
    done
}

for file in "$include"/pgas/*.h; do
    header=${file##*/}
    compile "$cc" -std=c11 -Wshadow -Wconversion -x c
    compile "$cc" -std=c11 -DPGAS_DEBUG=1 -x c
    [ -z "$cxx" ] || compile "$cxx" -std=c++17 -Wshadow -x c++
done
for macro in $(public_macros | grep -vxF -f <(function_macros)); do
    grep -qw "$macro" "$macros" || fail "macros.cpp does not expand $macro"
done
# As some programs include headers of C.
wrap_headers()
{
    {
        echo 'extern "C" {'
        (cd "$include" && printf '#include <%s>\n' pgas/*.h)
        echo '}'
    } | "$cxx" -std=c++17 -Wall -Wextra -Wpedantic -Werror -I"$include" -fsyntax-only -x c++ - ||
        fail 'headers within extern "C"'
}

if [ -n "$cxx" ]; then
    wrap_headers
    expand_macros
    expand_macros -DPGAS_DEBUG=1
    check_arguments
fi
[ $failures -eq 0 ] || exit 1
[ -n "$cxx" ] || {
    echo "no C++ compiler"
    exit 77
}
