#include "spmv_shared.h"

#include "moves.h"
#include "perfmodel/formulas.h"
#include "rates.h"
#include "stream.h"

static const double real_bytes = sizeof(double);

double modeli_at(const modeli_case_t *from, model_parameter_t parameter)
{
    return from->machine.has[parameter] ? from->machine.value[parameter] : 0.0;
}

double modeli_streamed(const modeli_case_t *from, double read, double written)
{
    return modeli_traffic_seconds((modeli_traffic_t){read, written}, &from->machine);
}

double modeli_product_traffic(const modeli_case_t *from, const model_counts_t *counts)
{
    double rows = (double)counts->rows;
    double row_bytes = model_bytes_per_row(from->layout->row_nonzeros);
    if (from->machine.has[MODEL_PRODUCT_BANDWIDTH])
        return rows * row_bytes / modeli_at(from, MODEL_PRODUCT_BANDWIDTH);
    return modeli_streamed(from, rows * (row_bytes - real_bytes), rows * real_bytes);
}

double modeli_product_core(const modeli_case_t *from, const model_counts_t *counts)
{
    double products = (double)(counts->rows * from->layout->row_nonzeros);
    return products * modeli_at(from, MODEL_PRODUCT_ACCESS);
}

modeli_home_t modeli_home_of_thread(const modeli_case_t *from, const model_counts_t *counts)
{
    return modeli_home_of(model_thread_bytes(from->layout, counts), &from->machine);
}

modeli_rows_t modeli_rows_of(const modeli_case_t *from, const model_counts_t *counts, uint64_t rows,
                             model_line_kind_t kind)
{
    return (modeli_rows_t){
        .rows = (double)rows,
        .width = (double)from->layout->row_nonzeros,
        .close = {(double)counts->close_lines[kind], (double)counts->close_rows[kind]},
        .near = {(double)counts->near_lines[kind], (double)counts->near_rows[kind]},
        .far = {(double)counts->far_lines[kind], (double)counts->far_rows[kind]},
        .sequence_lines = (double)counts->sequence_lines[kind],
    };
}

modeli_values_t modeli_values_of(const modeli_case_t *from, const model_counts_t *counts,
                                 double count, double nbytes)
{
    double in = (double)(counts->values_in[MODEL_LOCAL] + counts->values_in[MODEL_REMOTE]);
    double lines = (double)(counts->lines_in[MODEL_LOCAL] + counts->lines_in[MODEL_REMOTE]);
    return (modeli_values_t){
        .count = count,
        .lines = in > 0.0 ? count * lines / in : 0.0,
        .held = modeli_held_part(nbytes, &from->machine),
    };
}

double modeli_gathered(const modeli_case_t *from, model_kernel_t kernel, modeli_rows_t rows)
{
    if (modeli_knows_rates(&from->machine, kernel))
        return modeli_lines_seconds(&rows, &from->machine, kernel);
    return (rows.close.lines + rows.near.lines + rows.far.lines) *
           modeli_at(from, MODEL_GATHER_ACCESS);
}

double modeli_message_latency(const modeli_case_t *from)
{
    return from->machine.has[MODEL_MESSAGE_LATENCY] ? modeli_at(from, MODEL_MESSAGE_LATENCY)
                                                    : modeli_at(from, MODEL_REMOTE_LATENCY);
}

double modeli_link_seconds(const modeli_case_t *from, double bytes)
{
    if (bytes == 0.0)
        return 0.0;
    if (from->machine.has[MODEL_REMOTE_BANDWIDTH_SHARED])
        return bytes / modeli_at(from, MODEL_REMOTE_BANDWIDTH_SHARED);
    return model_contiguous_remote_seconds(bytes, &from->machine);
}
