#!/bin/bash
# The headers compile alone, without a warning, as C11, gnu17, C++11 and C++17, in each mode, in any
# order; what cannot work is refused with one line, by the compiler or the linker.
#
# usage: headers.sh GASNET-INCLUDES RUNTIME-INCLUDES C-COMPILER LIBRARY-SEQ LIBRARY-PAR
set -u
export LC_ALL=C

include=(-I"$1" -I"$2")
cc=$3
seq=$4
par=$5
cxx=$(command -v c++ || command -v g++ || command -v clang++)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail()
{
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# compile TEXT COMPILER...: without a word.
compile()
{
    local text=$1
    shift
    printf '%b' "$text" | "$@" -Wall -Wextra -Werror "${include[@]}" -fsyntax-only - || fail "$*: $text"
}

# refuse TEXT LINE COMPILER...: with the line.
refuse()
{
    local text=$1 line=$2
    shift 2
    if printf '%b' "$text" | "$@" "${include[@]}" -fsyntax-only - 2>"$work/err"; then
        fail "$text is accepted"
    fi
    grep -qF -- "$line" "$work/err" || {
        cat "$work/err"
        fail "$text: no line '$line'"
    }
}

all='#include <gasnet.h>\n#include <gasnet_vis.h>\n#include <gasnet_coll.h>\n#include <gasnet_tools.h>\n'
for mode in SEQ PARSYNC PAR; do
    for text in '#include <gasnet.h>\n' '#include <gasnet_vis.h>\n' '#include <gasnet_coll.h>\n' \
        '#include <gasnet_core.h>\n' '#include <gasnet_extended.h>\n' "$all"; do
        compile "$text" "$cc" -std=c11 -pedantic -DGASNET_$mode -x c
        compile "$text" "$cc" -std=gnu17 -O2 -DGASNET_$mode -DPGAS_DEBUG=1 -x c
        compile "$text" "$cc" -std=c11 -DGASNET_$mode -DGASNET_SEGMENT_EVERYTHING -x c
        [ -z "$cxx" ] || compile "$text" "$cxx" -std=c++11 -DGASNET_$mode -x c++
        [ -z "$cxx" ] || compile "$text" "$cxx" -std=c++17 -O2 -DGASNET_$mode -x c++
    done
done
compile '#include <gasnet_tools.h>\n' "$cc" -std=c11 -pedantic -x c
compile '#include <gasnet_tools.h>\n' "$cc" -std=gnu17 -DGASNETT_THREAD_SAFE=1 -x c
compile '#include <gasnet_tools.h>\n' "$cc" -std=gnu17 -DGASNETT_USE_TRUE_MUTEXES=1 -x c

# Values of initialisers wrap, in C++ too.
values='gasnett_atomic_t a = gasnett_atomic_init(-1);\ngasnett_strongatomic32_t b = gasnett_strongatomic32_init(0x1FFFFFFFFULL);\ngasnett_atomic64_t c = gasnett_atomic64_init(-1);\n'
compile "#include <gasnet_tools.h>\n$values" "$cc" -std=c11 -x c
[ -z "$cxx" ] || compile "#include <gasnet_tools.h>\n$values" "$cxx" -std=c++11 -x c++

# Names that the text of version 0.4 has by misprint are the program's.
for name in AMMaxShort AMMaxLong AMRequestLargeAsync0 wait_sync try_sync_all_list \
    wait_sync_some_list put_nbi_shared get_nb_shared wait; do
    compile "$all#ifdef gasnet_$name\n#error $name\n#endif\nextern char gasnet_${name}[3];\n" \
        "$cc" -std=c11 -DGASNET_SEQ -x c
done

# Names of GASNet's inside that its own test programs of release 1.10 use.
for mode in SEQ PARSYNC PAR; do
    compile "$all"'GASNETI_THREADKEY_DECLARE(key);\nGASNETI_THREADKEY_DEFINE(key);\nconst char *use(void *value);\nconst char *use(void *value)\n{\n    gasnett_threadkey_set(key, value);\n    return gasnett_threadkey_get(key) ? "" GASNETI_SYSTEM_TUPLE : "";\n}\n' \
        "$cc" -std=gnu17 -DGASNET_$mode -x c
done

one='define exactly one of GASNET_SEQ, GASNET_PARSYNC and GASNET_PAR'
refuse '#include <gasnet.h>\n' "$one" "$cc" -x c
refuse '#include <gasnet.h>\n' "$one" "$cc" -DGASNET_SEQ -DGASNET_PAR -x c
refuse '#include <gasnet.h>\n' 'define at most one of GASNET_SEGMENT_FAST, _LARGE and _EVERYTHING' \
    "$cc" -DGASNET_SEQ -DGASNET_SEGMENT_EVERYTHING -DGASNET_SEGMENT_FAST -x c

# An object of one mode and the library of another.
printf '#include <gasnet.h>\nint main(void) { gasnet_put_val(0, 0, 0, 1); return 0; }\n' >"$work/use.c"
"$cc" -DGASNET_SEQ "${include[@]}" -c "$work/use.c" -o "$work/use.o" || fail "an object"
if "$cc" "$work/use.o" "$par" -o "$work/use" 2>"$work/err"; then
    fail "a SEQ object and the PAR library are linked"
fi
grep -q "gasneti_this_program_is_SEQ" "$work/err" || fail "the linker does not name the mode"
"$cc" "$work/use.o" "$seq" -o "$work/use" 2>"$work/err"
! grep -q "gasneti_this_program_is" "$work/err" || fail "the right library lacks the mode"
# An object has its configuration, a program those of its objects alone.
# shellcheck disable=SC2016 # a dollar sign
config='$GASNetConfig: (libfathom-gasnet) RELEASE='
for segment in FAST LARGE EVERYTHING; do
    "$cc" -DGASNET_SEQ -DGASNET_SEGMENT_$segment "${include[@]}" -c "$work/use.c" -o "$work/use.o" ||
        fail "an object of $segment"
    [[ $(grep -aoF "$config" "$work/use.o" | wc -l) -eq 1 ]] || fail "no one configuration in an object"
    grep -aq "SEGMENT=$segment," "$work/use.o" || fail "the configuration does not name $segment"
done
! grep -qF "$config" "$seq" || fail "the library has a configuration"
[ $failures -eq 0 ] || exit 1
[ -n "$cxx" ] || {
    echo "no C++ compiler"
    exit 77
}
