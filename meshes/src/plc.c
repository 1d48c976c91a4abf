/* The boundary is three sheets, the outer wall, the base and the inner wall, each a sequence of
 * rings around the axis. Neighbouring sheets share a ring, so the surface is closed. */
#include "plc.h"

#include <math.h>
#include <stdlib.h>

#include "fail.h"

enum {
    ARC_STEPS = 4096,
    RING_POINTS_MIN = 6
};

typedef struct ring {
    size_t first;
    size_t points;
    double turn; /* angle of its first point, in steps of this ring */
} ring_t;

/* The surface in memory that grows by doubling. */
typedef struct builder {
    meshi_plc_t plc;
    size_t points_room;
    size_t triangles_room;
    bool failed;
} builder_t;

static void add_point(builder_t *builder, double x, double y, double z)
{
    meshi_plc_t *plc = &builder->plc;
    if (plc->points == builder->points_room) {
        size_t room = 2 * builder->points_room + 1024;
        double *xyz = realloc(plc->xyz, 3 * room * sizeof *xyz);
        if (xyz == NULL) {
            builder->failed = true;
            return;
        }
        plc->xyz = xyz;
        builder->points_room = room;
    }
    double *point = plc->xyz + 3 * plc->points++;
    point[0] = x;
    point[1] = y;
    point[2] = z;
}

static void add_triangle(builder_t *builder, size_t a, size_t b, size_t c)
{
    meshi_plc_t *plc = &builder->plc;
    if (plc->triangles == builder->triangles_room) {
        size_t room = 2 * builder->triangles_room + 1024;
        int32_t *corners = realloc(plc->corners, 3 * room * sizeof *corners);
        if (corners == NULL) {
            builder->failed = true;
            return;
        }
        plc->corners = corners;
        builder->triangles_room = room;
    }
    int32_t *triangle = plc->corners + 3 * plc->triangles++;
    triangle[0] = (int32_t)a;
    triangle[1] = (int32_t)b;
    triangle[2] = (int32_t)c;
}

static ring_t add_ring(builder_t *builder, double radius, double z, double edge, bool turned)
{
    double round = 2.0 * M_PI * radius / edge;
    ring_t ring = {builder->plc.points, RING_POINTS_MIN, turned ? 0.5 : 0.0};
    if (round > RING_POINTS_MIN)
        ring.points = (size_t)lround(round);
    for (size_t i = 0; i < ring.points; i++) {
        double angle = 2.0 * M_PI * ((double)i + ring.turn) / (double)ring.points;
        add_point(builder, radius * cos(angle), radius * sin(angle), z);
    }
    return ring;
}

static ring_t add_apex(builder_t *builder, double z)
{
    ring_t ring = {builder->plc.points, 1, 0.0};
    add_point(builder, 0.0, 0.0, z);
    return ring;
}

static double ring_angle(const ring_t *ring, size_t i)
{
    return ((double)i + ring->turn) / (double)ring->points;
}

/* Adds triangles between two rings: goes round both, always on the one that lags behind. */
static void join_rings(builder_t *builder, const ring_t *a, const ring_t *b)
{
    size_t i = 0;
    size_t j = 0;
    size_t a_steps = a->points > 1 ? a->points : 0;
    size_t b_steps = b->points > 1 ? b->points : 0;
    while (i < a_steps || j < b_steps) {
        size_t a_point = a->first + i % a->points;
        size_t b_point = b->first + j % b->points;
        if (j == b_steps || (i < a_steps && ring_angle(a, i + 1) <= ring_angle(b, j + 1))) {
            i++;
            add_triangle(builder, a_point, a->first + i % a->points, b_point);
        } else {
            j++;
            add_triangle(builder, a_point, b->first + j % b->points, b_point);
        }
    }
}

