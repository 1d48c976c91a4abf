#include "meshes/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fail.h"
#include "meshes/temporary.h"

typedef struct content {
    const char *text;
    size_t nbytes;
} content_t;

static bool write_text(const char *path, const void *what, mesh_error_t *error)
{
    const content_t *content = what;
    FILE *out = fopen(path, "we");
    if (out == NULL)
        return meshi_fail(error, "%s: cannot be created: %s", path, strerror(errno));
    bool written = fwrite(content->text, 1, content->nbytes, out) == content->nbytes;
    if (fclose(out) != 0 || !written)
        return meshi_fail(error, "%s: cannot be written: %s", path, strerror(errno));
    return true;
}

bool mesh_text_file_write(const char *path, const char *text, size_t nbytes, mesh_error_t *error)
{
    return mesh_temporary_write(path, write_text, &(content_t){text, nbytes}, error);
}
