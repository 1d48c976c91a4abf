/**
 * Reading numbers from text, line by line, fast and with the line number at hand.
 */
#ifndef MESHES_SRC_SCAN_H
#define MESHES_SRC_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "meshes/error.h"

/** A place in a text. */
typedef struct meshi_scan {
    const char *name; /**< of the file, for messages */
    const char *at; /**< next character */
    const char *end; /**< one past the last */
    size_t line; /**< of `at`, 1-based */
    char comment; /**< from this character to the end of the line nothing counts */
} meshi_scan_t;

/** Reads a whole regular file. The caller frees `text`. */
bool meshi_read_file(const char *path, char **text, size_t *nbytes, mesh_error_t *error);

/** Goes to the first character that counts, over empty lines and comments. False at the end. */
bool meshi_scan_start_line(meshi_scan_t *scan);

/** Skips the rest of the line, whatever it is. */
void meshi_scan_skip_line(meshi_scan_t *scan);

/** Goes over blanks in the line; true when something that counts follows. */
bool meshi_scan_more(meshi_scan_t *scan);

/** Reads a word of the line, cut to size - 1 characters. False when there is none. */
bool meshi_scan_word(meshi_scan_t *scan, char *word, size_t size);

/** Reads a whole number from `min` to `max`; `what` names it in the message. */
bool meshi_scan_whole(meshi_scan_t *scan, const char *what, int64_t min, int64_t max,
                      int64_t *value, mesh_error_t *error);

/** Reads a finite real number. */
bool meshi_scan_real(meshi_scan_t *scan, const char *what, double *value, mesh_error_t *error);

/** Bytes from the present place to the end. */
size_t meshi_scan_left(const meshi_scan_t *scan);

#endif
