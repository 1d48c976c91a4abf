#include "copy/domain_check.h"

#ifdef PGAS_DEBUG

#include <inttypes.h>
#include <stdint.h>

#include <pgas/detail.h>

#include "sync/barrier.h"

enum {
    MOST_NOTED = 64
};

static _Thread_local struct {
    pgas_ptr_t at;
    size_t nbytes;
} noted[MOST_NOTED];
static _Thread_local size_t noted_count;
static _Thread_local uint64_t noted_epoch;

static size_t count_of_epoch(void)
{
    if (noted_epoch != pgasi_sync_epoch)
        noted_count = 0;
    noted_epoch = pgasi_sync_epoch;
    return noted_count < MOST_NOTED ? noted_count : MOST_NOTED;
}

void pgasi_domain_note(pgas_ptr_t at, size_t nbytes)
{
    size_t count = count_of_epoch();
    for (size_t i = 0; i < count; i++)
        if (noted[i].at.thread == at.thread && noted[i].at.offset == at.offset)
            return;
    noted[noted_count % MOST_NOTED].at = at;
    noted[noted_count++ % MOST_NOTED].nbytes = nbytes;
}

void pgasi_check_no_domain(const char *call, pgas_ptr_t ptr, size_t nbytes)
{
    size_t count = count_of_epoch();
    for (size_t i = 0; i < count; i++)
        if (noted[i].at.thread == ptr.thread && noted[i].at.offset < ptr.offset + nbytes &&
            ptr.offset < noted[i].at.offset + noted[i].nbytes)
            pgasi_fatal(call,
                        "thread %u, offset %" PRIu64 ": an atomic domain has reached this word by "
                        "the network since the last barrier, and it must not be touched otherwise",
                        ptr.thread, noted[i].at.offset);
}

#else

typedef int pgasi_nothing_t;

#endif
