/* The formulas on counts and parameters that are easy to compute with by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka.h needs some of the above. */
#include <cmocka.h>

#include "near.h"
#include "perfmodel/formulas.h"
#include "perfmodel/spmv.h"

/* Two nodes of two threads, 8 blocks of 100 rows with 16 off-diagonals. W_private = 1e9, W_remote =
 * 1e8, tau = 1e-5, a cache line of 64. */
static const size_t rows = 800;
static model_layout_t layout;
static model_counts_t counts[4];
static model_machine_t machine;
static model_parameters_t parameters;

static void set(model_parameter_t parameter, double value)
{
    machine.has[parameter] = true;
    machine.parameters[parameter] = (model_spread_t){value, value / 2.0, value * 2.0};
    parameters = model_machine_parameters(&machine, MODEL_TYPICAL);
}

static int prepare(void **state)
{
    (void)state;
    mesh_error_t error;
    machine = (model_machine_t){.cache_line_bytes = 64.0};
    set(MODEL_PRIVATE_BANDWIDTH, 1e9);
    set(MODEL_REMOTE_BANDWIDTH, 1e8);
    set(MODEL_REMOTE_LATENCY, 1e-5);
    if (!model_layout_make(rows, 16, 4, 2, 0, 100, &layout, &error))
        return 1;
    for (size_t t = 0; t < 4; t++)
        counts[t] = (model_counts_t){
            .rows = 200,
            .blocks = 2,
            .individual = {3000, 150, 50},
            .needed_blocks = {2, 1, 1},
            .needed_bytes = {1600, 800, 800},
            .values_in = {0, 60, 20},
            .messages_in = {0, 1, 1},
            .values_out = {0, 60, 20},
            .messages_out = {0, 1, 1},
            .node_messages_out = t % 2 == 0 ? 1 : 0,
            .node_values_out = t % 2 == 0 ? 40 : 0,
            .lines_in = {0, 10, 5},
            .x_lines = {70, 20, 10},
            .close_lines = {20, 5, 5, 0},
            .near_lines = {10, 5, 5, 20},
            .far_lines = {70, 60, 30, 40},
            .boundary_rows = 50,
            .boundary_own_values = 30,
            .interior_entries = 2400,
            .boundary_entries = 800,
        };
    counts[3].individual[MODEL_REMOTE] = 150;
    counts[3].values_out[MODEL_REMOTE] = 100;
    counts[1].values_in[MODEL_LOCAL] = 160;
    return 0;
}

static void near(double value, double expected)
{
    assert_near(value, expected, 1e-9 * fabs(expected));
}

static void single_formulas(void **state)
{
    (void)state;
    assert_int_equal(model_blocks_of_thread(&layout, 0), 2);
    near(model_working_set_bytes(&layout, counts), 200 * (192 + 32) + 180 * 8);
    near(model_bytes_per_row(16), 216.0);
    near(model_compute_seconds(&layout, 2, &parameters), 200.0 * 216.0 / 1e9);
    near(model_contiguous_local_seconds(8.0, &parameters), 8e-9);
    near(model_contiguous_remote_seconds(8.0, &parameters), 8e-8);
    near(model_individual_local_seconds(&parameters), 64e-9);
    near(model_v1_communication_seconds(&counts[0], &parameters), 150 * 64e-9 + 50 * 1e-5);
    /* Three blocks of the node, its own two among them, and one of the other node per thread. */
    near(model_v2_node_seconds(&layout, counts, 0, &parameters),
         3 * 2 * 800e-9 + 2 * (1e-5 + 800 / 1e8));
    near(model_pack_seconds(&counts[0], &parameters), 80 * 20e-9);
    near(model_v3_node_seconds(&layout, counts, 1, &parameters),
         2 * 60 * 8e-9 + (1e-5 + 160 / 1e8) + (1e-5 + 800 / 1e8));
    near(model_copy_seconds(&layout, 2, &parameters), 2 * 200 * 8e-9);
    near(model_unpack_seconds(&counts[0], &parameters), 80 * 76e-9);
}

