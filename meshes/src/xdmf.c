#include "meshes/xdmf.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataset.h"
#include "fail.h"
#include "hdf5_io.h"
#include "meshes/text_file.h"

typedef struct sizes {
    size_t points;
    size_t cells;
} sizes_t;

static bool get_sizes(hid_t file, const char *path, sizes_t *sizes, mesh_error_t *error)
{
    static const struct {
        const char *name;
        meshi_number_t number;
        int rank;
        size_t width;
    } wanted[] = {{"/mesh/points", MESHI_REAL64, 2, 3},
                  {"/mesh/cells", MESHI_INT32, 2, 4},
                  {"/mesh/volumes", MESHI_REAL64, 1, 1},
                  {"/mesh/original", MESHI_INT32, 1, 1}};
    size_t rows[4];
    bool has_mesh;
    if (!meshi_hdf5_find(file, path, "/mesh", &has_mesh, error))
        return false;
    if (!has_mesh)
        return meshi_fail(error, "%s: holds no mesh, only a matrix: nothing to show", path);
    for (size_t i = 0; i < 4; i++) {
        meshi_dataset_t dataset;
        if (!meshi_dataset_open(file, path, wanted[i].name, wanted[i].number, wanted[i].rank,
                                &dataset, error))
            return false;
        rows[i] = dataset.rows;
        size_t width = dataset.width;
        meshi_dataset_close(&dataset);
        if (width != wanted[i].width || (i > 1 && rows[i] != rows[1]))
            return meshi_fail(error, "%s: dataset %s: is %zu x %zu", path, wanted[i].name, rows[i],
                              width);
    }
    *sizes = (sizes_t){rows[0], rows[1]};
    return true;
}

/* Returns the directory of a path that may not exist yet, and cuts the path to its last part. */
static bool split(const char *path, char directory[PATH_MAX], const char **base)
{
    char parent[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - path);
    *base = slash == NULL ? path : slash + 1;
    if (length >= sizeof parent)
        return false;
    memcpy(parent, path, length);
    parent[length] = '\0';
    const char *named = slash == NULL ? "." : length == 0 ? "/" : parent;
    return realpath(named, directory) != NULL;
}

/* How many bytes the character has that begins with this one in UTF-8; 0: none does. XML has no
 * control characters. */
static size_t length_of(unsigned char first)
{
    if (first < 0x20 || first == 0x7f)
        return 0;
    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Whether XML has the character, read from `length` bytes: the shortest way to write it, no half of
 * a pair of UTF-16, none of the two that are no characters. */
static bool is_xml_character(uint32_t character, size_t length)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    return character >= least[length] && character <= 0x10ffff &&
           (character < 0xd800 || character > 0xdfff) && character != 0xfffe && character != 0xffff;
}

static bool is_xml_text(const char *text)
{
    while (*text != '\0') {
        unsigned char first = (unsigned char)*text++;
        size_t length = length_of(first);
        uint32_t character = length > 1 ? first & 0x7fU >> length : first;
        if (length == 0)
            return false;
        for (size_t k = 1; k < length; k++) {
            unsigned char next = (unsigned char)*text++;
            if ((next & 0xc0) != 0x80)
                return false;
            character = character << 6 | (next & 0x3fU);
        }
        if (!is_xml_character(character, length))
            return false;
    }
    return true;
}

static bool get_reference(const char *mesh_path, const char *xdmf_path, char reference[PATH_MAX],
                          mesh_error_t *error)
{
    char mesh_directory[PATH_MAX];
    char xdmf_directory[PATH_MAX];
    const char *mesh_base;
    const char *xdmf_base;
    if (!split(xdmf_path, xdmf_directory, &xdmf_base))
        return meshi_fail(error, "%s: cannot be created: %s", xdmf_path, strerror(errno));
    if (!split(mesh_path, mesh_directory, &mesh_base))
        return meshi_fail(error, "%s: cannot be opened: %s", mesh_path, strerror(errno));
    if (strcmp(mesh_directory, xdmf_directory) == 0)
        snprintf(reference, PATH_MAX, "%s", mesh_base);
    else if (realpath(mesh_path, reference) == NULL)
        return meshi_fail(error, "%s: cannot be opened: %s", mesh_path, strerror(errno));
    if (!is_xml_text(reference))
        return meshi_fail(error, "%s: cannot be named in XML: it has characters that are no text",
                          mesh_path);
    return true;
}

static void put_escaped(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else
            fputc(*text, out);
    }
}

static void put_item(FILE *out, const char *reference, const char *dataset, const char *type,
                     int precision, const char *dimensions)
{
    fprintf(out,
            "        <DataItem Dimensions=\"%s\" NumberType=\"%s\" Precision=\"%d\" "
            "Format=\"HDF\">",
            dimensions, type, precision);
    put_escaped(out, reference);
    fprintf(out, ":%s</DataItem>\n", dataset);
}

static void put_field(FILE *out, const char *name, const char *reference, const char *dataset,
                      const char *type, int precision, size_t cells)
{
    char dimensions[64];
    snprintf(dimensions, sizeof dimensions, "%zu", cells);
    fprintf(out, "      <Attribute Name=\"%s\" AttributeType=\"Scalar\" Center=\"Cell\">\n", name);
    put_item(out, reference, dataset, type, precision, dimensions);
    fprintf(out, "      </Attribute>\n");
}

static void put_grid(FILE *out, const char *reference, sizes_t sizes)
{
    char dimensions[64];
    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<Xdmf Version=\"3.0\">\n"
                 "  <Domain>\n"
                 "    <Grid Name=\"mesh\" GridType=\"Uniform\">\n");
    fprintf(out, "      <Topology TopologyType=\"Tetrahedron\" NumberOfElements=\"%zu\">\n",
            sizes.cells);
    snprintf(dimensions, sizeof dimensions, "%zu 4", sizes.cells);
    put_item(out, reference, "/mesh/cells", "Int", 4, dimensions);
    fprintf(out, "      </Topology>\n"
                 "      <Geometry GeometryType=\"XYZ\">\n");
    snprintf(dimensions, sizeof dimensions, "%zu 3", sizes.points);
    put_item(out, reference, "/mesh/points", "Float", 8, dimensions);
    fprintf(out, "      </Geometry>\n");
    put_field(out, "volume", reference, "/mesh/volumes", "Float", 8, sizes.cells);
    put_field(out, "original cell", reference, "/mesh/original", "Int", 4, sizes.cells);
    fprintf(out, "    </Grid>\n"
                 "  </Domain>\n"
                 "</Xdmf>\n");
}

static bool write_xml(const char *path, const char *reference, sizes_t sizes, mesh_error_t *error)
{
    char *text = NULL;
    size_t nbytes = 0;
    FILE *out = open_memstream(&text, &nbytes);
    if (out == NULL)
        return meshi_fail_memory(error, path, nbytes);
    put_grid(out, reference, sizes);
    bool written = false;
    if (fclose(out) != 0)
        (void)meshi_fail_memory(error, path, nbytes);
    else
        written = mesh_text_file_write(path, text, nbytes, error);
    free(text);
    return written;
}

bool mesh_xdmf_write(const char *mesh_path, const char *xdmf_path, mesh_error_t *error)
{
    hid_t file;
    sizes_t sizes;
    char reference[PATH_MAX];
    if (!meshi_hdf5_open(mesh_path, &file, error))
        return false;
    bool sized = get_sizes(file, mesh_path, &sizes, error);
    H5Fclose(file);
    return sized && get_reference(mesh_path, xdmf_path, reference, error) &&
           write_xml(xdmf_path, reference, sizes, error);
}
