#!/bin/bash
# The headers compile alone, without a warning, as C11, gnu17, C++98, C++11 and C++17, in each mode, in any
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
        [ -z "$cxx" ] || compile "$text" "$cxx" -std=gnu++98 -DGASNET_$mode -x c++
        [ -z "$cxx" ] || compile "$text" "$cxx" -std=c++11 -DGASNET_$mode -x c++
        [ -z "$cxx" ] || compile "$text" "$cxx" -std=c++17 -O2 -DGASNET_$mode -x c++
    done
done
compile '#include <gasnet_tools.h>\n' "$cc" -std=c11 -pedantic -x c
compile '#include <gasnet_tools.h>\n' "$cc" -std=gnu17 -DGASNETT_THREAD_SAFE=1 -x c
compile '#include <gasnet_tools.h>\n' "$cc" -std=gnu17 -DGASNETT_USE_TRUE_MUTEXES=1 -x c
# A compiler that knows no attribute says nothing of them.
none=()
for attribute in ALWAYSINLINE NOINLINE FORMAT FORMAT_FUNCPTR NORETURN MALLOC PURE CONST DEPRECATED \
    WARNUNUSEDRESULT USED UNUSED; do
    none+=("-DGASNETT_USE_GCC_ATTRIBUTE_$attribute=0")
done
compile '#include <gasnet_tools.h>\nGASNETT_DEPRECATED int old(void);\nGASNETT_WARN_UNUSED_RESULT int needed(void);\nint both(void);\nint both(void) { needed(); return old(); }\n' "$cc" -std=gnu17 "${none[@]}" -x c

# compile_both TEXT FLAGS...: as C and as C++, of today and of 1998.
compile_both()
{
    local text=$1
    shift
    compile "$text" "$cc" -std=gnu17 "$@" -x c
    [ -z "$cxx" ] || compile "$text" "$cxx" -std=gnu++98 "$@" -x c++
    [ -z "$cxx" ] || compile "$text" "$cxx" -std=c++17 "$@" -x c++
}

# Handles are pointers, which programs keep and compare as such.
handles='void *start(void *to, void *from);\nvoid *start(void *to, void *from)\n{\n    return gasnet_put_nb(0, to, from, 8);\n}\n'
handles+='int use(gasnet_handle_t given);\nint use(gasnet_handle_t given)\n{\n    gasnet_handle_t h = NULL;\n    gasnet_coll_handle_t c = NULL;\n'
handles+='    char a_handle_has_the_size_of_a_pointer[sizeof(h) == sizeof(void *) ? 1 : -1];\n    (void)a_handle_has_the_size_of_a_pointer;\n'
handles+='    printf("%p %p\\n", (void *)h, (void *)c);\n    return h == NULL && given != NULL && given == GASNET_INVALID_HANDLE && NULL == GASNET_INVALID_HANDLE && c == NULL;\n}\n'
for mode in SEQ PARSYNC PAR; do
    compile_both "$all#include <stdio.h>\n$handles" -DGASNET_$mode
done

# Names that programs use and no document has.
names='int (*const sleep_fn)(uint64_t) = gasnett_nsleep;\nvoid *(*const mmap_fn)(uintptr_t) = gasnett_mmap;\nint try_all(gasnet_handle_t *h);\nint try_all(gasnet_handle_t *h)\n{\n    char to[8], from[8] = {0};\n    GASNETT_FAST_ALIGNED_MEMCPY(to, from, 8);\n    GASNETT_FAST_UNALIGNED_MEMCPY(to, from, 8);\n    GASNETT_STATS_INIT(NULL);\n'
names+='    gasnet_coll_dumpTuningState(NULL, GASNET_TEAM_ALL);\n    gasnet_coll_dumpProfile(NULL, GASNET_TEAM_ALL);\n    return gasnet_try_syncnb_nopoll(*h) + gasnet_try_syncnb_some_nopoll(h, 1) + gasnet_try_syncnb_all_nopoll(h, 1) + to[0];\n}\n'
names+='#if !GASNET_NULL_ARGV_OK\n#error gasnet_init wants arguments\n#endif\n#if !GASNETT_HAVE_STRONGATOMIC_CAS || !GASNETT_HAVE_STRONGATOMIC_ADD_SUB || GASNETI_MAX_THREADS != GASNETT_MAX_THREADS\n#error names\n#endif\n'
names+='#if !HAVE_MMAP || !GASNETT_HAVE_ATOMIC_SWAP\n#error more names\n#endif\nGASNETT_EXTERNC typedef void (*extern_fn)(void);\nGASNETT_EXTERNC void extern_body(void);\nGASNETT_EXTERNC void extern_body(void)\n{\n}\n'
names+='gasnet_register_value_t copy(void *to, gasnet_register_value_t value);\ngasnet_register_value_t copy(void *to, gasnet_register_value_t value)\n{\n    int traced = 1;\n    const char *compiler = PLATFORM_COMPILER_IDSTR;\n    void (*const trace)(const char *, ...) = _gasnett_trace_printf_noop;\n    (void)trace;\n'
names+='    GASNETT_TRACE_PRINTF("%d %s", traced, compiler);\n    GASNETT_TRACE_PRINTF_FORCE("%d", traced);\n    free(gasnett_current_loc);\n    GASNETT_VALUE_ASSIGN(to, value, 4);\n    GASNETT_VALUE_RETURN(to, 8);\n}\n'
compile_both "$all$names" -DGASNET_SEQ