static void blocks_with_a_rest(void **state)
{
    (void)state;
    mesh_error_t error;
    model_layout_t odd;
    assert_true(model_layout_make(701, 16, 3, 1, 0, 100, &odd, &error));
    assert_int_equal(model_blocks_of_thread(&odd, 0), 3);
    assert_int_equal(model_blocks_of_thread(&odd, 1), 3);
    assert_int_equal(model_blocks_of_thread(&odd, 2), 2);
}

static void totals(void **state)
{
    (void)state;
    double compute = 200.0 * 216e-9;
    near(model_v1_seconds(&layout, counts, &parameters), compute + 150 * 64e-9 + 150 * 1e-5);
    near(model_v2_seconds(&layout, counts, &parameters),
         compute + 3 * 1600e-9 + 2 * (1e-5 + 800 / 1e8));
    /* Thread 3 packs most and its node takes longest to put; thread 1 unpacks most. */
    near(model_v3_seconds(&layout, counts, &parameters),
         160 * 20e-9 + 120 * 8e-9 + 2e-5 + 960 / 1e8 + 3200e-9 + 180 * 76e-9 + compute);
}

/* Thread 0 has two blocks of a hundred rows, which count as full even if rows are missing. */
static void parts_by_the_paper(void **state)
{
    (void)state;
    double compute = 200.0 * 216e-9;
    counts[0].rows = 150;
    model_parts_t v1 = model_paper_parts(&layout, &counts[0], &parameters, MODEL_V1);
    near(v1.compute, compute);
    near(v1.communication, 150 * 64e-9 + 50 * 1e-5);
    near(model_parts_sum(&v1), v1.compute + v1.communication);
    model_parts_t v2 = model_paper_parts(&layout, &counts[0], &parameters, MODEL_V2);
    near(v2.compute, compute);
    near(v2.copy, 3 * 2 * 800e-9 + 1e-5 + 800 / 1e8);
    near(model_parts_sum(&v2), v2.compute + v2.copy);
    model_parts_t v3 = model_paper_parts(&layout, &counts[0], &parameters, MODEL_V3);
    near(v3.pack, 80 * 20e-9);
    near(v3.put, model_v3_local_seconds(&counts[0], &parameters) +
                     model_v3_remote_seconds(&counts[0], &parameters));
    near(v3.copy, 3200e-9);
    near(v3.unpack, 80 * 76e-9);
    near(v3.compute, compute);
    model_parts_t v4 = model_paper_parts(&layout, &counts[0], &parameters, MODEL_V4);
    assert_true(model_parts_sum(&v4) == 0.0);
}

static model_prediction_t predict(model_variant_t variant)
{
    mesh_error_t error;
    model_prediction_t prediction;
    assert_true(model_predict(&layout, counts, &machine, variant, &prediction, &error));
    return prediction;
}

/* With only the paper's parameters the prediction is that of the paper's formulas. */
static void nothing_added(void **state)
{
    (void)state;
    for (int v = MODEL_V1; v <= MODEL_V3; v++) {
        model_prediction_t p = predict((model_variant_t)v);
        assert_true(p.has_paper);
        near(p.seconds.predicted, p.paper.predicted);
        near(p.seconds.low, p.paper.low);
        near(p.seconds.high, p.paper.high);
        assert_true(p.paper.low < p.paper.predicted && p.paper.predicted < p.paper.high);
        assert_true((p.left_out & (1U << MODEL_BARRIER_LATENCY)) != 0);
        model_prediction_free(&p);
    }
}

/* All further parameters except those of the products: 1 ns per byte read as before, 2 ns per byte
 * written. */
static void add_all(void)
{
    set(MODEL_PRIVATE_READ_BANDWIDTH, 1e9);
    set(MODEL_PRIVATE_SCALE_BANDWIDTH, 16.0 / 24e-9);
    set(MODEL_PRIVATE_COPY_BANDWIDTH, 0.8e9);
    set(MODEL_BARRIER_LATENCY, 1e-4);
    set(MODEL_MESSAGE_LATENCY, 3e-5);
    set(MODEL_POINTER_ACCESS, 4e-9);
    set(MODEL_LOCAL_ACCESS, 1e-7);
    set(MODEL_LOCAL_ACCESS_CACHED, 5e-9);
    set(MODEL_AFFINITY_TEST, 2e-9);
    set(MODEL_REMOTE_BANDWIDTH_SHARED, 5e7);
}

