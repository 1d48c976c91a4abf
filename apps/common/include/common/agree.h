/**
 * Failing together: one line, whichever threads failed.
 */
#ifndef COMMON_AGREE_H
#define COMMON_AGREE_H

#include <stdbool.h>

/**
 * Ends the job with status 1 and the message of the lowest thread that calls with `ok` false;
 * returns if no thread does. Collective; includes a barrier. `message` is read only where `ok`
 * is false.
 */
void common_agree(bool ok, const char *message);

#endif
