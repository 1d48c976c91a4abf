#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "support/cli.h"

static bool is_output(const char *path)
{
    return strcmp(path, "-") == 0;
}

static bool same_place(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The directory that a path is in; `part` becomes the rest of it. */
static bool find_directory(const char *path, struct stat *directory, const char **part)
{
    char name[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    if (length >= sizeof name)
        return false;
    *part = path + length;
    snprintf(name, sizeof name, "%.*s", (int)length, path);
    return stat(length > 0 ? name : ".", directory) == 0;
}

/* True if two names are of one file, even if that does not exist yet. */
static bool same_file(const char *a, const char *b)
{
    struct stat a_status;
    struct stat b_status;
    const char *a_part;
    const char *b_part;
    if (is_output(a) || is_output(b) || strcmp(a, b) == 0)
        return strcmp(a, b) == 0;
    bool a_exists = stat(a, &a_status) == 0;
    bool b_exists = stat(b, &b_status) == 0;
    if (a_exists != b_exists)
        return false;
    if (a_exists)
        return S_ISREG(a_status.st_mode) && same_place(&a_status, &b_status);
    return find_directory(a, &a_status, &a_part) && find_directory(b, &b_status, &b_part) &&
           same_place(&a_status, &b_status) && strcmp(a_part, b_part) == 0;
}

void cli_check_files(const cli_file_t *files, size_t count)
{
    for (size_t b = 1; b < count; b++)
        for (size_t a = 0; a < b; a++)
            if (files[a].path != NULL && files[b].path != NULL &&
                (files[a].is_written || files[b].is_written) &&
                same_file(files[a].path, files[b].path))
                cli_fail(CLI_EXIT_USAGE, "%s and %s: '%s' is one and the same file", files[a].what,
                         files[b].what, files[b].path);
}
