#include "sync/background.h"

#include <stdatomic.h>

#include "base/self.h"

_Thread_local size_t pgasi_background_count;

static unsigned (*installed)(bool before_sleep);
static _Thread_local bool is_inside;
static atomic_bool is_attended;

void pgasi_background_install(unsigned (*progress)(bool before_sleep))
{
    installed = progress;
}

bool pgasi_background_is_attended(void)
{
    return atomic_load(&is_attended);
}

void pgasi_background_attend(bool yes)
{
    atomic_store(&is_attended, yes);
}

bool pgasi_background_hold(void)
{
    bool was_held = is_inside;
    is_inside = true;
    return was_held;
}

void pgasi_background_release(bool was_held)
{
    is_inside = was_held;
}

unsigned pgasi_background_run(bool before_sleep)
{
    if (is_inside || pgasi_restriction != PGASI_UNRESTRICTED)
        return 0;
    is_inside = true;
    unsigned count = installed(before_sleep);
    is_inside = false;
    return count;
}
