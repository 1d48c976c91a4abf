#include "meshes/ventricle.h"

#include <math.h>
#include <stdint.h>

#include "fail.h"
#include "memory.h"
#include "plc.h"

const mesh_ventricle_t mesh_ventricle_default = {
    .outer_radius = 3.5,
    .outer_height = 8.5,
    .inner_radius = 2.5,
    .inner_height = 7.5,
    .cut = 2.5,
};

enum {
    RUNS_MAX = 12
};

static const double tolerance = 0.1;

/* Later runs may have a volume limit up to this much larger or smaller than the first. */
static const double limit_range = 16.0;

/* Mean over largest allowed volume of tetgen's cells: a fit of what was measured from 10^3 to
 * 7 * 10^6 cells. The part that falls with the number is the cells at the surface. */
static double fill_ratio(size_t cells)
{
    return 0.505 + 2.2 / cbrt((double)cells);
}

/* The volume of a solid of revolution with r^2 = radius^2 (1 - z^2 / height^2), from z = -height to
 * cut. */
static double cup_volume(double radius, double height, double cut)
{
    double ratio = cut / height;
    return M_PI * radius * radius * height * (2.0 / 3.0 + ratio - ratio * ratio * ratio / 3.0);
}

double mesh_ventricle_volume(const mesh_ventricle_t *shape)
{
    return cup_volume(shape->outer_radius, shape->outer_height, shape->cut) -
           cup_volume(shape->inner_radius, shape->inner_height, shape->cut);
}

static bool check_shape(const mesh_ventricle_t *shape, mesh_error_t *error)
{
    if (!(shape->inner_radius > 0.0 && shape->inner_radius < shape->outer_radius &&
          shape->inner_height > 0.0 && shape->inner_height < shape->outer_height))
        return meshi_fail(error,
                          "the inner half axes (%g, %g cm) are not inside the outer ones (%g, %g "
                          "cm): --inner-radius, --inner-height, --outer-radius, --outer-height",
                          shape->inner_radius, shape->inner_height, shape->outer_radius,
                          shape->outer_height);
    if (!(fabs(shape->cut) <= 0.95 * shape->inner_height))
        return meshi_fail(error,
                          "the base at %g cm is not within 95 %% of the inner height %g cm: "
                          "--cut",
                          shape->cut, shape->inner_height);
    if (!(mesh_ventricle_volume(shape) > 0.0))
        return meshi_fail(error,
                          "the wall between the half axes (%.17g, %.17g cm) and (%.17g, %.17g cm) "
                          "has no volume: --inner-radius, --inner-height",
                          shape->inner_radius, shape->inner_height, shape->outer_radius,
                          shape->outer_height);
    return true;
}

/* The edge of a regular tetrahedron with the given volume. */
static double edge_of(double volume)
{
    return cbrt(6.0 * M_SQRT2 * volume);
}

/* Volume limits that gave too few and too many cells; each run narrows them. */
typedef struct bracket {
    double too_few;
    double too_many;
} bracket_t;

/* The number of cells falls with the limit, not quite in proportion: few cells span a coarse
 * wall. */
static double next_limit(bracket_t *bracket, double limit, size_t reached, size_t wanted)
{
    if (reached > wanted)
        bracket->too_many = limit;
    else
        bracket->too_few = limit;
    double next = limit * (double)reached / (double)wanted;
    if (next > bracket->too_many && next < bracket->too_few)
        return next;
    return sqrt(bracket->too_many * bracket->too_few);
}

/* tetgen keeps the triangles of the surface, and a cell has four faces. Where a later run has fewer
 * triangles, its edges are at most limit_range^(1/3) times as long. */
static bool check_surface(const mesh_ventricle_t *shape, size_t cells, double edge,
                          mesh_error_t *error)
{
    double triangles = meshi_plc_triangles(shape, edge);
    double most = 4.0 * (1.0 + tolerance) * (double)cells * cbrt(limit_range * limit_range);
    /* Half as many points. */
    double nbytes = triangles * (3.0 * sizeof(int32_t) + 1.5 * sizeof(double));
    if (triangles <= fmin(most, INT32_MAX) && meshi_memory_exists((size_t)nbytes))
        return true;
    return meshi_fail(error,
                      "the wall is too thin for %zu cells: they would be %.3g cm across, and its "
                      "surface alone has %.3g triangles of that size: --inner-radius, "
                      "--inner-height, --cells",
                      cells, edge, triangles);
}

static bool make_once(const mesh_ventricle_t *shape, size_t cells, const char *tetgen,
                      const mesh_progress_t *progress, mesh_geometry_t *mesh,
                      mesh_ventricle_report_t *made, mesh_error_t *error)
{
    meshi_plc_t plc;
    made->edge = edge_of(made->volume_limit * fill_ratio(cells));
    made->runs++;
    if (!check_surface(shape, cells, made->edge, error))
        return false;
    if (!meshi_plc_ventricle(shape, made->edge, &plc, error))
        return false;
    bool done = meshi_tetgen_run(tetgen, &plc, made->volume_limit, progress, mesh, error);
    meshi_plc_free(&plc);
    return done;
}

bool mesh_ventricle_make(const mesh_ventricle_t *shape, size_t cells, const char *tetgen,
                         const mesh_progress_t *progress, mesh_geometry_t *mesh,
                         mesh_ventricle_report_t *report, mesh_error_t *error)
{
    if (!check_shape(shape, error))
        return false;
    double volume = mesh_ventricle_volume(shape);
    double start = volume / (double)cells / fill_ratio(cells);
    mesh_ventricle_report_t made = {.volume_limit = start};
    bracket_t bracket = {.too_few = limit_range * start, .too_many = start / limit_range};
    size_t reached = 0;
    while (made.runs < RUNS_MAX) {
        mesh_geometry_t filled;
        if (!make_once(shape, cells, tetgen, progress, &filled, &made, error))
            return false;
        reached = filled.cells;
        if (fabs((double)reached - (double)cells) <= tolerance * (double)cells) {
            *mesh = filled;
            *report = made;
            return true;
        }
        mesh_geometry_free(&filled);
        made.volume_limit = next_limit(&bracket, made.volume_limit, reached, cells);
    }
    return meshi_fail(error, "tetgen made %zu cells where %zu were wanted, after %zu runs: --cells",
                      reached, cells, made.runs);
}
