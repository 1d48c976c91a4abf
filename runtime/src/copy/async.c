#include "copy/async.h"

#include <string.h>

#include <pgas/copy.h>
#include <pgas/detail.h>
#include <pgas/ptr.h>

#include "base/in_job.h"
#include "base/touch.h"
#include "copy/in_flight.h"
#include "copy/transfer.h"
#include "sync/background.h"
#include "sync/wait.h"

static _Thread_local pgasi_group_t starting;
static _Thread_local pgasi_group_t implicit;
static _Thread_local pgasi_group_t region;
static _Thread_local bool in_region;

void pgasi_start_get(pgasi_group_t *group, void *dst, pgas_ptr_t src, size_t nbytes)
{
    const void *from = pgas_local(src);
    if (from != NULL)
        pgasi_copy(dst, from, nbytes);
    else
        pgasi_group_add(group, src.thread, pgasi_net_get_nb(dst, src, nbytes));
}

void pgasi_start_put(pgasi_group_t *group, pgas_ptr_t dst, const void *src, size_t nbytes)
{
    void *to = pgas_local(dst);
    if (to != NULL) {
        pgasi_copy(to, src, nbytes);
        return;
    }
    if (nbytes > PGASI_NET_COPIED_MAX)
        pgasi_touch_source(src, nbytes);
    pgasi_group_add(group, dst.thread, pgasi_net_put_nb(dst, src, nbytes));
}

void pgasi_start_copy(pgasi_group_t *group, pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes)
{
    void *to = pgas_local(dst);
    const void *from = pgas_local(src);
    if (to != NULL)
        pgasi_start_get(group, to, src, nbytes);
    else if (from != NULL)
        pgasi_start_put(group, dst, from, nbytes);
    else
        pgasi_group_add(group, src.thread, pgasi_net_copy_nb(dst, src, nbytes));
}

pgasi_group_t *pgasi_empty_group(void)
{
    return &starting;
}

pgasi_group_t *pgasi_implicit_group(const char *call)
{
    pgasi_implicit_begun(call);
    return in_region ? &region : &implicit;
}

static void get(pgasi_group_t *group, const char *call, void *dst, pgas_ptr_t src, size_t nbytes)
{
    if (nbytes == 0)
        return;
    pgasi_check_shared(call, src, nbytes);
    pgasi_check_private(call, dst);
    pgasi_check_private_overlap(call, src, dst, nbytes);
    pgasi_count_get(src.thread, nbytes);
    pgasi_start_get(group, dst, src, nbytes);
}

static void put(pgasi_group_t *group, const char *call, pgas_ptr_t dst, const void *src,
                size_t nbytes)
{
    if (nbytes == 0)
        return;
    pgasi_check_shared(call, dst, nbytes);
    pgasi_check_private(call, src);
    pgasi_check_private_overlap(call, dst, src, nbytes);
    pgasi_count_put(dst.thread, nbytes);
    pgasi_start_put(group, dst, src, nbytes);
}

static void copy(pgasi_group_t *group, const char *call, pgas_ptr_t dst, pgas_ptr_t src,
                 size_t nbytes)
{
    if (nbytes == 0)
        return;
    pgasi_check_shared(call, src, nbytes);
    pgasi_check_shared(call, dst, nbytes);
    pgasi_check_overlap(call, dst, src, nbytes);
    pgasi_count_get(src.thread, nbytes);
    pgasi_count_put(dst.thread, nbytes);
    pgasi_start_copy(group, dst, src, nbytes);
}

static void set(pgasi_group_t *group, const char *call, pgas_ptr_t dst, int value, size_t nbytes)
{
    if (nbytes == 0)
        return;
    pgasi_check_shared(call, dst, nbytes);
    pgasi_count_put(dst.thread, nbytes);
    void *to = pgas_local(dst);
    if (to != NULL)
        memset(to, value, nbytes);
    else
        pgasi_group_add(group, dst.thread, pgasi_net_set_nb(dst, value, nbytes));
}

PGASI_ASYNC_FORMS(pgas_memget, (void *dst, pgas_ptr_t src, size_t nbytes),
                  get(group, __func__, dst, src, nbytes))
PGASI_ASYNC_FORMS(pgas_memput, (pgas_ptr_t dst, const void *src, size_t nbytes),
                  put(group, __func__, dst, src, nbytes))
PGASI_ASYNC_FORMS(pgas_memcpy, (pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes),
                  copy(group, __func__, dst, src, nbytes))
PGASI_ASYNC_FORMS(pgas_memset, (pgas_ptr_t dst, int value, size_t nbytes),
                  set(group, __func__, dst, value, nbytes))

/* What the handle stands for. What is in flight is completed in the job only, and where one may
 * wait. */
static pgas_handle_t real_of(const char *call, pgas_handle_t handle)
{
    if (handle.bits != 0)
        pgasi_require_way(call);
    pgas_handle_t real = pgasi_handle_real(call, handle);
    if (real.bits != 0)
        pgasi_require_job(call);
    return real;
}

static void wait_for(const char *call, pgas_handle_t handle)
{
    pgas_handle_t real = real_of(call, handle);
    pgasi_group_t *group = pgasi_group_of(real);
    if (group != NULL) {
        pgasi_group_wait(group);
        pgasi_group_release(real);
    } else if (real.bits != 0) {
        pgasi_in_flight_wait((pgasi_net_handle_t){real.bits});
    }
    pgasi_handle_retire(handle);
}

static bool test_real(pgas_handle_t real, bool (*test)(pgasi_net_handle_t))
{
    pgasi_group_t *group = pgasi_group_of(real);
    return group != NULL ? pgasi_group_test(group)
                         : real.bits == 0 || test((pgasi_net_handle_t){real.bits});
}

