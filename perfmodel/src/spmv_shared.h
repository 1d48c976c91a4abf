/**
 * What the variants' terms of a product have in common.
 */
#ifndef PERFMODEL_SRC_SPMV_SHARED_H
#define PERFMODEL_SRC_SPMV_SHARED_H

#include "moves.h"
#include "rates.h"
#include "spmv_case.h"

/** A parameter; 0 if it is absent. */
double modeli_at(const modeli_case_t *from, model_parameter_t parameter);

/** Seconds of reading and writing so many bytes of memory. */
double modeli_streamed(const modeli_case_t *from, double read, double written);

/** The bytes of formula (6), as if all lines of x came in order: at product_bandwidth, or with
 *  reading and writing separate. */
double modeli_product_traffic(const modeli_case_t *from, const model_counts_t *counts);

/** What the core alone needs for a thread's products. */
double modeli_product_core(const modeli_case_t *from, const model_counts_t *counts);

/** Where a thread's data in naive to v3 stay. */
modeli_home_t modeli_home_of_thread(const modeli_case_t *from, const model_counts_t *counts);

/** Rows of a thread, and the lines of a kind that they fetch out of order. */
modeli_rows_t modeli_rows_of(const modeli_case_t *from, const model_counts_t *counts, uint64_t rows,
                             model_line_kind_t kind);

/** Values of a thread whose uses lie `nbytes` apart, in lines as full as those of its values from
 *  others: what it sends is assumed to be like what it receives. */
modeli_values_t modeli_values_of(const modeli_case_t *from, const model_counts_t *counts,
                                 double count, double nbytes);

/** Lines of x out of order: meanwhile neither memory nor core makes progress. */
double modeli_gathered(const modeli_case_t *from, model_kernel_t kernel, modeli_rows_t rows);

/** The start of a message to another node. */
double modeli_message_latency(const modeli_case_t *from);

/** A message's bytes on a node's link. */
double modeli_link_seconds(const modeli_case_t *from, double bytes);

#endif
