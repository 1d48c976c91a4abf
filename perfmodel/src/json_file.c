#include "json_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "support/printable.h"

/* By these names a process reads what another one writes into a pipe, and nobody waits in vain. */
static bool is_descriptor(const char *path)
{
    static const char folder[] = "/dev/fd/";
    const size_t length = strlen(folder);
    return strcmp(path, "/dev/stdin") == 0 ||
           (strncmp(path, folder, length) == 0 && strchr(path + length, '/') == NULL);
}

/* A pipe by its own name is refused without waiting for its writer. */
static bool check_kind(int fd, const char *path, mesh_error_t *error)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return modeli_fail(error, "%s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode) && !(S_ISFIFO(status.st_mode) && is_descriptor(path)))
        return modeli_fail(error, "%s: is not a regular file", path);
    if (fcntl(fd, F_SETFL, 0) != 0)
        return modeli_fail(error, "%s: %s", path, strerror(errno));
    return true;
}

/* What was looked at is what is read, whatever has its name since. */
static FILE *open_file(const char *path, mesh_error_t *error)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (file == NULL) {
        modeli_report(error, "%s: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    if (check_kind(fd, path, error))
        return file;
    fclose(file);
    return NULL;
}

static void clean_text(json_t *value)
{
    char *text = strdup(json_string_value(value));
    if (text == NULL)
        return;
    printable_make(text, strlen(text), true);
    json_string_set(value, text);
    free(text);
}

static void clean(json_t *value)
{
    const char *key;
    json_t *member;
    if (json_is_string(value))
        clean_text(value);
    json_object_foreach(value, key, member) clean(member);
    for (size_t i = 0; i < json_array_size(value); i++)
        clean(json_array_get(value, i));
}

json_t *modeli_json_read(const char *path, mesh_error_t *error)
{
    json_error_t reason;
    FILE *file = open_file(path, error);
    if (file == NULL)
        return NULL;
    json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, &reason);
    fclose(file);
    if (root != NULL) {
        clean(root);
        return root;
    }
    printable_make(reason.text, strlen(reason.text), false);
    if (reason.line > 0)
        modeli_report(error, "%s: line %d: %s", path, reason.line, reason.text);
    else
        modeli_report(error, "%s: %s", path, reason.text);
    return NULL;
}
