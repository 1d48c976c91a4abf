#define GASNETT_USE_TRUE_MUTEXES 1
#include <gasnet.h>
#include <gasnet_tools.h>

#include <errno.h>
#include <sched.h>
#include <string.h>

/* The address of a thread's own variable is its name. */
static _Thread_local char here;

static uintptr_t self(void)
{
    return (uintptr_t)&here;
}

static uintptr_t owner(gasnett_mutex_t *mutex)
{
    return __atomic_load_n(&mutex->gasneti_owner, __ATOMIC_RELAXED);
}

static void set_owner(gasnett_mutex_t *mutex, uintptr_t value)
{
    __atomic_store_n(&mutex->gasneti_owner, value, __ATOMIC_RELAXED);
}

static void check(const char *call, int error)
{
    if (error != 0)
        gasnett_fatalerror("%s: %s", call, strerror(error));
}

void gasnett_mutex_init(gasnett_mutex_t *mutex)
{
    check(__func__, pthread_mutex_init(&mutex->gasneti_mutex, NULL));
    set_owner(mutex, 0);
}

void gasnett_mutex_destroy(gasnett_mutex_t *mutex)
{
    if (owner(mutex) != 0)
        gasnett_fatalerror("%s: the mutex is locked", __func__);
    check(__func__, pthread_mutex_destroy(&mutex->gasneti_mutex));
}

int gasnett_mutex_destroy_ignoreerr(gasnett_mutex_t *mutex)
{
    return pthread_mutex_destroy(&mutex->gasneti_mutex);
}

void gasnett_mutex_lock(gasnett_mutex_t *mutex)
{
    if (owner(mutex) == self())
        gasnett_fatalerror("%s: this thread has locked the mutex already", __func__);
    check(__func__, pthread_mutex_lock(&mutex->gasneti_mutex));
    set_owner(mutex, self());
}

int gasnett_mutex_trylock(gasnett_mutex_t *mutex)
{
    int error = pthread_mutex_trylock(&mutex->gasneti_mutex);
    if (error == 0)
        set_owner(mutex, self());
    return error;
}

void gasnett_mutex_unlock(gasnett_mutex_t *mutex)
{
    if (owner(mutex) != self())
        gasnett_fatalerror("%s: this thread has not locked the mutex", __func__);
    set_owner(mutex, 0);
    check(__func__, pthread_mutex_unlock(&mutex->gasneti_mutex));
}

void gasnett_mutex_assertlocked(gasnett_mutex_t *mutex)
{
    if (owner(mutex) != self())
        gasnett_fatalerror("%s: this thread has not locked the mutex", __func__);
}

void gasnett_mutex_assertunlocked(gasnett_mutex_t *mutex)
{
    if (owner(mutex) == self())
        gasnett_fatalerror("%s: this thread has locked the mutex", __func__);
}

void gasnett_cond_init(gasnett_cond_t *cond)
{
    check(__func__, pthread_cond_init(&cond->gasneti_cond, NULL));
}

void gasnett_cond_destroy(gasnett_cond_t *cond)
{
    check(__func__, pthread_cond_destroy(&cond->gasneti_cond));
}

void gasnett_cond_signal(gasnett_cond_t *cond)
{
    check(__func__, pthread_cond_signal(&cond->gasneti_cond));
}

void gasnett_cond_broadcast(gasnett_cond_t *cond)
{
    check(__func__, pthread_cond_broadcast(&cond->gasneti_cond));
}

void gasnett_cond_wait(gasnett_cond_t *cond, gasnett_mutex_t *mutex)
{
    gasnett_mutex_assertlocked(mutex);
    set_owner(mutex, 0);
    check(__func__, pthread_cond_wait(&cond->gasneti_cond, &mutex->gasneti_mutex));
    set_owner(mutex, self());
}

void gasneti_cond_wait_alone(void)
{
    gasnett_fatalerror("gasnett_cond_wait: a program without threads would wait for ever");
}

_Static_assert(sizeof((gasnett_rwlock_t *)0)->gasneti_lock >= sizeof(pthread_rwlock_t),
               "a lock fits");

