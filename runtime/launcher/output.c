#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SINK_FULL = 1 << 20,
    FIRST_CAPACITY = 4096,
    DRAIN_READS = 64 /* more than a full pipe of the default size */
};

/* Makes room for `nbytes` in a growing buffer. False without memory. */
static bool reserve(char **data, size_t *capacity, size_t nbytes)
{
    if (nbytes <= *capacity)
        return true;
    size_t wanted = *capacity > 0 ? *capacity : FIRST_CAPACITY;
    while (wanted < nbytes)
        wanted *= 2;
    char *grown = realloc(*data, wanted);
    if (grown == NULL)
        return false;
    *data = grown;
    *capacity = wanted;
    return true;
}

/* O_NONBLOCK set on the descriptor itself would reach everyone who shares it, the user's shell
   included. A pipe or a terminal is opened anew instead; a file never blocks. What is not open for
   writing stays so. */
void sink_open(sink_t *sink, int fd)
{
    *sink = (sink_t){.fd = fd};
    struct stat status;
    if (fstat(fd, &status) != 0 || S_ISREG(status.st_mode) ||
        (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY)
        return;
    if (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode)) {
        char path[32];
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        int own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        sink->owns_fd = own >= 0;
        sink->fd = own >= 0 ? own : fd;
    }
    sink->is_socket = S_ISSOCK(status.st_mode);
    sink->may_block = !sink->owns_fd && !sink->is_socket;
}

/* Adds bytes to those waiting to be written. */
static void add(sink_t *sink, const char *data, size_t nbytes)
{
    if (sink->error != 0 || nbytes == 0)
        return;
    if (sink->start > 0 && sink->start + sink->length + nbytes > sink->capacity) {
        memmove(sink->data, sink->data + sink->start, sink->length);
        sink->start = 0;
    }
    if (!reserve(&sink->data, &sink->capacity, sink->start + sink->length + nbytes)) {
        sink_break(sink, ENOMEM);
        return;
    }
    memcpy(sink->data + sink->start + sink->length, data, nbytes);
    sink->length += nbytes;
    sink->mid_line = data[nbytes - 1] != '\n';
}

void sink_add_line(sink_t *sink, const char *line)
{
    if (sink->mid_line)
        add(sink, "\n", 1);
    add(sink, line, strlen(line));
    add(sink, "\n", 1);
}

void sink_break(sink_t *sink, int error)
{
    sink->error = error;
    sink->length = 0;
}

bool sink_pending(const sink_t *sink)
{
    return sink->length > 0;
}

bool sink_has_room(const sink_t *sink)
{
    return sink->length < SINK_FULL;
}

void sink_write(sink_t *sink)
{
    while (sink->length > 0) {
        size_t nbytes = sink->length;
        if (sink->may_block && nbytes > PIPE_BUF)
            nbytes = PIPE_BUF;
        const char *bytes = sink->data + sink->start;
        ssize_t written = sink->is_socket ? send(sink->fd, bytes, nbytes, MSG_DONTWAIT)
                                          : write(sink->fd, bytes, nbytes);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0 && errno == EAGAIN)
            return;
        if (written < 0) {
            sink_break(sink, errno);
            return;
        }
        sink->start += (size_t)written;
        sink->length -= (size_t)written;
        if (sink->may_block)
            break;
    }
    if (sink->length == 0)
        sink->start = 0;
}

void sink_close(sink_t *sink)
{
    if (sink->owns_fd)
        close(sink->fd);
    free(sink->data);
    *sink = (sink_t){.fd = -1, .error = EBADF};
}

void source_open(source_t *source, int fd, const char *tag, sink_t *sink)
{
    *source = (source_t){.fd = fd, .sink = sink};
    snprintf(source->tag, sizeof source->tag, "%s", tag);
}

/* Forwards `nbytes` bytes: one line, or a piece of one. */
static void forward_piece(const source_t *source, const char *piece, size_t nbytes)
{
    add(source->sink, source->tag, strlen(source->tag));
    add(source->sink, piece, nbytes);
    if (source->tag[0] != '\0' && piece[nbytes - 1] != '\n')
        add(source->sink, "\n", 1);
}

/* Forwards the lines in the buffer that are complete, or too long to wait for their end. */
static void forward_lines(source_t *source)
{
    size_t passed = 0;
    char *newline;
    if (source->tag[0] == '\0') {
        newline = memrchr(source->data, '\n', source->length);
        passed = newline != NULL ? (size_t)(newline - source->data) + 1 : 0;
        if (passed > 0)
            forward_piece(source, source->data, passed);
    } else {
        while ((newline = memchr(source->data + passed, '\n', source->length - passed)) != NULL) {
            size_t nbytes = (size_t)(newline - source->data) + 1 - passed;
            forward_piece(source, source->data + passed, nbytes);
            passed += nbytes;
        }
    }
    source->length -= passed;
    memmove(source->data, source->data + passed, source->length);
    if (source->length >= OUTPUT_LINE_MAX) {
        forward_piece(source, source->data, source->length);
        source->length = 0;
    }
}

bool source_read(source_t *source)
{
    if (source->fd < 0)
        return false;
    size_t room = OUTPUT_LINE_MAX - source->length;
    if (room > FIRST_CAPACITY && source->capacity == 0)
        room = FIRST_CAPACITY;
    if (!reserve(&source->data, &source->capacity, source->length + room)) {
        sink_break(source->sink, ENOMEM);
        source_close(source);
        return false;
    }
    ssize_t got = read(source->fd, source->data + source->length, room);
    if (got > 0) {
        source->length += (size_t)got;
        forward_lines(source);
        return true;
    }
    if (got == 0 || (errno != EAGAIN && errno != EINTR))
        source_close(source);
    return false;
}

void source_drain(source_t *source)
{
    for (int i = 0; i < DRAIN_READS && source->fd >= 0 && source_read(source); i++)
        ;
}

void source_close(source_t *source)
{
    if (source->fd < 0)
        return;
    if (source->length > 0)
        forward_piece(source, source->data, source->length);
    close(source->fd);
    free(source->data);
    source->fd = -1;
    source->data = NULL;
    source->length = source->capacity = 0;
}