static void retire(pgas_handle_t handle, pgas_handle_t real)
{
    if (pgasi_group_of(real) != NULL)
        pgasi_group_release(real);
    pgasi_handle_retire(handle);
}

/* Retires a handle that is complete. */
static bool is_complete(const char *call, pgas_handle_t handle, bool (*test)(pgasi_net_handle_t))
{
    pgas_handle_t real = real_of(call, handle);
    if (!test_real(real, test))
        return false;
    retire(handle, real);
    return true;
}

void pgas_waitsync(pgas_handle_t handle)
{
    wait_for(__func__, handle);
}

bool pgas_trysync(pgas_handle_t handle)
{
    bool complete = is_complete(__func__, handle, pgasi_in_flight_test);
    pgasi_looked(complete);
    return complete;
}

/* What has come while the thread is restricted stays until it polls. */
bool pgasi_trysync_quietly(pgas_handle_t handle)
{
    pgas_handle_t real = real_of(__func__, handle);
    pgasi_restriction_t before = pgasi_restriction;
    pgasi_restriction = PGASI_IN_QUIET_TEST;
    bool complete = test_real(real, pgasi_in_flight_test);
    pgasi_restriction = before;
    if (complete)
        retire(handle, real);
    return complete;
}

static void flush_all(const char *call, const pgas_handle_t *handles, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pgas_handle_t real = real_of(call, handles[i]);
        if (pgasi_group_of(real) != NULL)
            pgasi_group_flush(pgasi_group_of(real));
        else if (real.bits != 0)
            pgasi_in_flight_flush((pgasi_net_handle_t){real.bits});
    }
}

void pgas_waitsync_all(pgas_handle_t *handles, size_t count)
{
    flush_all(__func__, handles, count);
    for (size_t i = 0; i < count; i++) {
        wait_for(__func__, handles[i]);
        handles[i] = PGAS_HANDLE_COMPLETE;
    }
}

/* How many handles were in flight before a try, and how many still are. */
typedef struct found {
    size_t before;
    size_t after;
} found_t;

/* Progresses the network once for all of them but the handles of several transfers. */
static found_t try_each(const char *call, pgas_handle_t *handles, size_t count)
{
    found_t found = {0, 0};
    bool (*test)(pgasi_net_handle_t) = pgasi_in_flight_test;
    flush_all(call, handles, count);
    for (size_t i = 0; i < count; i++) {
        if (handles[i].bits == 0)
            continue;
        found.before++;
        if (is_complete(call, handles[i], test))
            handles[i] = PGAS_HANDLE_COMPLETE;
        else
            found.after++;
        test = pgasi_in_flight_is_done;
    }
    pgasi_looked(found.before == 0 || found.after < found.before);
    return found;
}

bool pgas_trysync_all(pgas_handle_t *handles, size_t count)
{
    return try_each(__func__, handles, count).after == 0;
}

static bool try_some(const char *call, pgas_handle_t *handles, size_t count)
{
    found_t found = try_each(call, handles, count);
    return found.before == 0 || found.after < found.before;
}

bool pgas_trysync_some(pgas_handle_t *handles, size_t count)
{
    return try_some(__func__, handles, count);
}

typedef struct several {
    const char *call;
    const pgas_handle_t *handles;
    size_t count;
} several_t;

/* Whether a test of each would find one complete. */
static bool is_any_complete(const void *argument)
{
    const several_t *several = argument;
    for (size_t i = 0; i < several->count; i++) {
        pgas_handle_t real = real_of(several->call, several->handles[i]);
        const pgasi_group_t *group = pgasi_group_of(real);
        if (group != NULL
                ? pgasi_group_is_done(group)
                : real.bits != 0 && pgasi_in_flight_is_done((pgasi_net_handle_t){real.bits}))
            return true;
    }
    return false;
}

void pgas_waitsync_some(pgas_handle_t *handles, size_t count)
{
    several_t several = {__func__, handles, count};
    if (try_some(__func__, handles, count))
        return;
    if (!pgasi_wait_with_background(is_any_complete, &several))
        pgasi_net_wait_until(is_any_complete, &several);
    try_each(__func__, handles, count);
}

/* As real_of does. */
static void require_implicit(const char *call)
{
    pgasi_require_way(call);
    if (implicit.count > 0)
        pgasi_require_job(call);
    if (in_region)
        pgasi_fatal(call, "called inside an access region");
}

void pgas_waitsynci(void)
{
    require_implicit(__func__);
    pgasi_group_wait(&implicit);
    pgasi_implicit_synchronised();
}

bool pgas_trysynci(void)
{
    require_implicit(__func__);
    bool complete = pgasi_group_test(&implicit);
    if (complete)
        pgasi_implicit_synchronised();
    pgasi_looked(complete);
    return complete;
}

void pgas_begin_accessregion(void)
{
    pgasi_require_way(__func__);
    if (in_region)
        pgasi_fatal(__func__, "called inside an access region");
    in_region = true;
    pgasi_region_begun(__func__);
}

pgas_handle_t pgas_end_accessregion(void)
{
    pgasi_require_way(__func__);
    if (!in_region)
        pgasi_fatal(__func__, "called outside an access region");
    in_region = false;
    pgasi_region_ended();
    return pgasi_group_issue(__func__, &region);
}

void pgasi_async_detach(void)
{
    pgasi_group_free(&starting);
    pgasi_group_free(&implicit);
    pgasi_group_free(&region);
    in_region = false;
    pgasi_group_detach();
}
