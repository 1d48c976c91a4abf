#include "scan.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"

enum {
    NUMBER_CHARS = 64
};

static bool read_open_file(int fd, const char *path, char **text, size_t *nbytes,
                           mesh_error_t *error)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return meshi_fail(error, "%s: cannot be read: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return meshi_fail(error, "%s: is not a regular file", path);
    size_t size = (size_t)status.st_size;
    char *buffer = malloc(size + 1);
    if (buffer == NULL)
        return meshi_fail_memory(error, path, size);
    size_t filled = 0;
    while (filled < size) {
        ssize_t part = read(fd, buffer + filled, size - filled);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0) {
            free(buffer);
            return meshi_fail(error, "%s: cannot be read: %s", path, strerror(errno));
        }
        if (part == 0)
            break;
        filled += (size_t)part;
    }
    *text = buffer;
    *nbytes = filled;
    return true;
}

bool meshi_read_file(const char *path, char **text, size_t *nbytes, mesh_error_t *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return meshi_fail(error, "%s: cannot be opened: %s", path, strerror(errno));
    bool done = read_open_file(fd, path, text, nbytes, error);
    close(fd);
    return done;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == ',';
}

bool meshi_scan_more(meshi_scan_t *scan)
{
    while (scan->at < scan->end && is_blank(*scan->at))
        scan->at++;
    return scan->at < scan->end && *scan->at != '\n' && *scan->at != scan->comment;
}

void meshi_scan_skip_line(meshi_scan_t *scan)
{
    const char *newline = memchr(scan->at, '\n', meshi_scan_left(scan));
    if (newline == NULL) {
        scan->at = scan->end;
        return;
    }
    scan->at = newline + 1;
    scan->line++;
}

bool meshi_scan_start_line(meshi_scan_t *scan)
{
    while (scan->at < scan->end) {
        if (meshi_scan_more(scan))
            return true;
        meshi_scan_skip_line(scan);
    }
    return false;
}

bool meshi_scan_word(meshi_scan_t *scan, char *word, size_t size)
{
    size_t length = 0;
    if (!meshi_scan_more(scan))
        return false;
    while (scan->at < scan->end && !is_blank(*scan->at) && *scan->at != '\n' &&
           *scan->at != scan->comment) {
        if (length + 1 < size)
            word[length++] = *scan->at;
        scan->at++;
    }
    word[length] = '\0';
    return true;
}

/* Unprintable characters of a damaged file must not reach the terminal. */
static void make_printable(char *word)
{
    for (char *c = word; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
}

static bool get_number(meshi_scan_t *scan, const char *what, char word[NUMBER_CHARS],
                       mesh_error_t *error)
{
    if (!meshi_scan_word(scan, word, NUMBER_CHARS))
        return meshi_fail(error, "%s:%zu: %s is missing: the %s ends here", scan->name, scan->line,
                          what, scan->at < scan->end ? "line" : "file");
    return true;
}

/* Plain digits, nearly always: the number of a point or cell. */
static bool scan_digits(meshi_scan_t *scan, int64_t *value)
{
    const char *at = scan->at;
    int64_t number = 0;
    while (at < scan->end && *at >= '0' && *at <= '9' && at - scan->at < 18)
        number = 10 * number + (*at++ - '0');
    if (at == scan->at || (at < scan->end && !is_blank(*at) && *at != '\n'))
        return false;
    scan->at = at;
    *value = number;
    return true;
}

bool meshi_scan_whole(meshi_scan_t *scan, const char *what, int64_t min, int64_t max,
                      int64_t *value, mesh_error_t *error)
{
    char word[NUMBER_CHARS];
    char *end = word;
    long long number = 0;
    const char *start = meshi_scan_more(scan) ? scan->at : NULL;
    int64_t digits;
    if (start != NULL && scan_digits(scan, &digits) && digits >= min && digits <= max) {
        *value = digits;
        return true;
    }
    if (start != NULL)
        scan->at = start;
    if (!get_number(scan, what, word, error))
        return false;
    errno = 0;
    number = strtoll(word, &end, 10);
    if (errno == 0 && *end == '\0' && number >= min && number <= max) {
        *value = number;
        return true;
    }
    make_printable(word);
    return meshi_fail(error, "%s:%zu: %s '%s' is not a whole number from %lld to %lld", scan->name,
                      scan->line, what, word, (long long)min, (long long)max);
}

bool meshi_scan_real(meshi_scan_t *scan, const char *what, double *value, mesh_error_t *error)
{
    char word[NUMBER_CHARS];
    char *end;
    if (!get_number(scan, what, word, error))
        return false;
    double number = strtod(word, &end);
    if (*end == '\0' && isfinite(number)) {
        *value = number;
        return true;
    }
    make_printable(word);
    return meshi_fail(error, "%s:%zu: %s '%s' is not a finite number", scan->name, scan->line, what,
                      word);
}

size_t meshi_scan_left(const meshi_scan_t *scan)
{
    return (size_t)(scan->end - scan->at);
}
