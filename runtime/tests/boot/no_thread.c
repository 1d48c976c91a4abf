/**
 * The system starts no operating-system thread, which PMIx needs: pgas_init fails. See launch.sh.
 */
#include <errno.h>
#include <pthread.h>

#include <pgas/pgas.h>

/* In the place of the C library's. */
/* NOLINTBEGIN(readability-non-const-parameter): the types are the library's */
__attribute__((visibility("default"))) int pthread_create(pthread_t *newthread,
                                                          const pthread_attr_t *attr,
                                                          void *(*start_routine)(void *), void *arg)
/* NOLINTEND(readability-non-const-parameter) */
{
    (void)newthread;
    (void)attr;
    (void)start_routine;
    (void)arg;
    return EAGAIN;
}

int main(void)
{
    return pgas_init() == PGAS_OK ? 0 : 1;
}
