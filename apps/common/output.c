#include "common/output.h"

#include <errno.h>
#include <meshes/temporary.h>
#include <pgas/pgas.h>
#include <string.h>

void common_output_check(const char *option, const char *path)
{
    mesh_error_t error;
    if (!mesh_temporary_check(path, &error))
        pgas_fail(1, "%s: %s", option, error.text);
}

void common_output_write(const char *option, const char *path, common_output_writer_t *write,
                         const void *content)
{
    mesh_error_t error;
    mesh_temporary_t *temporary;
    if (!mesh_temporary_create(path, &temporary, &error))
        pgas_fail(1, "%s: %s", option, error.text);
    errno = 0;
    if (!write(mesh_temporary_path(temporary), content)) {
        int reason = errno;
        mesh_temporary_remove(temporary);
        pgas_fail(1, "%s: %s: cannot be written%s%s", option, path, reason != 0 ? ": " : "",
                  reason != 0 ? strerror(reason) : "");
    }
    if (!mesh_temporary_commit(temporary, path, &error)) {
        mesh_temporary_remove(temporary);
        pgas_fail(1, "%s: %s", option, error.text);
    }
}
