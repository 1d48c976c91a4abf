/**
 * The system starts no operating-system thread, which PMIx needs: pgas_init fails. See launch.sh.
 */
#include <errno.h>
#include <pthread.h>

#include <pgas/pgas.h>

/* In the place of the C library's. */
__attribute__((visibility("default"))) int pthread_create(pthread_t *thread,
                                                          const pthread_attr_t *attributes,
                                                          void *(*run)(void *), void *argument)
{
    (void)thread;
    (void)attributes;
    (void)run;
    (void)argument;
    return EAGAIN;
}

int main(void)
{
    return pgas_init() == PGAS_OK ? 0 : 1;
}
