#include "shm/event.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void pgasi_futex_wait(_Atomic uint32_t *word, uint32_t old, unsigned microseconds)
{
    struct timespec limit = {.tv_sec = microseconds / 1000000,
                             .tv_nsec = (long)(microseconds % 1000000) * 1000};
    syscall(SYS_futex, word, FUTEX_WAIT, old, microseconds > 0 ? &limit : NULL, NULL, 0);
}

/* The sleeper raises `sleepers` before it reads `value` again, the waker changes `value` before it
 * reads `sleepers`, all sequentially consistent: one of the two sees the other. */
static void wake_sleepers(pgasi_event_t *event)
{
    if (atomic_load(&event->sleepers) > 0)
        syscall(SYS_futex, &event->value, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void pgasi_event_set(pgasi_event_t *event, uint32_t value)
{
    atomic_store(&event->value, value);
    wake_sleepers(event);
}

void pgasi_event_raise(pgasi_event_t *event, uint32_t by)
{
    atomic_fetch_add(&event->value, by);
    wake_sleepers(event);
}

bool pgasi_event_sleep(pgasi_event_t *event, uint32_t old, unsigned microseconds)
{
    atomic_fetch_add(&event->sleepers, 1);
    if (atomic_load(&event->value) == old)
        pgasi_futex_wait(&event->value, old, microseconds);
    atomic_fetch_sub(&event->sleepers, 1);
    return atomic_load(&event->value) != old;
}
