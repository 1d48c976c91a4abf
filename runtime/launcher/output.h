/**
 * Passing on what threads print: whole lines, to one place, without ever waiting for it.
 *
 * A *sink* is where lines go: the launcher's standard output or standard error. A *source* is one
 * thread's pipe. Whole lines go to the sink in one piece; a line longer than OUTPUT_LINE_MAX bytes
 * is passed on in pieces of that length, which other threads' lines may come between. With a tag
 * every piece is a line of its own. The last line of a source is passed on at its end, with a
 * newline added only when it is tagged.
 *
 * A sink whose reader is slow fills up; its sources are then not read until there is room.
 */
#ifndef LAUNCHER_OUTPUT_H
#define LAUNCHER_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/** Longest line kept whole, in bytes. */
#define OUTPUT_LINE_MAX ((size_t)65536)

/** One place to write to. */
struct sink {
    int fd; /**< the descriptor written to */
    bool owns_fd; /**< `fd` was opened here, for writes that never block */
    bool is_socket; /**< `fd` is a socket */
    bool may_block; /**< `fd` is written only when polled ready, and little at a time */
    bool mid_line; /**< what was added last did not end a line */
    int error; /**< why writing failed, an errno, and what is added is dropped; or 0 */
    char *data; /**< bytes waiting */
    size_t length; /**< how many */
    size_t start; /**< index of the first in `data` */
    size_t capacity; /**< size of `data` */
};

/** One thread's pipe. */
struct source {
    int fd; /**< read end, -1 after its end; owned */
    char tag[24]; /**< put in front of each line; may be empty */
    char *data; /**< the start of a line not yet complete */
    size_t length; /**< how many bytes of it */
    size_t capacity; /**< size of `data` */
    struct sink *sink; /**< where its lines go */
};

/** Makes `sink` write to the open descriptor `fd`, which stays the caller's. */
void sink_open(struct sink *sink, int fd);

/** Adds bytes to those waiting. */
void sink_add(struct sink *sink, const char *data, size_t nbytes);

/** Adds a line between those of the sources: an unfinished one is ended first. */
void sink_add_line(struct sink *sink, const char *line);

/** Drops what is waiting, and all that is added from here on; `error` is why. */
void sink_break(struct sink *sink, int error);

/** Whether bytes are waiting to be written. */
bool sink_pending(const struct sink *sink);

/** Whether there is room for what a source may bring. */
bool sink_has_room(const struct sink *sink);

/** Writes what can be written without waiting. For when `fd` is ready. */
void sink_write(struct sink *sink);

/** Frees it. What is still waiting is dropped. */
void sink_close(struct sink *sink);

/** Reads lines from the non-blocking pipe `fd`, owned from here on, into `sink`; `tag` is copied.
 */
void source_open(struct source *source, int fd, const char *tag, struct sink *sink);

/** Reads once and passes on the lines this completes. Closes the source at its end, after
 *  which it is harmless. Returns whether there was anything. */
bool source_read(struct source *source);

/** Reads all that is there now. */
void source_drain(struct source *source);

/** Passes on an unfinished line and closes the pipe. Harmless after the source's end. */
void source_close(struct source *source);

#endif
