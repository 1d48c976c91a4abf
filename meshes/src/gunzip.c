#include "gunzip.h"

#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

#include "fail.h"
#include "memory.h"

enum {
    GZIP_WINDOW = 15 + 16 /* the largest window, and gzip's header and checksum */
};

static const char magic[2] = {'\x1f', '\x8b'};

/* zlib counts in 32 bits. */
static const size_t part_max = (size_t)1 << 30;

/* Text usually shrinks to a third or a quarter. */
static const size_t growth = 4;

/* The unpacked text. */
typedef struct output {
    char *text;
    size_t nbytes;
    size_t room;
} output_t;

bool meshi_is_gzip(const char *bytes, size_t nbytes)
{
    return nbytes >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

static bool grow(const char *name, output_t *output, mesh_error_t *error)
{
    size_t room = 2 * output->room;
    char *grown = meshi_memory_exists(room) ? realloc(output->text, room) : NULL;
    if (grown == NULL)
        return meshi_fail_memory(error, name, room);
    output->text = grown;
    output->room = room;
    return true;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Unpacks as much as the input and the space in the output allow. */
static int unpack_part(z_stream *stream, const char *end, output_t *output)
{
    size_t left = smaller((size_t)(end - (const char *)stream->next_in), part_max);
    size_t room = smaller(output->room - output->nbytes, part_max);
    stream->avail_in = (uInt)left;
    stream->next_out = (Bytef *)output->text + output->nbytes;
    stream->avail_out = (uInt)room;
    int status = inflate(stream, Z_NO_FLUSH);
    output->nbytes += room - stream->avail_out;
    return status;
}

static bool unpack(const char *name, z_stream *stream, const char *end, output_t *output,
                   mesh_error_t *error)
{
    for (;;) {
        if (output->nbytes == output->room && !grow(name, output, error))
            return false;
        int status = unpack_part(stream, end, output);
        const char *at = (const char *)stream->next_in;
        if (status == Z_OK)
            continue;
        if (status == Z_MEM_ERROR)
            return meshi_fail_memory(error, name, output->room);
        if (status == Z_BUF_ERROR)
            return meshi_fail(error, "%s: gzip: the file ends too early", name);
        if (status != Z_STREAM_END)
            return meshi_fail(error, "%s: gzip: damaged: %s", name,
                              stream->msg != NULL ? stream->msg : "not as it was packed");
        if (at == end)
            return true;
        if (!meshi_is_gzip(at, (size_t)(end - at)))
            return meshi_fail(error, "%s: gzip: %zu bytes follow the end of the packed text", name,
                              (size_t)(end - at));
        inflateReset(stream);
    }
}

bool meshi_gunzip(const char *name, const char *bytes, size_t nbytes, char **text,
                  size_t *text_nbytes, mesh_error_t *error)
{
    z_stream stream = {.next_in = (const Bytef *)bytes};
    output_t output = {.room = growth * nbytes};
    output.text = malloc(output.room);
    if (output.text == NULL || inflateInit2(&stream, GZIP_WINDOW) != Z_OK) {
        free(output.text);
        return meshi_fail_memory(error, name, output.room);
    }
    bool done = unpack(name, &stream, bytes + nbytes, &output, error);
    inflateEnd(&stream);
    if (!done) {
        free(output.text);
        return false;
    }
    *text = output.text;
    *text_nbytes = output.nbytes;
    return true;
}
