/**
 * Reading words and numbers from text, line by line, fast and with the line number at hand.
 */
#ifndef MESHES_SRC_SCAN_H
#define MESHES_SRC_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "meshes/error.h"

/** For meshi_scan_t: no character at all. */
#define MESHI_SCAN_NONE 256

/** A place in a text. */
typedef struct meshi_scan {
    /** Name of the file, for messages. */
    const char *name;
    /** Next character. */
    const char *at;
    /** One past the last. */
    const char *end;
    /** Line of `at`, 1-based. */
    size_t line;
    /** A comment begins with this character and ends with the line. */
    int comment;
    /** This character counts as a blank, too. */
    int separator;
} meshi_scan_t;

/** A word of a text: what stands between blanks. It has no terminating zero, and may have zero
 *  bytes in it. */
typedef struct meshi_word {
    const char *text;
    size_t length;
} meshi_word_t;

/** Goes to the first character that counts, over empty lines and comments. False at the end. */
bool meshi_scan_start_line(meshi_scan_t *scan);

/** Skips the rest of the line, whatever it is. */
void meshi_scan_skip_line(meshi_scan_t *scan);

/** Goes over blanks in the line; true when something that counts follows. */
bool meshi_scan_more(meshi_scan_t *scan);

/** Reads a word of the line, all of it. False when there is none. */
bool meshi_scan_word(meshi_scan_t *scan, meshi_word_t *word);

/** Whether the word is that text; letters of either case are the same. */
bool meshi_word_is(meshi_word_t word, const char *text);

/** Reads a whole number from `min` to `max`; `what` names it in the message. */
bool meshi_scan_whole(meshi_scan_t *scan, const char *what, int64_t min, int64_t max,
                      int64_t *value, mesh_error_t *error);

/** Reads a finite real number. */
bool meshi_scan_real(meshi_scan_t *scan, const char *what, double *value, mesh_error_t *error);

/** Goes to the next line, which fails where words of this one are left; `what` names in the
 *  message what the line is. */
bool meshi_scan_end_line(meshi_scan_t *scan, const char *what, mesh_error_t *error);

/** Bytes from the present place to the end. */
size_t meshi_scan_left(const meshi_scan_t *scan);

#endif