static void all_terms(void **state)
{
    (void)state;
    add_all();
    double compute = 200.0 * (208 * 1e-9 + 8 * 2e-9);
    double individual = 10 * 1e-7 + 140 * 5e-9 + 150 * 1e-5;

    model_prediction_t v1 = predict(MODEL_V1);
    near(v1.seconds.predicted, compute + 3200 * 4e-9 + individual + 1e-4);
    near(v1.threads[3].communication, individual);
    assert_int_equal(v1.left_out, MODEL_BIT(MODEL_PRODUCT_ACCESS) |
                                      MODEL_BIT(MODEL_PRODUCT_BANDWIDTH) |
                                      MODEL_BIT(MODEL_GATHER_ACCESS) |
                                      MODEL_BIT(MODEL_FIRST_RATE(MODEL_POINTERS_KERNEL)) |
                                      MODEL_BIT(MODEL_FIRST_RATE(MODEL_SHIFTS_KERNEL)) |
                                      MODEL_BIT(MODEL_FIRST_RATE(MODEL_POINTERS_TURNS_KERNEL)) |
                                      MODEL_BIT(MODEL_FIRST_RATE(MODEL_SHIFTS_TURNS_KERNEL)));
    model_prediction_free(&v1);

    model_prediction_t naive = predict(MODEL_NAIVE);
    double accesses = 3200 + 200 * 34;
    near(naive.seconds.predicted, compute + accesses * 4e-9 + 800 * 2e-9 + individual + 1e-4);
    assert_false(naive.has_paper);
    model_prediction_free(&naive);

    /* Latencies overlap; both threads' bytes share one link. */
    model_prediction_t v2 = predict(MODEL_V2);
    double copy = 2400 * 2 / 0.8e9 + 1e-5 + 1600 / 5e7;
    near(v2.threads[0].copy, copy);
    near(v2.seconds.predicted, compute + copy + 1e-4);
    model_prediction_free(&v2);

    model_prediction_t v3 = predict(MODEL_V3);
    double before = 160 * (12e-9 + 16e-9) + 480 * 2 / 0.8e9 + 3e-5 + 960 / 5e7;
    double after = 1600 * 2 / 0.8e9 + 180 * 12e-9 + 15 * 128e-9 + compute;
    near(v3.seconds.predicted, before + after + 2e-4);
    near(v3.nodes[1], before);
    model_prediction_free(&v3);
}

/* The core is the bottleneck where memory is not. */
static void core_bound(void **state)
{
    (void)state;
    add_all();
    double traffic = 200.0 * (208 * 1e-9 + 8 * 2e-9);
    set(MODEL_PRODUCT_ACCESS, 1e-9);
    model_prediction_t v3 = predict(MODEL_V3);
    near(v3.threads[0].compute, traffic);
    model_prediction_free(&v3);
    set(MODEL_PRODUCT_ACCESS, 50e-9);
    v3 = predict(MODEL_V3);
    near(v3.threads[0].compute, 200 * 16 * 50e-9);
    model_prediction_free(&v3);
    model_prediction_t v1 = predict(MODEL_V1);
    near(v1.threads[0].compute, 200 * 16 * 50e-9 + 3200 * 4e-9);
    model_prediction_free(&v1);
    set(MODEL_PRODUCT_ACCESS, 1e-9);
    v1 = predict(MODEL_V1);
    near(v1.threads[0].compute, traffic);
    model_prediction_free(&v1);
}

