#include "shm/bell.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "shm/bell_socket.h"

static bool waits_for_two;

#ifdef SYS_futex_waitv

static long waitv(_Atomic uint32_t *const *words, const uint32_t *values, unsigned count,
                  const struct timespec *limit)
{
    struct futex_waitv waiters[2] = {{0}, {0}};
    for (unsigned i = 0; i < count; i++)
        waiters[i] = (struct futex_waitv){
            .val = values[i], .uaddr = (uint64_t)(uintptr_t)words[i], .flags = FUTEX_32};
    return syscall(SYS_futex_waitv, waiters, count, 0, limit, CLOCK_MONOTONIC);
}

#else

static long waitv(_Atomic uint32_t *const *words, const uint32_t *values, unsigned count,
                  const struct timespec *limit)
{
    (void)words;
    (void)values;
    (void)count;
    (void)limit;
    errno = ENOSYS;
    return -1;
}

#endif

/* A word that has another value already: EAGAIN from a kernel that has the call. */
void pgasi_bell_init(bool allowed)
{
    _Atomic uint32_t word = 0;
    _Atomic uint32_t *const words[] = {&word};
    const uint32_t other[] = {1};
    waits_for_two = allowed && waitv(words, other, 1, NULL) < 0 && errno == EAGAIN;
}

bool pgasi_bell_waits_for_two(void)
{
    return waits_for_two;
}

void pgasi_bell_wake(pgasi_bell_t *bell)
{
    if (atomic_load(&bell->asleep) == PGASI_BELL_POLLING) {
        pgasi_bell_socket_wake(bell->socket);
        return;
    }
    atomic_fetch_add(&bell->rung, 1);
    syscall(SYS_futex, &bell->rung, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void wait_for_both(pgasi_bell_t *bell, uint32_t rung, pgasi_event_t *event, uint32_t old,
                          unsigned microseconds)
{
    if (!waits_for_two) {
        bool is_short = microseconds > 0 && microseconds < PGASI_BELL_BOUND_US;
        pgasi_futex_wait(&event->value, old, is_short ? microseconds : PGASI_BELL_BOUND_US);
        return;
    }
    _Atomic uint32_t *const words[] = {&event->value, &bell->rung};
    const uint32_t values[] = {old, rung};
    struct timespec limit;
    if (microseconds > 0)
        limit = pgasi_in_time(microseconds);
    waitv(words, values, 2, microseconds > 0 ? &limit : NULL);
}

void pgasi_bell_sleep(pgasi_bell_t *bell, pgasi_event_t *event, uint32_t old, unsigned microseconds,
                      bool (*has_come)(void))
{
    uint32_t rung = atomic_load(&bell->rung);
    atomic_store(&bell->asleep, PGASI_BELL_ASLEEP);
    if (event == NULL) {
        if (!has_come())
            pgasi_futex_wait(&bell->rung, rung, microseconds);
    } else {
        atomic_fetch_add(&event->sleepers, 1);
        if (atomic_load(&event->value) == old && !has_come())
            wait_for_both(bell, rung, event, old, microseconds);
        atomic_fetch_sub(&event->sleepers, 1);
    }
    atomic_store(&bell->asleep, PGASI_BELL_AWAKE);
}

int pgasi_bell_poll_begin(pgasi_bell_t *bell)
{
    if (pgasi_bell_socket() >= 0)
        atomic_store(&bell->asleep, PGASI_BELL_POLLING);
    return pgasi_bell_socket();
}

/* Who saw the flag may send still: the next sleep is short then. */
void pgasi_bell_poll_end(pgasi_bell_t *bell)
{
    if (pgasi_bell_socket() < 0)
        return;
    atomic_store(&bell->asleep, PGASI_BELL_AWAKE);
    pgasi_bell_socket_drain();
}
