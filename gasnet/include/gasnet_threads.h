/**
 * Mutexes, condition variables, locks of readers and writers, and data of threads, of GASNet tools.
 * Included by gasnet_tools.h.
 *
 * In a program without threads they do nothing, unless GASNETT_USE_TRUE_MUTEXES is set. Otherwise
 * misuse is found in every build and ends the program with one line: a mutex that is locked twice
 * by a thread, unlocked by another, destroyed while locked; a lock of readers and writers that its
 * writer locks once more, that another thread or nobody has locked and that is unlocked, that is
 * destroyed while locked. Who reads is not known, only how many.
 */
#ifndef GASNET_THREADS_H
#define GASNET_THREADS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include <pgas/types.h>

PGAS_BEGIN_DECLS

/** Nobody else could signal it. */
PGAS_API void gasneti_cond_wait_alone(void) PGAS_NORETURN;

#if defined(GASNETT_THREAD_SAFE) || defined(GASNETT_USE_TRUE_MUTEXES)

typedef struct {
    pthread_mutex_t gasneti_mutex;
    /** The address of a variable of the thread that holds it, or 0. */
    uintptr_t gasneti_owner;
} gasnett_mutex_t;

#define GASNETT_MUTEX_INITIALIZER \
    { \
        PTHREAD_MUTEX_INITIALIZER, 0 \
    }

PGAS_API void gasnett_mutex_init(gasnett_mutex_t *mutex);
PGAS_API void gasnett_mutex_destroy(gasnett_mutex_t *mutex);
PGAS_API int gasnett_mutex_destroy_ignoreerr(gasnett_mutex_t *mutex);
PGAS_API void gasnett_mutex_lock(gasnett_mutex_t *mutex);
PGAS_API void gasnett_mutex_unlock(gasnett_mutex_t *mutex);
PGAS_API int gasnett_mutex_trylock(gasnett_mutex_t *mutex);
PGAS_API void gasnett_mutex_assertlocked(gasnett_mutex_t *mutex);
PGAS_API void gasnett_mutex_assertunlocked(gasnett_mutex_t *mutex);

typedef struct {
    pthread_cond_t gasneti_cond;
} gasnett_cond_t;

#define GASNETT_COND_INITIALIZER \
    { \
        PTHREAD_COND_INITIALIZER \
    }

PGAS_API void gasnett_cond_init(gasnett_cond_t *cond);
PGAS_API void gasnett_cond_destroy(gasnett_cond_t *cond);
PGAS_API void gasnett_cond_signal(gasnett_cond_t *cond);
PGAS_API void gasnett_cond_broadcast(gasnett_cond_t *cond);
PGAS_API void gasnett_cond_wait(gasnett_cond_t *cond, gasnett_mutex_t *mutex);

/** A pthread_rwlock_t, which strict C11 does not have; all zeros is initialised. */
typedef struct {
    uint64_t gasneti_lock[8];
    /** The address of a variable of the thread that writes, or 0; and how many read. */
    uintptr_t gasneti_writer;
    uint64_t gasneti_readers;
} gasnett_rwlock_t;

#define GASNETT_RWLOCK_INITIALIZER \
    { \
        {0}, 0, 0 \
    }

PGAS_API void gasnett_rwlock_init(gasnett_rwlock_t *lock);
PGAS_API void gasnett_rwlock_destroy(gasnett_rwlock_t *lock);
PGAS_API void gasnett_rwlock_rdlock(gasnett_rwlock_t *lock);
PGAS_API void gasnett_rwlock_wrlock(gasnett_rwlock_t *lock);
PGAS_API void gasnett_rwlock_unlock(gasnett_rwlock_t *lock);
PGAS_API int gasnett_rwlock_tryrdlock(gasnett_rwlock_t *lock);
PGAS_API int gasnett_rwlock_trywrlock(gasnett_rwlock_t *lock);

/** End the program unless the lock is held by readers, by the calling thread as the writer, in one
 *  of these ways, or not by the calling thread as the writer. */