# What gasnet.h brings along by itself, and names of GASNet-1's inside.
within='int alone(gasnet_team_handle_t t);\nint alone(gasnet_team_handle_t t)\n{\n    void *m = malloc(MAX(8, MIN(4, INT_MAX)));\n    void (*const key)(void) = _gasneti_threadkey_init;\n    (void)key;\n    free(m);\n    sched_yield();\n'
within+='    errno = 0;\n    printf("%s %d\\n", gasneti_gethostname(), (int)getpid());\n    return t == gasnete_coll_team_all && strlen("1") == 1;\n}\n#if !_INCLUDED_GASNET_H\n#error mark\n#endif\n'
for mode in SEQ PARSYNC PAR; do
    compile_both "#include <gasnet.h>\n$within" -DGASNET_$mode
done
compile_both '#include <gasnet.h>\npthread_t mine(void);\npthread_t mine(void)\n{\n    return pthread_self();\n}\n' -DGASNET_PAR
compile_both '#include <gasnet.h>\nvoid take(gasnet_token_t t);\nvoid take(gasnet_token_t t)\n{\n    (void)t;\n}\ngasnet_handlerentry_t table[] = {{128, (void *)take}};\n' -DGASNET_SEQ -DGASNET_USE_STRICT_PROTOTYPES
compile_both '#include <gasnet_tools.h>\n#if !_INCLUDED_GASNET_TOOLS_H\n#error mark\n#endif\n'

# Names that a program defines without a value have one afterwards.
for setting in "SEQ FAST 0" "PARSYNC LARGE 1" "PAR EVERYTHING 1"; do
    read -r mode segment safe <<<"$setting"
    compile_both "#define GASNET_$mode\n#define GASNET_DEBUG\n#define GASNET_SEGMENT_$segment\n$all#if GASNET_$mode != 1 || GASNET_DEBUG != 1 || GASNET_DEBUGMALLOC != 1 || GASNET_SEGMENT_$segment != 1 || GASNETT_THREAD_SAFE + 0 != $safe\n#error values\n#endif\n"
done
compile_both '#define GASNETT_THREAD_SAFE\n#include <gasnet_tools.h>\n#if GASNETT_THREAD_SAFE != 1\n#error value\n#endif\n'
compile_both '#define GASNET_DEBUGMALLOC\n#include <gasnet_tools.h>\n#if GASNET_DEBUGMALLOC != 1 || !defined gasnett_debug_malloc\n#error value\n#endif\n'

# Tools alone are safe where the compiler or an earlier header is told of threads.
safe='#if GASNETT_THREAD_SAFE + 0 != 1\n#error unsafe\n#endif\n'
compile_both "#include <gasnet_tools.h>\n$safe" -pthread
compile_both "#include <pthread.h>\n#include <gasnet_tools.h>\n$safe"
compile_both "#define GASNETT_THREAD_SINGLE 1\n#include <gasnet_tools.h>\n#ifdef GASNETT_THREAD_SAFE\n#error safe\n#endif\n" -pthread
compile_both "#include <gasnet_tools.h>\n#ifdef GASNETT_THREAD_SAFE\n#error safe\n#endif\n"

# The platform, alone and with the tools; the compilers that there are are younger than gcc 4.0.
platform='#if !(PLATFORM_COMPILER_VERSION_GE(3, 0, 0) && PLATFORM_COMPILER_VERSION_GT(3, 0, 0)) || PLATFORM_COMPILER_VERSION_LE(3, 0, 0) || PLATFORM_COMPILER_VERSION_LT(3, 0, 0) || PLATFORM_COMPILER_VERSION_EQ(3, 0, 0)\n#error versions\n#endif\n'
platform+='#if PLATFORM_COMPILER_VERSION_INT(3, 0, 200) >= PLATFORM_COMPILER_VERSION_INT(3, 1, 0) || PLATFORM_COMPILER_VERSION_INT(3, 200, 9) >= PLATFORM_COMPILER_VERSION_INT(4, 0, 0)\n#error order\n#endif\n'
platform+='#ifdef __clang__\n#if !PLATFORM_COMPILER_CLANG || !PLATFORM_COMPILER_VERSION_EQ(__clang_major__, __clang_minor__, __clang_patchlevel__)\n#error clang\n#endif\n#elif !PLATFORM_COMPILER_GNU || !PLATFORM_COMPILER_VERSION_EQ(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__)\n#error gcc\n#endif\n#if !PLATFORM_OS_LINUX || !PLATFORM_ARCH_64\n#error Linux\n#endif\n'
for header in gasnet_portable_platform.h gasnet_tools.h gasnet.h; do
    compile_both "#define GASNET_SEQ\n#include <$header>\n$platform"
done
compile_both '#define GASNET_PAR\n#include <gasnet.h>\n#if !defined if_pf || !defined _STRINGIFY || !HAVE_PTHREAD_H\n#error names\n#endif\n'

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