/* The products' own bandwidth, plus lines of x: in v1 those of own values, in the others all. */
static void gathered_lines(void **state)
{
    (void)state;
    add_all();
    set(MODEL_PRODUCT_BANDWIDTH, 0.8e9);
    double streamed = 200 * 216 / 0.8e9;
    double sliced = 150 * 196 * 1e-9 + 50 * 200 * 1e-9; /* as in overlap() */
    for (int with_lines = 0; with_lines < 2; with_lines++) {
        model_prediction_t v1 = predict(MODEL_V1);
        near(v1.threads[0].compute, streamed + with_lines * 70 * 1e-7 + 3200 * 4e-9);
        model_prediction_free(&v1);
        model_prediction_t v2 = predict(MODEL_V2);
        near(v2.threads[0].compute, streamed + with_lines * 100 * 1e-7);
        model_prediction_free(&v2);
        model_prediction_t v3 = predict(MODEL_V3);
        near(v3.threads[0].compute, streamed + with_lines * 100 * 1e-7);
        model_prediction_free(&v3);
        model_prediction_t v4 = predict(MODEL_V4);
        near(v4.threads[0].compute, sliced + with_lines * 100 * 1e-7);
        model_prediction_free(&v4);
        set(MODEL_GATHER_ACCESS, 1e-7);
    }
    /* Without a bandwidth of their own, at the costs of reading and writing. */
    machine.has[MODEL_PRODUCT_BANDWIDTH] = false;
    model_prediction_t v3 = predict(MODEL_V3);
    near(v3.threads[0].compute, 200 * (208 * 1e-9 + 8 * 2e-9) + 100 * 1e-7);
    model_prediction_free(&v3);
    /* A core that is slower than the memory also waits for these lines. */
    set(MODEL_PRODUCT_ACCESS, 50e-9);
    v3 = predict(MODEL_V3);
    near(v3.threads[0].compute, 200 * 16 * 50e-9 + 100 * 1e-7);
    model_prediction_free(&v3);
}

/* The cost of a gathered line is useful only if the size of the cache that misses it is known. */
static void unknown_cache(void **state)
{
    (void)state;
    set(MODEL_GATHER_ACCESS, 1e-7);
    for (int v = MODEL_NAIVE; v < MODEL_VARIANTS; v++) {
        bool has_product = v < MODEL_V4;
        machine.second_level_cache_bytes = 0.0;
        model_prediction_t without = predict((model_variant_t)v);
        assert_int_equal(without.left_out >> MODEL_GATHER_ACCESS & 1U, 1);
        assert_int_equal(without.left_out >> MODEL_PRODUCT_BANDWIDTH & 1U, has_product);
        model_prediction_free(&without);
        machine.second_level_cache_bytes = 1048576.0;
        model_prediction_t with = predict((model_variant_t)v);
        assert_int_equal(with.left_out >> MODEL_GATHER_ACCESS & 1U, 0);
        model_prediction_free(&with);
    }
}

/* A sum that keeps the memory less busy than the scale does says nothing about reading. */
static void slow_sum(void **state)
{
    (void)state;
    set(MODEL_PRIVATE_READ_BANDWIDTH, 0.5e9);
    set(MODEL_PRIVATE_SCALE_BANDWIDTH, 1e9);
    for (size_t t = 0; t < 4; t++)
        memcpy(counts[t].lines_in, counts[t].values_in, sizeof counts[t].lines_in);
    model_prediction_t v3 = predict(MODEL_V3);
    near(v3.seconds.predicted, v3.paper.predicted);
    model_prediction_free(&v3);
}

/* Reading alone does not tell what writing costs, nor does the scale alone tell what reading
 * costs. */
static void half_of_a_pair(void **state)
{
    (void)state;
    static const model_parameter_t pair[] = {MODEL_PRIVATE_READ_BANDWIDTH,
                                             MODEL_PRIVATE_SCALE_BANDWIDTH};
    for (int p = 0; p < 2; p++) {
        set(pair[p], 2e9);
        model_prediction_t v3 = predict(MODEL_V3);
        near(v3.seconds.predicted, v3.paper.predicted);
        assert_int_equal(v3.left_out >> pair[p] & 1U, 0);
        assert_int_equal(v3.left_out >> pair[1 - p] & 1U, 1);
        model_prediction_free(&v3);
        machine.has[pair[p]] = false;
    }
}

