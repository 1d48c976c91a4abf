/**
 * Forwarding the launcher's standard input to thread 0.
 */
#ifndef LAUNCHER_INPUT_H
#define LAUNCHER_INPUT_H

#include <stdbool.h>
#include <stddef.h>

/** Forwards standard input to a pipe. */
typedef struct input {
    /** Write end of the pipe, owned; -1 when forwarding has ended. */
    int to;
    /** Bytes read and not yet written. */
    char *data;
    /** Index of the first of them, and how many there are. */
    size_t start;
    size_t length;
    /** Why standard input could not be forwarded to its end; 0: it could, or nobody wants it. */
    int error;
} input_t;

/** Starts forwarding into the non-blocking pipe `to`, owned from here on; -1 forwards nothing. */
void input_open(input_t *input, int to);

/** True if standard input is a terminal and the launcher is not in its foreground. A read would
 *  stop the launcher then. No event announces a change. */
bool input_in_background(const input_t *input);

/** True if input_read is wanted as soon as standard input is ready. */
bool input_wants_read(const input_t *input);

/** True if input_write is wanted as soon as the pipe is ready. */
bool input_wants_write(const input_t *input);

/** Reads standard input once. Call when it is ready. An error is the end of terminals,
 *  pipes and sockets; of files and directories it is `error`. */
void input_read(input_t *input);

/** Writes as much as the pipe accepts. Closes the pipe if nobody reads it. */
void input_write(input_t *input);

/** Ends forwarding. Harmless if it has ended already. */
void input_close(input_t *input);

#endif
