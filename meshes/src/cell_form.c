#include "cell_form.h"

#include <math.h>
#include <string.h>

/* Directions in which the neighbours spread less than this part of the largest spread (squared)
 * do not enter the gradient. */
static const double spread_min = 1e-3;

/* The correction is reduced where it would leave less than this part of the energy. */
static const double energy_margin = 0.1;

/* Jacobi rotations, three to a sweep; six sweeps reach rounding. */
enum {
    TURNS = 18
};

/* The parts of a form; index k runs over the neighbours. */
typedef struct stencil {
    size_t count;
    double volume;
    double d[4][3]; /* from the cell's centroid to the neighbour's */
    double g[4][3]; /* the gradient is the sum of g[k] u[k] */
    double flux[4][3]; /* area vector of the face times the neighbour's part in its value */
    double boundary[3][3]; /* sum over boundary faces of area vector times offset */
} stencil_t;

/* The two parts of a form. */
typedef struct parts {
    size_t count;
    double energy[4][4]; /* symmetric, positive semi-definite */
    double correction[4][4]; /* makes the whole exact for linear fields */
} parts_t;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Area vector of face k, outward, and the face's centroid. */
static void get_face(const mesh_geometry_t *mesh, size_t cell, size_t k, double area[3],
                     double centre[3])
{
    static const size_t face_corners[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    const double *p[3];
    double e[2][3];
    for (size_t l = 0; l < 3; l++)
        p[l] = mesh->xyz + 3 * (size_t)mesh->corners[4 * cell + face_corners[k][l]];
    for (size_t d = 0; d < 3; d++) {
        e[0][d] = p[1][d] - p[0][d];
        e[1][d] = p[2][d] - p[0][d];
        centre[d] = (p[0][d] + p[1][d] + p[2][d]) / 3.0;
    }
    for (size_t d = 0; d < 3; d++) {
        size_t d1 = (d + 1) % 3;
        size_t d2 = (d + 2) % 3;
        area[d] = 0.5 * (e[0][d1] * e[1][d2] - e[0][d2] * e[1][d1]);
    }
}

static void add_neighbour(stencil_t *stencil, const double area[3], const double offset[3],
                          const double d[3])
{
    size_t k = stencil->count++;
    double weight = dot(offset, area) / dot(d, area);
    for (size_t c = 0; c < 3; c++) {
        stencil->d[k][c] = d[c];
        stencil->flux[k][c] = weight * area[c];
    }
}

static void add_boundary(stencil_t *stencil, const double area[3], const double offset[3])
{
    for (size_t a = 0; a < 3; a++)
        for (size_t b = 0; b < 3; b++)
            stencil->boundary[a][b] += area[a] * offset[b];
}

static void get_stencil(const mesh_geometry_t *mesh, const double *centroids, size_t cell,
                        stencil_t *stencil, size_t cells[4])
{
    const double *x = centroids + 3 * cell;
    memset(stencil, 0, sizeof *stencil);
    stencil->volume = mesh->volumes[cell];
    for (size_t k = 0; k < 4; k++) {
        double area[3];
        double offset[3];
        double d[3];
        int32_t neighbour = mesh->neighbours[4 * cell + k];
        get_face(mesh, cell, k, area, offset);
        for (size_t c = 0; c < 3; c++)
            offset[c] -= x[c];
        if (neighbour < 0) {
            add_boundary(stencil, area, offset);
            continue;
        }
        for (size_t c = 0; c < 3; c++)
            d[c] = centroids[3 * (size_t)neighbour + c] - x[c];
        cells[stencil->count] = (size_t)neighbour;
        add_neighbour(stencil, area, offset, d);
    }
}

/* Eigenvalues on the diagonal of m, eigenvectors in the columns of v, by Jacobi rotations. */
static void diagonalise(double m[3][3], double v[3][3])
{
    static const size_t pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    for (size_t a = 0; a < 3; a++)
        for (size_t b = 0; b < 3; b++)
            v[a][b] = a == b;
    for (size_t turn = 0; turn < TURNS; turn++) {
        size_t p = pairs[turn % 3][0];
        size_t q = pairs[turn % 3][1];
        if (m[p][q] == 0.0)
            continue;
        double theta = 0.5 * atan2(2.0 * m[p][q], m[q][q] - m[p][p]);
        double c = cos(theta);
        double s = sin(theta);
        for (size_t k = 0; k < 3; k++) {
            double mkp = m[k][p];
            double mkq = m[k][q];
            m[k][p] = c * mkp - s * mkq;
            m[k][q] = s * mkp + c * mkq;
            double vkp = v[k][p];
            double vkq = v[k][q];
            v[k][p] = c * vkp - s * vkq;
            v[k][q] = s * vkp + c * vkq;
        }
        for (size_t k = 0; k < 3; k++) {
            double mpk = m[p][k];
            double mqk = m[q][k];
            m[p][k] = c * mpk - s * mqk;
            m[q][k] = s * mpk + c * mqk;
        }
    }
}

/* Least squares with weights 1 / |d|^2 through the pseudo-inverse of the moment matrix. Whether the
 * gradient is exact for linear fields: no direction is left out. */
static bool get_gradient(stencil_t *stencil)
{
    double moment[3][3] = {{0.0}};
    double axes[3][3];
    size_t directions = 0;
    for (size_t k = 0; k < stencil->count; k++) {
        double weight = 1.0 / dot(stencil->d[k], stencil->d[k]);
        for (size_t a = 0; a < 3; a++)
            for (size_t b = 0; b < 3; b++)
                moment[a][b] += weight * stencil->d[k][a] * stencil->d[k][b];
    }
    diagonalise(moment, axes);
    double largest = fmax(moment[0][0], fmax(moment[1][1], moment[2][2]));
    for (size_t a = 0; a < 3; a++) {
        if (moment[a][a] <= spread_min * largest)
            continue;
        directions++;
        double axis[3] = {axes[0][a], axes[1][a], axes[2][a]};
        for (size_t k = 0; k < stencil->count; k++) {
            double weight = 1.0 / dot(stencil->d[k], stencil->d[k]);
            double part = weight * dot(axis, stencil->d[k]) / moment[a][a];
            for (size_t c = 0; c < 3; c++)
                stencil->g[k][c] += part * axis[c];
        }
    }
    return directions == 3;
}

static void get_energy(const stencil_t *stencil, double energy[4][4])
{
    size_t n = stencil->count;
    for (size_t a = 0; a < n; a++)
        for (size_t b = a; b < n; b++) {
            double sum = stencil->volume * dot(stencil->g[a], stencil->g[b]);
            for (size_t k = 0; k < n; k++) {
                const double *d = stencil->d[k];
                double ra = (a == k) - dot(d, stencil->g[a]);
                double rb = (b == k) - dot(d, stencil->g[b]);
                sum += stencil->volume / dot(d, d) * ra * rb;
            }
            energy[a][b] = sum;
            energy[b][a] = sum;
        }
}

static void get_correction(const stencil_t *stencil, double correction[4][4])
{
    for (size_t a = 0; a < stencil->count; a++) {
        double excess[3];
        for (size_t c = 0; c < 3; c++)
            excess[c] = stencil->flux[a][c] + dot(stencil->boundary[c], stencil->g[a]) -
                        stencil->volume * stencil->g[a][c];
        for (size_t b = 0; b < stencil->count; b++)
            correction[a][b] = dot(excess, stencil->g[b]);
    }
}

static bool factorise(double m[4][4], size_t n, double l[4][4])
{
    for (size_t j = 0; j < n; j++) {
        double pivot = m[j][j];
        for (size_t k = 0; k < j; k++)
            pivot -= l[j][k] * l[j][k];
        if (!(pivot > 1e-12 * m[j][j]))
            return false;
        l[j][j] = sqrt(pivot);
        for (size_t i = j + 1; i < n; i++) {
            double sum = m[i][j];
            for (size_t k = 0; k < j; k++)
                sum -= l[i][k] * l[j][k];
            l[i][j] = sum / l[j][j];
        }
    }
    return true;
}

/* Whether energy + scale * correction is at least margin * energy as a quadratic form; if so, the
 * factors of the symmetric part of the sum are left in l. */
static bool is_coercive(const parts_t *parts, double scale, double margin, double l[4][4])
{
    size_t n = parts->count;
    double m[4][4];
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            m[a][b] = (1.0 - margin) * parts->energy[a][b] +
                      0.5 * scale * (parts->correction[a][b] + parts->correction[b][a]);
    return factorise(m, n, l);
}

/* The largest scale in [0, 1], to 1/256, that keeps the form coercive. */
static double find_scale(const parts_t *parts)
{
    double l[4][4];
    double good = 0.0;
    double bad = 1.0;
    if (is_coercive(parts, 1.0, energy_margin, l))
        return 1.0;
    for (size_t k = 0; k < 8; k++) {
        double scale = 0.5 * (good + bad);
        if (is_coercive(parts, scale, energy_margin, l))
            good = scale;
        else
            bad = scale;
    }
    return good;
}

/* With l l^T = S the bound is q^T q / 2 for q = l^-1 b^T. */
static void get_bound(double l[4][4], meshi_cell_form_t *form)
{
    size_t n = form->neighbours;
    double q[4][4];
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            q[a][b] = form->entries[b][a];
            for (size_t k = 0; k < a; k++)
                q[a][b] -= l[a][k] * q[k][b];
            q[a][b] /= l[a][a];
        }
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            for (size_t k = 0; k < n; k++)
                form->bound[a][b] += 0.5 * q[k][a] * q[k][b];
}

