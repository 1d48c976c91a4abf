#include "common/output.h"

#include <errno.h>
#include <meshes/temporary.h>
#include <pgas/pgas.h>
#include <stdio.h>
#include <string.h>

void common_output_check(const char *option, const char *path)
{
    mesh_error_t error;
    if (!mesh_temporary_check(path, &error))
        pgas_fail(1, "%s: %s", option, error.text);
}

typedef struct content {
    const char *path;
    common_output_writer_t *write;
    const void *content;
} content_t;

static bool write_content(const char *temporary, const void *what, mesh_error_t *error)
{
    const content_t *content = what;
    errno = 0;
    if (content->write(temporary, content->content))
        return true;
    int reason = errno;
    snprintf(error->text, sizeof error->text, "%s: cannot be written%s%s", content->path,
             reason != 0 ? ": " : "", reason != 0 ? strerror(reason) : "");
    return false;
}

void common_output_write(const char *option, const char *path, common_output_writer_t *write,
                         const void *content)
{
    mesh_error_t error;
    if (!mesh_temporary_write(path, write_content, &(content_t){path, write, content}, &error))
        pgas_fail(1, "%s: %s", option, error.text);
}
