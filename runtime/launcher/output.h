/**
 * Forwarding what threads print: in whole lines, to one place, without ever blocking.
 *
 * A *sink* is where lines go: the launcher's standard output or standard error. A *source* is one
 * thread's pipe. Whole lines go to the sink in one piece; a line longer than OUTPUT_LINE_MAX bytes
 * is forwarded in pieces of that length, and lines of other threads may come between them. With a
 * tag every piece becomes a line of its own. An unfinished line is forwarded at the end of its
 * source; a newline is added only if the source has a tag.
 *
 * A sink whose reader is slow fills up; its sources are then not read until it has space.
 */
#ifndef LAUNCHER_OUTPUT_H
#define LAUNCHER_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/** Longest line kept whole, in bytes. */
#define OUTPUT_LINE_MAX ((size_t)65536)

/** One place to write to. */
typedef struct sink {
    /** The descriptor written to. */
    int fd;
    /** `fd` was opened here, for writes that never block. */
    bool owns_fd;
    /** `fd` is a socket. */
    bool is_socket;
    /** Writing to `fd` may block: it is written only when poll reports it ready, in small amounts.
     */
    bool may_block;
    /** The bytes added last did not end a line. */
    bool mid_line;
    /** The errno with which writing failed, ENOMEM without memory for what waits, or 0. After a
     *  failure all that is added is dropped. */
    int error;
    /** The bytes waiting to be written: `length` of them from index `start`. */
    char *data;
    size_t length;
    size_t start;
    /** Size of `data`. */
    size_t capacity;
} sink_t;

/** One thread's pipe. */
typedef struct source {
    /** Read end of the pipe, owned; -1 after its end. */
    int fd;
    /** Comes before each line; may be empty. */
    char tag[24];
    /** The first `length` bytes of a line that is not complete yet. */
    char *data;
    size_t length;
    /** Size of `data`. */
    size_t capacity;
    /** Where its lines go. */
    sink_t *sink;
} source_t;

/** Makes `sink` write to the open descriptor `fd`, which the caller keeps. */
void sink_open(sink_t *sink, int fd);

/** Adds a line of the launcher's own. Ends an unfinished line of a source first. */
void sink_add_line(sink_t *sink, const char *line);

/** Drops the bytes waiting, and all that are added from here on, because of `error` (an errno). */
void sink_break(sink_t *sink, int error);

/** True if bytes are waiting to be written. */
bool sink_pending(const sink_t *sink);

/** True if the sink has space for what a source may add. */
bool sink_has_room(const sink_t *sink);

/** Writes as much as it can without blocking. Call when `fd` is ready. */
void sink_write(sink_t *sink);

/** Frees the sink's memory. Bytes still waiting are dropped. */
void sink_close(sink_t *sink);

/** Reads lines from the non-blocking pipe `fd`, owned from here on, into `sink`; `tag` is copied.
 */
void source_open(source_t *source, int fd, const char *tag, sink_t *sink);

/** Reads once and forwards the lines that this completes. Closes the source at its end; harmless
 *  after that. True if there was anything to read. */
bool source_read(source_t *source);

/** Reads all that is in the pipe now. */
void source_drain(source_t *source);

/** Forwards an unfinished line and closes the pipe. Harmless after the end of the source. */
void source_close(source_t *source);

#endif
