#include "sections.h"

/* Rows down and columns to the right; 2 j and 2 j + 1 are opposite to each other. */
static const struct {
    int rows;
    int cols;
} steps_to[HEAT_DIRECTIONS] = {{0, -1},  {0, 1}, {-1, 0}, {1, 0},
                               {-1, -1}, {1, 1}, {-1, 1}, {1, -1}};

/* First row (or column) of the halo, and of what a neighbour needs, in a block of `length`. */
static ptrdiff_t first_of_halo(int step, size_t length, size_t depth)
{
    return step < 0 ? -(ptrdiff_t)depth : step > 0 ? (ptrdiff_t)length : 0;
}

static ptrdiff_t first_of_own(int step, size_t length, size_t depth)
{
    return step > 0 ? (ptrdiff_t)(length - depth) : 0;
}

static heat_section_t section_of(const heat_problem_t *problem, int direction, int thread)
{
    int rows = steps_to[direction].rows;
    int cols = steps_to[direction].cols;
    size_t depth = problem->shape.depth;
    const heat_block_t *mine = &problem->mine;
    heat_block_t theirs = heat_block_of(&problem->shape, thread);
    return (heat_section_t){
        .thread = thread,
        .block = theirs,
        .direction = direction,
        .opposite = direction ^ 1,
        .rows = rows == 0 ? mine->rows : depth,
        .cols = cols == 0 ? mine->cols : depth,
        .halo_row = first_of_halo(rows, mine->rows, depth),
        .halo_col = first_of_halo(cols, mine->cols, depth),
        .own_row = first_of_own(rows, mine->rows, depth),
        .own_col = first_of_own(cols, mine->cols, depth),
        .their_row = first_of_own(-rows, theirs.rows, depth),
        .their_col = first_of_own(-cols, theirs.cols, depth),
    };
}

void heat_sections_find(const heat_problem_t *problem, heat_sections_t *sections)
{
    int directions = problem->shape.depth > 1 ? HEAT_DIRECTIONS : HEAT_DIRECTIONS / 2;
    sections->count = 0;
    for (int d = 0; d < directions; d++) {
        int thread = heat_neighbour(&problem->shape, steps_to[d].rows, steps_to[d].cols);
        if (thread >= 0)
            sections->of[sections->count++] = section_of(problem, d, thread);
    }
}

void heat_section_pack(const heat_problem_t *problem, const heat_section_t *section, double *buffer)
{
    ptrdiff_t pitch = (ptrdiff_t)problem->mine.pitch;
    const double *own = problem->field[problem->now] + section->own_row * pitch + section->own_col;
    for (size_t i = 0; i < section->rows; i++)
        for (size_t k = 0; k < section->cols; k++)
            buffer[i * section->cols + k] = own[i * (size_t)pitch + k];
}

void heat_section_unpack(const heat_problem_t *problem, const heat_section_t *section,
                         const double *buffer)
{
    ptrdiff_t pitch = (ptrdiff_t)problem->mine.pitch;
    double *halo = problem->field[problem->now] + section->halo_row * pitch + section->halo_col;
    for (size_t i = 0; i < section->rows; i++)
        for (size_t k = 0; k < section->cols; k++)
            halo[i * (size_t)pitch + k] = buffer[i * section->cols + k];
}

static void add_operation(pgas_traffic_t *traffic, size_t nbytes)
{
    traffic->operations++;
    traffic->bytes += nbytes;
}

pgas_stats_t heat_traffic(const heat_problem_t *problem, pgas_mode_t mode,
                          pgas_direction_t direction)
{
    heat_sections_t sections;
    pgas_stats_t stats = {0};
    heat_sections_find(problem, &sections);
    for (int s = 0; s < sections.count; s++) {
        pgas_place_t place = pgas_place_of(sections.of[s].thread);
        add_operation(&stats.traffic[place][mode][direction], heat_section_bytes(&sections.of[s]));
        if (direction == PGAS_TO)
            add_operation(&stats.traffic[place][PGAS_MODE_SIGNAL][PGAS_TO], sizeof(pgas_signal_t));
    }
    return stats;
}

/* Slots have the size that the largest block needs, rounded up to whole cache lines. */
void heat_buffers_create(const heat_problem_t *problem, heat_buffers_t *buffers)
{
    size_t depth = problem->shape.depth;
    size_t rows = 0;
    size_t cols = 0;
    for (int thread = 0; thread < pgas_threads(); thread++) {
        heat_block_t block = heat_block_of(&problem->shape, thread);
        rows = block.rows > rows ? block.rows : rows;
        cols = block.cols > cols ? block.cols : cols;
    }
    buffers->at[0] = 0;
    for (int d = 0; d < HEAT_DIRECTIONS; d++) {
        size_t points =
            (steps_to[d].rows == 0 ? rows : depth) * (steps_to[d].cols == 0 ? cols : depth);
        buffers->at[d + 1] = buffers->at[d] + (points * sizeof(double) / 64 + 1) * 64;
    }
    if (pgas_all_alloc((size_t)pgas_threads(), 2 * buffers->at[HEAT_DIRECTIONS], &buffers->first) !=
        PGAS_OK) {
        if (pgas_mythread() == 0)
            pgas_exit(1);
        pgas_barrier(); /* meanwhile thread 0 ends the job */
    }
}

void heat_buffers_free(heat_buffers_t *buffers)
{
    pgas_all_free(buffers->first);
}

pgas_ptr_t heat_buffer_at(const heat_buffers_t *buffers, int thread, int direction, size_t turn)
{
    size_t place = turn % 2 * buffers->at[HEAT_DIRECTIONS] + buffers->at[direction];
    return pgas_ptr_shift(pgas_ptr_on(buffers->first, thread), (ptrdiff_t)place);
}

double *heat_buffer_mine(const heat_buffers_t *buffers, int direction, size_t turn)
{
    return pgas_local(heat_buffer_at(buffers, pgas_mythread(), direction, turn));
}

void heat_sections_pack(const heat_problem_t *problem, const heat_sections_t *sections,
                        const heat_buffers_t *buffers, size_t turn)
{
    for (int s = 0; s < sections->count; s++) {
        const heat_section_t *section = &sections->of[s];
        if (section->rows > 1)
            heat_section_pack(problem, section,
                              heat_buffer_mine(buffers, section->direction, turn));
    }
}