/* All rates of a kernel: rows of 16 off-diagonals take `row` seconds, half of that from the cache;
 * each line takes `line` near, half of that close and ten times that far, however many there are.
 */
static void add_rates(model_kernel_t kernel, double row, double line)
{
    static const double times[MODEL_RATE_KINDS] = {0.0, 0.0, 0.5, 0.5, 1.0, 1.0, 10.0, 10.0};
    int kinds = kernel < MODEL_LINE_KERNELS ? MODEL_RATE_KINDS : MODEL_RATE_CLOSE_ONE;
    for (int w = 0; w < MODEL_RATE_WIDTHS; w++)
        for (int kind = 0; kind < kinds; kind++)
            set((model_parameter_t)MODEL_RATE(kernel, kind, w), line * times[kind]);
    for (int w = 0; w < MODEL_RATE_WIDTHS; w++) {
        set((model_parameter_t)MODEL_RATE(kernel, MODEL_RATE_ROW, w), row);
        set((model_parameter_t)MODEL_RATE(kernel, MODEL_RATE_HELD, w), row / 2.0);
    }
}

/* With their own rates, naive and v1 pay only for every line of their node and for values of other
 * nodes: no local access, no pointer. */
static void by_pointers(void **state)
{
    (void)state;
    add_all();
    set(MODEL_GATHER_ACCESS, 2e-9);
    add_rates(MODEL_POINTERS_KERNEL, 30e-9, 2e-9);
    add_rates(MODEL_NAIVE_KERNEL, 80e-9, 0.0);
    add_rates(MODEL_POINTERS_TURNS_KERNEL, 25e-9, 0.0);
    /* Five close ones, five near ones and sixty far ones in 200 rows: between the cost in good
     * order and that of one. */
    double few = 2e-9;
    double one = (5 * 1e-9 + 5 * 2e-9 + 60 * 20e-9) / 70;
    double lines = 70 * (few + (one - few) * 0.35);
    model_prediction_t v1 = predict(MODEL_V1);
    near(v1.threads[0].compute, 200 * 30e-9 * (1 - 150.0 / 3400) + lines);
    near(v1.threads[0].communication, 50 * 1e-5);
    assert_int_equal(v1.left_out & MODEL_BIT(MODEL_RATE(MODEL_POINTERS_KERNEL, 0, 0)), 0);
    model_prediction_free(&v1);
    model_prediction_t naive = predict(MODEL_NAIVE);
    near(naive.threads[0].compute, 200 * 80e-9 + lines + 800 * 2e-9);
    model_prediction_free(&naive);
    /* The more accesses go to the other thread of the node, the less they wait for each other. */
    static const uint64_t others[] = {340, 1700, 3000};
    static const double seconds[] = {27e-9, 25e-9, 25e-9};
    for (int i = 0; i < 3; i++) {
        counts[0].individual[MODEL_LOCAL] = others[i];
        v1 = predict(MODEL_V1);
        near(v1.threads[0].compute, 200 * seconds[i] + lines);
        model_prediction_free(&v1);
    }
}

/* In blocks of a power of two addresses take shifts, whose rates apply if they are known. */
static void by_shifts(void **state)
{
    (void)state;
    add_all();
    set(MODEL_GATHER_ACCESS, 0.0);
    add_rates(MODEL_POINTERS_KERNEL, 30e-9, 0.0);
    add_rates(MODEL_POINTERS_TURNS_KERNEL, 25e-9, 0.0);
    add_rates(MODEL_SHIFTS_KERNEL, 20e-9, 0.0);
    add_rates(MODEL_SHIFTS_TURNS_KERNEL, 15e-9, 0.0);
    static const size_t blocksizes[] = {100, 64, 1, 96};
    static const double own[] = {30e-9, 20e-9, 20e-9, 30e-9};
    counts[0].individual[MODEL_LOCAL] = 0;
    for (int b = 0; b < 4; b++) {
        layout.blocksize = blocksizes[b];
        model_prediction_t v1 = predict(MODEL_V1);
        near(v1.threads[0].compute, 200 * own[b]);
        model_prediction_free(&v1);
    }
    counts[0].individual[MODEL_LOCAL] = 3000;
    layout.blocksize = 128;
    model_prediction_t v1 = predict(MODEL_V1);
    near(v1.threads[0].compute, 200 * 15e-9);
    model_prediction_free(&v1);
}

