/**
 * Output files: each appears whole or not at all, and none but a regular file is replaced.
 *
 * A file is written under a temporary name beside its own (meshes/temporary.h), which a signal that
 * ends the program removes. Both functions are called by one thread, and end the job with one line
 * that begins with `option`, the option that has named the file, if it cannot be written.
 */
#ifndef COMMON_OUTPUT_H
#define COMMON_OUTPUT_H

#include <stdbool.h>

/** Ends the job if `path` cannot be written. For long work, before it. Leaves nothing behind.
 *  Always accepts NULL. */
void common_output_check(const char *option, const char *path);

/** Writes `content` to the file `temporary`, which exists and is empty. On failure it returns
 * false, and errno is the reason, or 0 if that is unknown. */
typedef bool common_output_writer_t(const char *temporary, const void *content);

/** Has `write` write the file, and gives it its name. */
void common_output_write(const char *option, const char *path, common_output_writer_t *write,
                         const void *content);

#endif
