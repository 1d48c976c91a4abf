#include "no_memory.h"

#include <stddef.h>

static _Thread_local int countdown;
static _Thread_local bool has_failed;

static bool fails(void)
{
    if (countdown == 0 || --countdown > 0)
        return false;
    has_failed = true;
    return true;
}

void no_memory_for(int which)
{
    countdown = which;
    has_failed = false;
}

bool no_memory_has_failed(void)
{
    countdown = 0;
    return has_failed;
}

/* The linker's names: the runtime's calls come here. */
void *__real_malloc(size_t nbytes); /* NOLINT(*-reserved-identifier,*-dcl37-c) */
void *__real_calloc(size_t count, size_t nbytes); /* NOLINT(*-reserved-identifier,*-dcl37-c) */
void *__wrap_malloc(size_t nbytes); /* NOLINT(*-reserved-identifier,*-dcl37-c) */
void *__wrap_calloc(size_t count, size_t nbytes); /* NOLINT(*-reserved-identifier,*-dcl37-c) */

void *__wrap_malloc(size_t nbytes) /* NOLINT(*-reserved-identifier,*-dcl37-c) */
{
    return fails() ? NULL : __real_malloc(nbytes);
}

void *__wrap_calloc(size_t count, size_t nbytes) /* NOLINT(*-reserved-identifier,*-dcl37-c) */
{
    return fails() ? NULL : __real_calloc(count, nbytes);
}