/* Every move of values has its own price, by the part that the cache holds and by how full the
 * lines are. */
static void moved_values(void **state)
{
    (void)state;
    static const double line = (15.0 / 80 - 0.125) / 0.875; /* 80 values in 15 lines */
    add_all();
    for (int m = 0; m < MODEL_MOVES; m++) {
        set((model_parameter_t)MODEL_MOVE(m), (m + 1) * 1e-9);
        set((model_parameter_t)(MODEL_MOVE(m) + 1), (m + 1) * 1e-8);
    }
    double bytes = 200 * (192 + 32) + 80 * 8;
    static const double held[] = {1.0, 0.5};
    for (int i = 0; i < 2; i++) {
        machine.last_level_share_bytes = held[i] * bytes;
        double unit = held[i] * 1e-9 + (1 - held[i]) * 1e-8;
        model_prediction_t v3 = predict(MODEL_V3);
        near(v3.threads[0].pack, 80 * unit * (4 + line));
        near(v3.threads[0].copy, 200 * unit);
        near(v3.threads[0].unpack, 80 * unit * (6 + line));
        assert_int_equal(v3.left_out & MODEL_BIT(MODEL_MOVE(0)), 0);
        model_prediction_free(&v3);
        model_prediction_t v2 = predict(MODEL_V2);
        /* Beyond it only what blocks cost, and what comes from the other node. */
        double local = 200 * unit + 100 * 2 * unit;
        set(MODEL_MOVE(MODEL_MOVE_COPY), 0.0);
        set(MODEL_MOVE(MODEL_MOVE_COPY) + 1, 0.0);
        set(MODEL_MOVE(MODEL_MOVE_COPY_OTHER), 0.0);
        set(MODEL_MOVE(MODEL_MOVE_COPY_OTHER) + 1, 0.0);
        model_prediction_t free_of_charge = predict(MODEL_V2);
        assert_near(v2.threads[0].copy - free_of_charge.threads[0].copy, local, 1e-12);
        set(MODEL_MOVE(MODEL_MOVE_COPY), 1e-9);
        set(MODEL_MOVE(MODEL_MOVE_COPY) + 1, 1e-8);
        set(MODEL_MOVE(MODEL_MOVE_COPY_OTHER), 2e-9);
        set(MODEL_MOVE(MODEL_MOVE_COPY_OTHER) + 1, 2e-8);
        model_prediction_free(&v2);
        model_prediction_free(&free_of_charge);
    }
    machine.last_level_share_bytes = 1e9;
    model_prediction_t v4 = predict(MODEL_V4);
    near(v4.threads[0].put, (80 + 30) * 1e-9 * (8 + line));
    near(v4.threads[0].unpack, (30 + 80 * 2) * 1e-9);
    model_prediction_free(&v4);
    /* Boundary rows that use more than a third of the own part have a copy of it, unpacked. */
    counts[0].boundary_own_values = 66;
    counts[1].boundary_own_values = 67;
    counts[1].values_in[MODEL_LOCAL] = 60;
    v4 = predict(MODEL_V4);
    near(v4.threads[0].put, (80 + 66) * 1e-9 * (8 + line));
    near(v4.threads[0].unpack, (66 + 80 * 2) * 1e-9);
    near(v4.threads[1].put, 80 * 1e-9 * (8 + line));
    near(v4.threads[1].unpack, (200 + 80 * 2) * 1e-9);
    model_prediction_free(&v4);
    counts[0].boundary_own_values = 30;
    model_prediction_t v5 = predict(MODEL_V5);
    near(v5.threads[0].unpack, 160 * 3e-9 + (30 + 80 * 2) * 1e-9);
    model_prediction_free(&v5);
}

