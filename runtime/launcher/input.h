/**
 * Passing the launcher's standard input on to thread 0.
 */
#ifndef LAUNCHER_INPUT_H
#define LAUNCHER_INPUT_H

#include <stdbool.h>
#include <stddef.h>

/** The way from standard input to a pipe. */
struct input {
    int to; /**< write end of the pipe, -1 when done; owned */
    char *data; /**< bytes read and not yet written */
    size_t start; /**< index of the first of them */
    size_t length; /**< how many */
};

/** Starts forwarding into the non-blocking pipe `to`, owned from here on; -1 forwards nothing. */
void input_open(struct input *input, int to);

/** Whether standard input is a terminal that this is not the foreground of. A read would stop the
 *  launcher then; nothing tells when that changes. */
bool input_in_background(const struct input *input);

/** Whether to read now. */
bool input_wants_read(const struct input *input);

/** Whether to write now. */
bool input_wants_write(const struct input *input);

/** Reads standard input once. For when it is ready. */
void input_read(struct input *input);

/** Writes what the pipe takes; closes it after the last byte, or when nobody reads it. */
void input_write(struct input *input);

/** Ends forwarding. Harmless when it has ended. */
void input_close(struct input *input);

#endif
