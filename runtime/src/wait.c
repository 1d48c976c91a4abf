#include "wait.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "config.h"

/* With a core for everybody, the other side is running: spin for some 100 us before giving way. */
enum {
    SPIN_ALONE = 4000,
    SPIN_CROWDED = 20,
    YIELDS_ALONE = 20,
    YIELDS_CROWDED = 2
};

static unsigned spins = SPIN_CROWDED;
static unsigned yields = YIELDS_CROWDED;

static inline void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void pgasi_wait_init(uint32_t threads)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int alone = (long)threads <= cores;
    spins = alone ? SPIN_ALONE : SPIN_CROWDED;
    yields = alone ? YIELDS_ALONE : YIELDS_CROWDED;
    if (pgasi_settings.spin != PGASI_SPIN_AUTO)
        spins = (unsigned)pgasi_settings.spin;
}

static void futex_wait(_Atomic uint32_t *word, uint32_t old)
{
    syscall(SYS_futex, word, FUTEX_WAIT, old, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word, int count)
{
    syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0);
}

void pgasi_event_wait(pgasi_event_t *event, uint32_t old, pgasi_describe_t *describe)
{
    (void)describe;
    for (unsigned i = 0; i < spins; i++) {
        if (atomic_load_explicit(&event->value, memory_order_acquire) != old)
            return;
        relax();
    }
    for (unsigned i = 0; i < yields; i++) {
        if (atomic_load_explicit(&event->value, memory_order_acquire) != old)
            return;
        sched_yield();
    }
    atomic_fetch_add(&event->sleepers, 1);
    while (atomic_load(&event->value) == old)
        futex_wait(&event->value, old);
    atomic_fetch_sub(&event->sleepers, 1);
}

/* The sleeper raises `sleepers` before it looks at `value` again, the waker stores `value` before
 * it looks at `sleepers`, all sequentially consistent: one of the two sees the other. */
static void store_and_wake(pgasi_event_t *event, uint32_t value, int count)
{
    atomic_store(&event->value, value);
    if (atomic_load(&event->sleepers) > 0)
        futex_wake(&event->value, count);
}

void pgasi_event_set(pgasi_event_t *event, uint32_t value)
{
    store_and_wake(event, value, INT_MAX);
}

int pgasi_mutex_attempt(pgasi_mutex_t *mutex, uint32_t thread)
{
    uint32_t free = 0;
    return atomic_compare_exchange_strong_explicit(&mutex->event.value, &free, thread + 1,
                                                   memory_order_acquire, memory_order_relaxed);
}

void pgasi_mutex_lock(pgasi_mutex_t *mutex, uint32_t thread)
{
    while (!pgasi_mutex_attempt(mutex, thread)) {
        uint32_t holder = atomic_load_explicit(&mutex->event.value, memory_order_relaxed);
        if (holder != 0)
            pgasi_event_wait(&mutex->event, holder, NULL);
    }
}

void pgasi_mutex_unlock(pgasi_mutex_t *mutex)
{
    store_and_wake(&mutex->event, 0, 1);
}

int pgasi_mutex_held_by(const pgasi_mutex_t *mutex, uint32_t thread)
{
    return atomic_load_explicit(&mutex->event.value, memory_order_relaxed) == thread + 1;
}
