/**
 * hwloc without its plugins, which look for X servers and accelerators, and without PCI devices,
 * each of which takes a virtual machine milliseconds: together half of what starting a job of one
 * thread costs. hwloc is told so by the environment, and the library that calls it may be PMIx, so
 * the threads would inherit it: hence two calls. If the user has set one of the variables, or one
 * that gives hwloc another topology, nothing is changed.
 */
#ifndef LAUNCHER_LEAN_HWLOC_H
#define LAUNCHER_LEAN_HWLOC_H

/** What lean_hwloc_begin has changed. */
typedef struct {
    const char *set[2]; /**< names of variables; NULL: none */
} lean_hwloc_t;

/** From here on hwloc looks at processors, caches and memory alone. */
lean_hwloc_t lean_hwloc_begin(void);

/** The end of that, before a thread of the job is started. */
void lean_hwloc_end(const lean_hwloc_t *lean);

#endif
