/* Makes of a checkpoint one that is whole and wrong. usage: change_checkpoint FILE WHAT */
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

static void set_infinite(hid_t file)
{
    const double value = INFINITY;
    const hsize_t at[2] = {1, 1};
    const hsize_t one[2] = {1, 1};
    hid_t field = H5Dopen2(file, "phi", H5P_DEFAULT);
    hid_t in_file = H5Dget_space(field);
    hid_t in_memory = H5Screate_simple(2, one, NULL);
    CHECK(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, at, NULL, one, NULL) >= 0);
    CHECK(H5Dwrite(field, H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, &value) >= 0);
    H5Sclose(in_memory);
    H5Sclose(in_file);
    H5Dclose(field);
}

/* The field is somewhere else, by whatever link. */
static void link_field(hid_t file, const char *what)
{
    CHECK(H5Lmove(file, "phi", file, "other", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    if (strcmp(what, "soft") == 0)
        CHECK(H5Lcreate_soft("/other", file, "phi", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    else
        CHECK(H5Lcreate_external("field.h5", "/phi", file, "phi", H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

/* The values lie in a file without a format. */
static void make_external(hid_t file)
{
    hsize_t extent[2];
    hid_t field = H5Dopen2(file, "phi", H5P_DEFAULT);
    hid_t space = H5Dget_space(field);
    CHECK(H5Sget_simple_extent_dims(space, extent, NULL) == 2);
    H5Dclose(field);
    CHECK(H5Ldelete(file, "phi", H5P_DEFAULT) >= 0);
    hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    CHECK(H5Pset_external(layout, "/dev/zero", 0, extent[0] * extent[1] * sizeof(double)) >= 0);
    field = H5Dcreate2(file, "phi", H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    CHECK(field >= 0);
    H5Pclose(layout);
    H5Sclose(space);
    H5Dclose(field);
}

static void set_fraction(hid_t file)
{
    const double value = 7.5;
    hid_t space = H5Screate(H5S_SCALAR);
    CHECK(H5Adelete(file, "step") >= 0);
    hid_t step = H5Acreate2(file, "step", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(step >= 0 && H5Awrite(step, H5T_NATIVE_DOUBLE, &value) >= 0);
    H5Aclose(step);
    H5Sclose(space);
}

/* A name that is many names, more than a reader of one has room for. */
static void set_names(hid_t file)
{
    static const char names[1000][32] = {"fathom-heat2d-checkpoint"};
    const hsize_t count = 1000;
    hid_t format = H5Aopen(file, "format", H5P_DEFAULT);
    hid_t type = H5Aget_type(format);
    CHECK(H5Tget_size(type) == sizeof names[0]);
    H5Aclose(format);
    CHECK(H5Adelete(file, "format") >= 0);
    hid_t space = H5Screate_simple(1, &count, NULL);
    format = H5Acreate2(file, "format", type, space, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(format >= 0 && H5Awrite(format, type, names) >= 0);
    H5Aclose(format);
    H5Sclose(space);
    H5Tclose(type);
}

/* A field as it was, but never written. */
static void unwrite(hid_t file)
{
    hid_t field = H5Dopen2(file, "phi", H5P_DEFAULT);
    hid_t space = H5Dget_space(field);
    hid_t creation = H5Dget_create_plist(field);
    H5Dclose(field);
    CHECK(H5Ldelete(file, "phi", H5P_DEFAULT) >= 0);
    field = H5Dcreate2(file, "phi", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    CHECK(field >= 0);
    H5Pclose(creation);
    H5Sclose(space);
    H5Dclose(field);
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    hid_t file = H5Fopen(argv[1], H5F_ACC_RDWR, H5P_DEFAULT);
    CHECK(file >= 0);
    if (strcmp(argv[2], "infinite") == 0)
        set_infinite(file);
    else if (strcmp(argv[2], "external") == 0)
        make_external(file);
    else if (strcmp(argv[2], "fraction") == 0)
        set_fraction(file);
    else if (strcmp(argv[2], "names") == 0)
        set_names(file);
    else if (strcmp(argv[2], "unwritten") == 0)
        unwrite(file);
    else
        link_field(file, argv[2]);
    CHECK(H5Fclose(file) >= 0);
    return 0;
}