/* Data that fit the share of the last-level cache come from there: less for v4 than for v3, whose
 * rows are padded. */
static void held(void **state)
{
    (void)state;
    add_all();
    set(MODEL_GATHER_ACCESS, 0.0);
    set(MODEL_SLICED_GATHER_ACCESS, 0.0);
    add_rates(MODEL_ROWS_KERNEL, 30e-9, 0.0);
    add_rates(MODEL_SLICED_KERNEL, 20e-9, 0.0);
    for (size_t t = 0; t < 4; t++)
        counts[t].interior_entries = 600; /* of 150 rows */
    double v3_bytes = 200 * (192 + 32) + 180 * 8;
    static const double part[] = {0.4, 0.9, 1.0};
    for (int step = 0; step < 3; step++) {
        machine.last_level_share_bytes = part[step] * v3_bytes;
        set(MODEL_BARRIER_LATENCY, 1e-4);
        model_prediction_t v3 = predict(MODEL_V3);
        near(v3.threads[1].compute, 200 * (part[step] < 1.0 ? 30e-9 : 15e-9));
        model_prediction_free(&v3);
        model_prediction_t v4 = predict(MODEL_V4);
        near(v4.threads[1].compute, 200 * (part[step] < 0.9 ? 20e-9 : 10e-9));
        model_prediction_free(&v4);
    }
}

/* v4: all of the messages' travel time shows, or none of it. */
static void overlap(void **state)
{
    (void)state;
    add_all();
    double row =
        16 * 10 + 16 + 4 + 16; /* A and J, D and x, a slice's share, y at twice the price */
    double interior = 150 * row * 1e-9;
    double boundary = 50 * (row + 4) * 1e-9;
    double begin = 190 * (12e-9 + 16e-9);
    double travel = 3e-5 + 960 / 5e7;
    model_prediction_t v4 = predict(MODEL_V4);
    near(v4.nodes[1], travel);
    near(v4.threads[3].put, begin);
    near(v4.threads[3].compute, interior + boundary);
    near(v4.threads[3].communication, travel - interior);
    near(v4.threads[3].unpack, 8 * (30 + 80) * 3e-9);
    near(v4.seconds.predicted, begin + travel + 8 * (30 + 80) * 3e-9 + boundary);
    model_prediction_free(&v4);
    for (size_t t = 0; t < 4; t++) {
        counts[t].rows += 100000;
        counts[t].interior_entries += 1600000;
    }
    v4 = predict(MODEL_V4);
    near(v4.threads[3].communication, 0.0);
    model_prediction_free(&v4);
}

/* v5 sends what its leader counts, and copies what arrives, then what boundary rows use. */
static void by_node(void **state)
{
    (void)state;
    add_all();
    model_prediction_t v5 = predict(MODEL_V5);
    near(v5.nodes[0], 3e-5 + 320 / 5e7);
    near(v5.threads[0].unpack, 160 * 3e-9 + 8 * (30 + 80) * 3e-9);
    model_prediction_free(&v5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(single_formulas, prepare),
        cmocka_unit_test_setup(blocks_with_a_rest, prepare),
        cmocka_unit_test_setup(totals, prepare),
        cmocka_unit_test_setup(parts_by_the_paper, prepare),
        cmocka_unit_test_setup(nothing_added, prepare),
        cmocka_unit_test_setup(all_terms, prepare),
        cmocka_unit_test_setup(core_bound, prepare),
        cmocka_unit_test_setup(gathered_lines, prepare),
        cmocka_unit_test_setup(unknown_cache, prepare),
        cmocka_unit_test_setup(slow_sum, prepare),
        cmocka_unit_test_setup(half_of_a_pair, prepare),
        cmocka_unit_test_setup(by_pointers, prepare),
        cmocka_unit_test_setup(by_shifts, prepare),
        cmocka_unit_test_setup(moved_values, prepare),
        cmocka_unit_test_setup(held, prepare),
        cmocka_unit_test_setup(overlap, prepare),
        cmocka_unit_test_setup(by_node, prepare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