/* Energy and as much of the correction as is possible. Without any, b = S, and the bound is S / 2;
 * so it is where even the energy is too flat to be factorised. */
static void add_up(const parts_t *parts, meshi_cell_form_t *form)
{
    double l[4][4] = {{0.0}};
    double scale = find_scale(parts);
    bool definite = is_coercive(parts, scale, 0.0, l);
    if (!definite)
        scale = 0.0;
    if (scale < 1.0)
        form->exact = false;
    for (size_t a = 0; a < parts->count; a++)
        for (size_t b = 0; b < parts->count; b++) {
            form->entries[a][b] = parts->energy[a][b] + scale * parts->correction[a][b];
            form->bound[a][b] = definite ? 0.0 : 0.5 * form->entries[a][b];
        }
    if (definite)
        get_bound(l, form);
}

void meshi_cell_form(const mesh_geometry_t *mesh, const double *centroids, size_t cell,
                     meshi_cell_form_t *form)
{
    stencil_t stencil;
    memset(form, 0, sizeof *form);
    get_stencil(mesh, centroids, cell, &stencil, form->cells);
    form->neighbours = stencil.count;
    if (stencil.count == 0)
        return;
    parts_t parts = {.count = stencil.count};
    form->exact = get_gradient(&stencil);
    get_energy(&stencil, parts.energy);
    get_correction(&stencil, parts.correction);
    add_up(&parts, form);
}
