#include "internal.h"

#include <pgas/detail.h>

#include "am.h"

/* The phase between a notify and its wait; the client makes these calls one at a time. */
static struct {
    bool is_open;
    /* By the form without flags, in which an anonymous wait matches every notify. */
    bool is_old_form;
    int id;
    int flags;
    /* Of the last complete phase: whether it has matched, and its name. */
    bool has_matched;
    bool is_named;
    int name;
} phase;

/* Whether the program is one for the later releases (gasnet_barrier_result). */
static bool may_flags_differ;

void gasneti_barrier_allow_flags(const void *mark)
{
    if (mark != NULL)
        may_flags_differ = true;
}

bool gasneti_barrier_is_open(void)
{
    return phase.is_open;
}

static void notify(const char *call, int id, int flags, bool is_old_form)
{
    if (!gasneti_is_attached())
        gasneti_fatal(call, "called before gasnet_attach");
    gasneti_require_unrestricted(call);
    if (phase.is_open)
        gasneti_fatal(call, "called twice without gasnet_barrier_wait");
    if ((flags & ~(GASNET_BARRIERFLAG_ANONYMOUS | GASNET_BARRIERFLAG_MISMATCH)) != 0)
        gasneti_fatal(call, "flags %#x: unknown", (unsigned)flags);
    phase.id = id;
    phase.flags = flags;
    phase.is_old_form = is_old_form;
    phase.is_open = true;
    gasneti_enter();
    pgasi_phase_notify((flags & GASNET_BARRIERFLAG_MISMATCH) != 0    ? PGASI_PHASE_MISMATCH
                       : (flags & GASNET_BARRIERFLAG_ANONYMOUS) != 0 ? PGASI_PHASE_ANONYMOUS
                                                                     : PGASI_PHASE_NAMED,
                       id);
    gasneti_leave();
}

/* Whether the arguments of a wait are those of the notify, or, in later releases, match the phase.
 */
static bool is_wait_matched(int id, int flags)
{
    if (phase.is_old_form && ((flags | phase.flags) & GASNET_BARRIERFLAG_ANONYMOUS) != 0)
        return true;
    if (may_flags_differ)
        return flags == GASNET_BARRIERFLAG_ANONYMOUS ||
               (flags == 0 && (!phase.is_named || id == phase.name));
    return flags == phase.flags && (flags != 0 || id == phase.id);
}

static void require_notify(const char *call)
{
    if (!phase.is_open)
        gasneti_fatal(call, "called without gasnet_barrier_notify");
}

/* All have notified. */
static int complete(int id, int flags)
{
    gasneti_enter();
    phase.has_matched = pgasi_phase_wait(&phase.is_named, &phase.name);
    gasneti_leave();
    phase.is_open = false;
    return phase.has_matched && is_wait_matched(id, flags) ? GASNET_OK
                                                           : GASNET_ERR_BARRIER_MISMATCH;
}

static bool have_all_notified(void)
{
    gasneti_enter();
    bool done = pgasi_phase_test();
    gasneti_leave();
    return done;
}

/* In PAR another client thread may end the job meanwhile, for which this one must come out. */
static void await_all(void)
{
#ifdef GASNET_PAR
    enum {
        LONGEST_INSIDE_MS = 10
    };
    bool done = have_all_notified();
    for (unsigned rounds = 0; !done && gasneti_wait_spins(); done = have_all_notified())
        gasneti_pause(&rounds);
    while (!done) {
        gasneti_enter();
        done = pgasi_phase_wait_for(LONGEST_INSIDE_MS);
        gasneti_leave();
    }
#endif
}

static int wait(int id, int flags)
{
    require_notify("gasnet_barrier_wait");
    await_all();
    int result = complete(id, flags);
    gasnet_AMPoll(); /* programs expect that what has come before it has run then */
    return result;
}

static int try(int id, int flags)
{
    require_notify("gasnet_barrier_try");
    return have_all_notified() ? complete(id, flags) : GASNET_ERR_NOT_READY;
}

static int flags_of(int id)
{
    return id == GASNET_ANONYMOUS_BARRIER ? GASNET_BARRIERFLAG_ANONYMOUS : 0;
}

void gasneti_barrier_notify1(int id)
{
    notify("gasnet_barrier_notify", id, flags_of(id), true);
}

void gasneti_barrier_notify2(int id, int flags)
{
    notify("gasnet_barrier_notify", id, flags, false);
}

int gasneti_barrier_wait1(int id)
{
    return wait(id, flags_of(id));
}

int gasneti_barrier_wait2(int id, int flags)
{
    return wait(id, flags);
}

int gasneti_barrier_try1(int id)
{
    return try(id, flags_of(id));
}

int gasneti_barrier_try2(int id, int flags)
{
    return try(id, flags);
}

int(gasnet_barrier)(int id, int flags)
{
    notify(__func__, id, flags, false);
    return wait(id, flags);
}

int gasneti_barrier_result(int *id)
{
    if (phase.is_open)
        gasneti_fatal("gasnet_barrier_result",
                      "called between gasnet_barrier_notify and gasnet_barrier_wait");
    if (!phase.has_matched || !phase.is_named)
        return 1;
    *id = phase.name;
    return 0;
}