PGAS_API void gasnett_rwlock_assertrdlocked(gasnett_rwlock_t *lock);
PGAS_API void gasnett_rwlock_assertwrlocked(gasnett_rwlock_t *lock);
PGAS_API void gasnett_rwlock_assertlocked(gasnett_rwlock_t *lock);
PGAS_API void gasnett_rwlock_assertunlocked(gasnett_rwlock_t *lock);

#else

typedef struct {
    char gasneti_nothing;
} gasnett_mutex_t, gasnett_cond_t, gasnett_rwlock_t;

#define GASNETT_MUTEX_INITIALIZER \
    { \
        0 \
    }
#define GASNETT_COND_INITIALIZER GASNETT_MUTEX_INITIALIZER
#define GASNETT_RWLOCK_INITIALIZER GASNETT_MUTEX_INITIALIZER

#define gasnett_mutex_init(mutex) ((void)(mutex))
#define gasnett_mutex_destroy(mutex) ((void)(mutex))
#define gasnett_mutex_destroy_ignoreerr(mutex) ((void)(mutex), 0)
#define gasnett_mutex_lock(mutex) ((void)(mutex))
#define gasnett_mutex_unlock(mutex) ((void)(mutex))
#define gasnett_mutex_trylock(mutex) ((void)(mutex), 0)
#define gasnett_mutex_assertlocked(mutex) ((void)(mutex))
#define gasnett_mutex_assertunlocked(mutex) ((void)(mutex))
#define gasnett_cond_init(cond) ((void)(cond))
#define gasnett_cond_destroy(cond) ((void)(cond))
#define gasnett_cond_signal(cond) ((void)(cond))
#define gasnett_cond_broadcast(cond) ((void)(cond))
#define gasnett_cond_wait(cond, mutex) ((void)(cond), (void)(mutex), gasneti_cond_wait_alone())
#define gasnett_rwlock_init(lock) ((void)(lock))
#define gasnett_rwlock_destroy(lock) ((void)(lock))
#define gasnett_rwlock_rdlock(lock) ((void)(lock))
#define gasnett_rwlock_wrlock(lock) ((void)(lock))
#define gasnett_rwlock_unlock(lock) ((void)(lock))
#define gasnett_rwlock_tryrdlock(lock) ((void)(lock), 0)
#define gasnett_rwlock_trywrlock(lock) ((void)(lock), 0)
#define gasnett_rwlock_assertrdlocked(lock) ((void)(lock))
#define gasnett_rwlock_assertwrlocked(lock) ((void)(lock))
#define gasnett_rwlock_assertlocked(lock) ((void)(lock))
#define gasnett_rwlock_assertunlocked(lock) ((void)(lock))

#endif

/* ---- Data of threads ---- */

#ifdef GASNETT_THREAD_SAFE
#define GASNETI_THREAD __thread
#else
#define GASNETI_THREAD
#endif

#define GASNETT_THREADKEY_DEFINE(key) \
    GASNETI_THREAD void *gasneti_threadkey_##key; \
    extern int gasneti_unused_threadkey_##key
#define GASNETT_THREADKEY_DECLARE(key) extern GASNETI_THREAD void *gasneti_threadkey_##key
/* As GASNet's test programs name them. */
#define GASNETI_THREADKEY_DEFINE(key) GASNETT_THREADKEY_DEFINE(key)
#define GASNETI_THREADKEY_DECLARE(key) GASNETT_THREADKEY_DECLARE(key)
#define gasnett_threadkey_init(key) ((void)0)
#define gasnett_threadkey_get(key) (gasneti_threadkey_##key)
#define gasnett_threadkey_set(key, value) ((void)(gasneti_threadkey_##key = (value)))
#define gasnett_threadkey_get_noinit(key) gasnett_threadkey_get(key)
#define gasnett_threadkey_set_noinit(key, value) gasnett_threadkey_set(key, value)

PGAS_END_DECLS

#endif
