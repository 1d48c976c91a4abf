#include "picture.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "common/large.h"
#include "common/output.h"
#include "field.h"

enum {
    SIDE_MAX = 1000
};

typedef struct image {
    size_t height;
    size_t width;
    /** Row by row; the mean of the points of each pixel. */
    double *values;
} image_t;

/* "Inferno" of Nathaniel Smith and Stefan van der Walt (CC0), at ten places. */
static const unsigned char inferno[][3] = {
    {0x00, 0x00, 0x04}, {0x1b, 0x0c, 0x41}, {0x4a, 0x0c, 0x6b}, {0x78, 0x1c, 0x6d},
    {0xa5, 0x2c, 0x60}, {0xcf, 0x44, 0x46}, {0xed, 0x69, 0x25}, {0xfb, 0x9b, 0x06},
    {0xf7, 0xd1, 0x3d}, {0xfc, 0xff, 0xa4}};

/* `part` from 0 to 1. */
static void colour_of(double part, unsigned char rgb[3])
{
    const size_t last = sizeof inferno / sizeof inferno[0] - 1;
    double place = part * (double)last;
    size_t i = (size_t)place < last ? (size_t)place : last - 1;
    double beyond = place - (double)i;
    for (int c = 0; c < 3; c++)
        rgb[c] = (unsigned char)(0.5 + (1.0 - beyond) * inferno[i][c] + beyond * inferno[i + 1][c]);
}

/* The pixel that point `i` of `count` falls into. */
static size_t pixel_of(size_t i, size_t count, size_t pixels)
{
    return i * pixels / count;
}

/* Points that fall into a pixel. */
static size_t points_of(size_t pixel, size_t count, size_t pixels)
{
    size_t first = (pixel * count + pixels - 1) / pixels;
    size_t next = ((pixel + 1) * count + pixels - 1) / pixels;
    return next - first;
}

static void add_rows(const heat_shape_t *shape, size_t first, size_t count, const double *rows,
                     image_t *image)
{
    for (size_t i = 0; i < count; i++) {
        size_t y = pixel_of(first + i, shape->M, image->height);
        for (size_t k = 0; k < shape->N; k++)
            image->values[y * image->width + pixel_of(k, shape->N, image->width)] +=
                rows[i * shape->N + k];
    }
}

/* Pixels of a side of `points`, whose longer side has `longest`. */
static size_t side_of(size_t points, size_t longest)
{
    if (longest <= SIDE_MAX)
        return points;
    size_t side = points * SIDE_MAX / longest;
    return side > 0 ? side : 1;
}

static image_t shrink(const heat_problem_t *problem)
{
    const heat_shape_t *shape = &problem->shape;
    size_t longest = shape->M > shape->N ? shape->M : shape->N;
    image_t image = {
        .height = side_of(shape->M, longest),
        .width = side_of(shape->N, longest),
    };
    size_t pixels = image.height * image.width;
    size_t band = heat_band_rows(shape);
    image.values = common_alloc("picture", pixels, sizeof *image.values);
    memset(image.values, 0, pixels * sizeof *image.values);
    double *rows = common_alloc("picture: rows", band * shape->N, sizeof *rows);
    for (size_t first = 0; first < shape->M; first += band) {
        size_t count = shape->M - first < band ? shape->M - first : band;
        heat_field_get(problem, first, count, rows);
        add_rows(shape, first, count, rows, &image);
    }
    free(rows);
    for (size_t y = 0; y < image.height; y++)
        for (size_t x = 0; x < image.width; x++)
            image.values[y * image.width + x] /= (double)(points_of(y, shape->M, image.height) *
                                                          points_of(x, shape->N, image.width));
    return image;
}

static unsigned char *paint(const image_t *image)
{
    size_t pixels = image->height * image->width;
    unsigned char *rgb = common_alloc("picture", pixels, 3);
    double coldest = image->values[0];
    double hottest = image->values[0];
    for (size_t p = 0; p < pixels; p++) {
        coldest = image->values[p] < coldest ? image->values[p] : coldest;
        hottest = image->values[p] > hottest ? image->values[p] : hottest;
    }
    double range = hottest > coldest ? hottest - coldest : 1.0;
    for (size_t p = 0; p < pixels; p++)
        colour_of((image->values[p] - coldest) / range, &rgb[3 * p]);
    return rgb;
}

typedef struct painting {
    const image_t *image;
    const unsigned char *rgb;
} painting_t;

static bool write_png(const char *path, const void *content)
{
    const painting_t *painting = content;
    png_image description = {
        .version = PNG_IMAGE_VERSION,
        .width = (png_uint_32)painting->image->width,
        .height = (png_uint_32)painting->image->height,
        .format = PNG_FORMAT_RGB,
    };
    return png_image_write_to_file(&description, path, 0, painting->rgb, 0, NULL) != 0;
}

static void write_picture(const char *path, const heat_problem_t *problem)
{
    image_t image = shrink(problem);
    unsigned char *rgb = paint(&image);
    common_output_write("--picture", path, write_png, &(painting_t){&image, rgb});
    free(rgb);
    free(image.values);
}

void heat_picture_write(const char *path, const heat_problem_t *problem)
{
    if (pgas_mythread() == 0)
        write_picture(path, problem);
    pgas_barrier();
}
