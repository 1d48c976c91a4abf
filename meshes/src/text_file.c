#include "meshes/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fail.h"
#include "meshes/temporary.h"

static bool write_text(const char *path, const char *text, size_t nbytes, mesh_error_t *error)
{
    FILE *out = fopen(path, "we");
    if (out == NULL)
        return meshi_fail(error, "%s: cannot be created: %s", path, strerror(errno));
    bool written = fwrite(text, 1, nbytes, out) == nbytes;
    if (fclose(out) != 0 || !written)
        return meshi_fail(error, "%s: cannot be written: %s", path, strerror(errno));
    return true;
}

bool mesh_text_file_write(const char *path, const char *text, size_t nbytes, mesh_error_t *error)
{
    mesh_temporary_t *temporary;
    if (!mesh_temporary_create(path, &temporary, error))
        return false;
    if (!write_text(mesh_temporary_path(temporary), text, nbytes, error) ||
        !mesh_temporary_commit(temporary, path, error)) {
        mesh_temporary_remove(temporary);
        return false;
    }
    return true;
}
