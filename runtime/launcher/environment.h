/**
 * Variables that the launcher sets for its threads.
 */
#ifndef LAUNCHER_ENVIRONMENT_H
#define LAUNCHER_ENVIRONMENT_H

#include <stdbool.h>

/** Sets a variable of the process; leaves one that is there unless `replaces`. Ends the process
 * with a line if there is no memory for it. */
void environment_set(const char *name, const char *value, bool replaces);

#endif