/* Arc length of the meridian (radius sin t, -height cos t) at ARC_STEPS + 1 equidistant t. */
static void measure_meridian(double radius, double height, double last, double *length)
{
    double r = 0.0;
    double z = -height;
    length[0] = 0.0;
    for (size_t k = 1; k <= ARC_STEPS; k++) {
        double t = last * (double)k / ARC_STEPS;
        double r_next = radius * sin(t);
        double z_next = -height * cos(t);
        length[k] = length[k - 1] + hypot(r_next - r, z_next - z);
        r = r_next;
        z = z_next;
    }
}

/* Of one wall from its apex to the cut. */
static double wall_area(double radius, double height, double cut)
{
    double length[ARC_STEPS + 1];
    double last = acos(-cut / height);
    double area = 0.0;
    measure_meridian(radius, height, last, length);
    for (size_t k = 1; k <= ARC_STEPS; k++) {
        double middle = radius * sin(last * ((double)k - 0.5) / ARC_STEPS);
        area += 2.0 * M_PI * middle * (length[k] - length[k - 1]);
    }
    return area;
}

/* Two triangles fill a square with edges along the rings and across. */
double meshi_plc_triangles(const mesh_ventricle_t *shape, double edge)
{
    return 2.0 / (edge * edge) *
           (wall_area(shape->outer_radius, shape->outer_height, shape->cut) +
            wall_area(shape->inner_radius, shape->inner_height, shape->cut));
}

/* One wall from its apex to the cut; returns the ring at the cut. */
static ring_t add_wall(builder_t *builder, double radius, double height, double cut, double edge)
{
    double length[ARC_STEPS + 1];
    double last = acos(-cut / height);
    measure_meridian(radius, height, last, length);
    size_t rings = 2;
    if (length[ARC_STEPS] > 2.5 * edge)
        rings = (size_t)lround(length[ARC_STEPS] / edge);
    ring_t below = add_apex(builder, -height);
    size_t step = 0;
    for (size_t k = 1; k <= rings && !builder->failed; k++) {
        double wanted = length[ARC_STEPS] * (double)k / (double)rings;
        while (step + 1 < ARC_STEPS && length[step + 1] < wanted)
            step++;
        double part = (wanted - length[step]) / (length[step + 1] - length[step]);
        double t = k < rings ? last * ((double)step + part) / ARC_STEPS : last;
        double z = k < rings ? -height * cos(t) : cut;
        ring_t ring = add_ring(builder, radius * sin(t), z, edge, k % 2 == 0);
        join_rings(builder, &below, &ring);
        below = ring;
    }
    return below;
}

static void add_base(builder_t *builder, const ring_t *inner, const ring_t *outer, double cut,
                     double edge)
{
    const double *in = builder->plc.xyz + 3 * inner->first;
    const double *out = builder->plc.xyz + 3 * outer->first;
    double from = hypot(in[0], in[1]);
    double to = hypot(out[0], out[1]);
    size_t rings = (size_t)lround(fmax(1.0, (to - from) / edge));
    ring_t below = *inner;
    for (size_t k = 1; k < rings && !builder->failed; k++) {
        double radius = from + (to - from) * (double)k / (double)rings;
        ring_t ring = add_ring(builder, radius, cut, edge, below.turn == 0.0);
        join_rings(builder, &below, &ring);
        below = ring;
    }
    join_rings(builder, &below, outer);
}

bool meshi_plc_ventricle(const mesh_ventricle_t *shape, double edge, meshi_plc_t *plc,
                         mesh_error_t *error)
{
    builder_t builder = {0};
    ring_t outer = add_wall(&builder, shape->outer_radius, shape->outer_height, shape->cut, edge);
    ring_t inner = add_wall(&builder, shape->inner_radius, shape->inner_height, shape->cut, edge);
    if (!builder.failed)
        add_base(&builder, &inner, &outer, shape->cut, edge);
    if (builder.failed) {
        meshi_plc_free(&builder.plc);
        return meshi_fail_memory(error, "the surface of the ventricle",
                                 24 * builder.points_room + 12 * builder.triangles_room);
    }
    *plc = builder.plc;
    return true;
}

void meshi_plc_free(meshi_plc_t *plc)
{
    free(plc->corners);
    free(plc->xyz);
    *plc = (meshi_plc_t){0};
}
