/**
 * Which core each thread of the job is bound to.
 */
#ifndef LAUNCHER_BIND_H
#define LAUNCHER_BIND_H

#include "options.h"

#include <sched.h>
#include <stddef.h>

/** The cores of a job's threads; opaque. */
typedef struct binding binding_t;

/**
 * Spreads `threads` threads over the cores this process may use: one core each, as far apart as
 * the machine's topology allows. The topology is loaded only where threads are going to be bound.
 *
 * @param mode    BIND_AUTO and BIND_NONE may end in no binding at all
 * @param threads number of threads, at least 1
 * @param binding the result, NULL for no binding; the caller frees it with bind_free
 * @return 0. When BIND_CORE asks for more cores than there are, or memory or the topology cannot
 *         be had, the exit status of the program, after one line that says so.
 */
int bind_create(bind_mode_t mode, size_t threads, binding_t **binding);

/** The processors of thread `thread`, `*nbytes` long; NULL when `binding` is NULL. */
const cpu_set_t *bind_set(const binding_t *binding, size_t thread, size_t *nbytes);

/** Frees a binding; NULL is allowed. */
void bind_free(binding_t *binding);

#endif