static pthread_rwlock_t *real(gasnett_rwlock_t *lock)
{
    return (pthread_rwlock_t *)(void *)lock;
}

static uintptr_t writer(gasnett_rwlock_t *lock)
{
    return __atomic_load_n(&lock->gasneti_writer, __ATOMIC_RELAXED);
}

static void set_writer(gasnett_rwlock_t *lock, uintptr_t value)
{
    __atomic_store_n(&lock->gasneti_writer, value, __ATOMIC_RELAXED);
}

static uint64_t readers(gasnett_rwlock_t *lock)
{
    return __atomic_load_n(&lock->gasneti_readers, __ATOMIC_RELAXED);
}

static void add_readers(gasnett_rwlock_t *lock, int by)
{
    __atomic_fetch_add(&lock->gasneti_readers, (uint64_t)by, __ATOMIC_RELAXED);
}

static void require_no_writer(const char *call, gasnett_rwlock_t *lock)
{
    if (writer(lock) == self())
        gasnett_fatalerror("%s: this thread has locked the lock for writing already", call);
}

void gasnett_rwlock_init(gasnett_rwlock_t *lock)
{
    check(__func__, pthread_rwlock_init(real(lock), NULL));
    set_writer(lock, 0);
    __atomic_store_n(&lock->gasneti_readers, 0, __ATOMIC_RELAXED);
}

void gasnett_rwlock_destroy(gasnett_rwlock_t *lock)
{
    if (writer(lock) != 0 || readers(lock) > 0)
        gasnett_fatalerror("%s: the lock is locked", __func__);
    check(__func__, pthread_rwlock_destroy(real(lock)));
}

/* Too many readers are a reason to wait. */
void gasnett_rwlock_rdlock(gasnett_rwlock_t *lock)
{
    int error;
    require_no_writer(__func__, lock);
    while ((error = pthread_rwlock_rdlock(real(lock))) == EAGAIN)
        sched_yield();
    check(__func__, error);
    add_readers(lock, 1);
}

void gasnett_rwlock_wrlock(gasnett_rwlock_t *lock)
{
    require_no_writer(__func__, lock);
    check(__func__, pthread_rwlock_wrlock(real(lock)));
    set_writer(lock, self());
}

void gasnett_rwlock_unlock(gasnett_rwlock_t *lock)
{
    if (writer(lock) == self())
        set_writer(lock, 0);
    else if (writer(lock) != 0 || readers(lock) == 0)
        gasnett_fatalerror("%s: this thread has not locked the lock", __func__);
    else
        add_readers(lock, -1);
    check(__func__, pthread_rwlock_unlock(real(lock)));
}

int gasnett_rwlock_tryrdlock(gasnett_rwlock_t *lock)
{
    int error = pthread_rwlock_tryrdlock(real(lock));
    if (error == 0)
        add_readers(lock, 1);
    return error;
}

int gasnett_rwlock_trywrlock(gasnett_rwlock_t *lock)
{
    int error = pthread_rwlock_trywrlock(real(lock));
    if (error == 0)
        set_writer(lock, self());
    return error;
}

void gasnett_rwlock_assertrdlocked(gasnett_rwlock_t *lock)
{
    if (readers(lock) == 0)
        gasnett_fatalerror("%s: nobody has locked the lock for reading", __func__);
}

void gasnett_rwlock_assertwrlocked(gasnett_rwlock_t *lock)
{
    if (writer(lock) != self())
        gasnett_fatalerror("%s: this thread has not locked the lock for writing", __func__);
}

void gasnett_rwlock_assertlocked(gasnett_rwlock_t *lock)
{
    if (writer(lock) != self() && readers(lock) == 0)
        gasnett_fatalerror("%s: this thread has not locked the lock", __func__);
}

void gasnett_rwlock_assertunlocked(gasnett_rwlock_t *lock)
{
    if (writer(lock) == self())
        gasnett_fatalerror("%s: this thread has locked the lock for writing", __func__);
}
