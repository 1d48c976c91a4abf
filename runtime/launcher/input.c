#include "input.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BUFFER_BYTES = 65536
};

static void break_off(input_t *input, int error)
{
    input_close(input);
    input->error = error;
}

void input_open(input_t *input, int to)
{
    *input = (input_t){.to = to};
    if (to < 0)
        return;
    input->data = malloc(BUFFER_BYTES);
    if (input->data == NULL)
        break_off(input, ENOMEM);
}

bool input_in_background(const input_t *input)
{
    if (input->to < 0)
        return false;
    pid_t foreground = tcgetpgrp(STDIN_FILENO);
    return foreground >= 0 && foreground != getpgrp();
}

bool input_wants_read(const input_t *input)
{
    return input->to >= 0 && input->length == 0 && !input_in_background(input);
}

bool input_wants_write(const input_t *input)
{
    return input->to >= 0 && input->length > 0;
}

/* Terminals and sockets end by errors, too; a file does not. */
static bool is_of_file(int error)
{
    struct stat status;
    return error != 0 && fstat(STDIN_FILENO, &status) == 0 &&
           (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) || S_ISBLK(status.st_mode));
}

void input_read(input_t *input)
{
    ssize_t got = read(STDIN_FILENO, input->data, BUFFER_BYTES);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (got <= 0) {
        int error = got < 0 ? errno : 0;
        break_off(input, is_of_file(error) ? error : 0);
        return;
    }
    input->start = 0;
    input->length = (size_t)got;
    input_write(input);
}

void input_write(input_t *input)
{
    ssize_t written = write(input->to, input->data + input->start, input->length);
    if (written < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (written < 0) {
        input_close(input);
        return;
    }
    input->start += (size_t)written;
    input->length -= (size_t)written;
}

void input_close(input_t *input)
{
    if (input->to >= 0)
        close(input->to);
    free(input->data);
    *input = (input_t){.to = -1};
}
