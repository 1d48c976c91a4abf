/**
 * Collectives: every algorithm of the runtime's table has a formula, the constants are the
 * runtime's, and times are those of a computation by hand.
 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */

#include <math.h>
#include <string.h>

#include "coll/algorithm.h"
#include "near.h"
#include "perfmodel/collective.h"

static void set(model_machine_t *machine, int parameter, double value)
{
    machine->has[parameter] = true;
    machine->parameters[parameter] = (model_spread_t){value, value, value};
}

/* Two threads per node, four nodes. At every place a meeting, a round and a read are different
 * powers of ten; a byte adds 1e-9 s to a read on the node and 1e-7 s to one from another. A reader
 * alone takes 7 s, and 1e-8 s for a byte. */
static model_machine_t make_machine(void)
{
    static const double sizes[MODEL_ROUND_SIZES] = MODEL_ROUND_BYTES;
    model_machine_t machine = {.threads = 8, .nodes = 4, .threads_per_node = 2};
    const double meeting[MODEL_PLACES] = {1.0, 3.0, 11.0};
    const double read[MODEL_PLACES] = {0.001, 0.01, 20.0};
    const double byte[MODEL_PLACES] = {0.0, 1e-9, 1e-7};
    for (int place = 0; place < MODEL_PLACES; place++) {
        set(&machine, MODEL_ROUND_PRICE(MODEL_MEETING, 0, place), meeting[place]);
        for (int s = 0; s < MODEL_ROUND_SIZES; s++) {
            double seconds = read[place] + byte[place] * sizes[s];
            set(&machine, MODEL_ROUND_PRICE(MODEL_ROUND_READ, s, place), seconds);
            /* Showing takes 0.1 s alone and 0.2 s on the node. */
            if (place != MODEL_REMOTE)
                set(&machine, MODEL_ROUND_PRICE(MODEL_ROUND, s, place),
                    meeting[place] + seconds + 0.1 * (place + 1));
        }
    }
    for (int s = 0; s < MODEL_ROUND_REMOTE_SIZES; s++)
        set(&machine, MODEL_READ_ALONE(s), 7.0 + 1e-8 * sizes[s]);
    set(&machine, MODEL_COMBINE_ELEMENT, 1e-4);
    set(&machine, MODEL_PRICE(MODEL_FETCH_FLOOD, MODEL_REMOTE), 0.5);
    return machine;
}

static model_collective_call_t make_call(size_t threads, size_t nodes, double bytes)
{
    mesh_error_t error;
    model_collective_call_t call = {.bytes = bytes, .element_bytes = 8.0};
    assert_true(model_layout_make(1, 1, threads, nodes, 0, 0, &call.layout, &error));
    return call;
}

static double predict(const char *name, const char *algorithm, size_t threads, size_t nodes,
                      double bytes)
{
    model_machine_t machine = make_machine();
    model_collective_call_t call = make_call(threads, nodes, bytes);
    const model_collective_t *collective = model_collective_find(name, algorithm);
    assert_non_null(collective);
    model_estimate_t estimate = model_collective_predict(collective, &call, &machine);
    assert_true(estimate.low == estimate.predicted && estimate.high == estimate.predicted);
    return estimate.predicted;
}

static void every_algorithm_has_a_formula(void **state)
{
    (void)state;
    size_t has = 0;
    size_t formulas = 0;
    for (int kind = 0; kind < PGASI_COLL_KIND_COUNT; kind++)
        for (int a = 0; a < PGASI_COLL_ALGORITHM_COUNT; a++) {
            const char *name = pgasi_coll_kind_name((pgasi_coll_kind_t)kind);
            const char *algorithm = pgasi_coll_algorithm_name((pgasi_coll_algorithm_t)a);
            if (a == PGASI_ALGORITHM_LIBRARY || /* somebody else's */
                !pgasi_coll_has((pgasi_coll_kind_t)kind, (pgasi_coll_algorithm_t)a))
                continue;
            has++;
            if (model_collective_find(name, algorithm) == NULL)
                fail_msg("%s by %s has no formula", name, algorithm);
        }
    while (model_collective_at(formulas) != NULL)
        formulas++;
    assert_int_equal(formulas, has);
    assert_true(MODEL_COLLECTIVE_SHORT == (double)PGASI_COLL_SHORT);
    assert_null(model_collective_find("barrier", "linear"));
}

/* Two rounds between four nodes took 10 s more than a meeting alone, so one takes 5. */
static void meetings_follow_the_shape(void **state)
{
    (void)state;
    assert_near(predict("barrier", "dissemination", 1, 1, 0), 1.0, 1e-9);
    assert_near(predict("barrier", "dissemination", 2, 1, 0), 3.0, 1e-9);
    assert_near(predict("barrier", "dissemination", 4, 1, 0), 7.0, 1e-9);
    assert_near(predict("barrier", "dissemination", 2, 2, 0), 6.0, 1e-9);
    assert_near(predict("barrier", "dissemination", 16, 8, 0), 3.0 + 15.0, 1e-9);
}

static void times_are_those_by_hand(void **state)
{
    (void)state;
    /* Show, meet, read. */
    assert_near(predict("broadcast", "linear", 2, 1, 12), 0.2 + 3.0 + 0.01 + 12e-9, 1e-9);
    assert_near(predict("broadcast", "linear", 2, 2, 8), 0.1 + 6.0 + 7.0 + 8e-8, 1e-9);
    /* A look of 16 bytes before, and another meeting. */
    assert_near(predict("broadcast", "linear", 2, 1, 8000),
                0.2 + 3.0 + 0.01 + 16e-9 + 0.01 + 8e-6 + 3.0, 1e-9);
    /* The own block, that of the node, and six from other nodes, five of them behind the first. */
    assert_near(predict("allgather", "linear", 8, 4, 1000),
                0.2 + 13.0 + 0.001 + 0.01 + 1e-6 + (20.0 + 1e-4) + 5.0 * (0.5 + 1e-4 - 8e-7), 1e-9);
    /* Two operands of 16 elements. */
    assert_near(predict("allreduce", "linear", 2, 1, 128),
                0.2 + 3.0 + 0.001 + 0.01 + 128e-9 + 16.0 * 1e-4, 1e-9);
    /* Looks at two members, half of two operands, and again looks and two halves. */
    double look = 0.001 + 0.01 + 16e-9;
    double halves = 0.001 + 0.01 + 4000e-9;
    assert_near(predict("allreduce", "rabenseifner", 2, 1, 8000),
                0.2 + 3.0 + look + halves + 500.0 * 1e-4 + 3.0 + look + halves + 3.0, 1e-9);
    /* A block of 16 bytes travels with the meeting, and is read on the node; from a root it goes
     * one way. Of four nodes each sends one block in the first round and two in the second, of
     * three one in both. */
    assert_near(predict("broadcast", "binomial", 2, 2, 12), 0.1 + 6.0 + 8e-8 + 0.001, 1e-9);
    assert_near(predict("broadcast", "binomial", 4, 2, 12), 0.2 + 8.0 + 8e-8 + 0.01 + 12e-9, 1e-9);
    assert_near(predict("allgather", "bruck", 3, 3, 16), 0.1 + 11.0 + 2.0 * 8e-7 + 3.0 * 0.001,
                1e-9);
    assert_near(predict("allgather", "bruck", 4, 4, 16), 0.1 + 11.0 + 8e-7 + 24e-7 + 4.0 * 0.001,
                1e-9);
    /* Of four nodes each sends the blocks for two others in both rounds. */
    assert_near(predict("alltoall", "bruck", 2, 2, 16), 0.1 + 6.0 + 8e-7 + 2.0 * 0.001, 1e-9);
    assert_near(predict("alltoall", "bruck", 4, 4, 16), 0.1 + 11.0 + 48e-7 + 4.0 * 0.001, 1e-9);
    assert_near(predict("alltoall", "bruck", 8, 4, 16),
                0.2 + 13.0 + 240e-7 + 0.001 + 7.0 * (0.01 + 16e-9), 1e-9);
    /* Of two threads on each node the lowest combines two operands, and all combine what two nodes
     * have. */
    assert_near(predict("allreduce", "combining", 4, 2, 128),
                0.2 + 8.0 + 120e-7 + 0.001 + 0.01 + 128e-9 + 2.0 * (0.01 + 128e-9) + 32.0 * 1e-4,
                1e-9);
    /* In three pieces: the first is shown, then all look, and the root shows two while the other
     * reads three; or both do both, and copy their own. */
    assert_near(predict("broadcast", "pipelined", 2, 1, 262152),
                0.2 + 3.0 + 0.001 + 2.0 * (0.2 + 3.0) + 3.0, 1e-9);
    assert_near(predict("allgather", "pipelined", 2, 1, 262152),
                0.2 + 3.0 + look + 2.0 * (0.2 + 3.0) + 3.0 * 0.01 + 262152e-9 + 0.001 + 3.0, 1e-9);
    /* Beyond the measured sizes as between the last two. The root lends its bytes, and where they
     * are travels with the meeting. */
    assert_near(predict("broadcast", "linear", 2, 2, 1e8), 6.0 + 8e-7 + 0.001 + (7.0 + 1.0) + 6.0,
                1e-9);
}

/* Up to 8 bytes of two on a node: what each shows, and of an all-to-all what is for the other one.
 */
static void two_show_little_with_the_meeting(void **state)
{
    (void)state;
    double read = 0.001;
    assert_near(predict("broadcast", "linear", 2, 1, 8), 0.1 + 3.0 + read, 1e-9);
    assert_near(predict("allgather", "linear", 2, 1, 8), 0.1 + 3.0 + 2.0 * read, 1e-9);
    assert_near(predict("alltoall", "linear", 2, 1, 8), 0.1 + 3.0 + 2.0 * read, 1e-9);
    assert_near(predict("allreduce", "linear", 2, 1, 8), 0.1 + 3.0 + 2.0 * read + 1e-4, 1e-9);
    assert_near(predict("allgatherv", "linear", 2, 1, 8), 0.1 + 3.0 + 2.0 * read, 1e-9);
    /* Not what is for both, of blocks with tables, of more members, nor of more bytes. */
    assert_near(predict("scatter", "linear", 2, 1, 8), 0.2 + 3.0 + 0.01 + 8e-9, 1e-9);
    assert_true(predict("alltoallv", "linear", 2, 1, 8) > 0.2 + 3.0 + 0.02);
    assert_near(predict("allgather", "linear", 3, 1, 8), 0.2 + 5.0 + read + 2.0 * (0.01 + 8e-9),
                1e-9);
    assert_near(predict("allgather", "linear", 2, 1, 9), 0.2 + 3.0 + read + 0.01 + 9e-9, 1e-9);
}

/* One node reads of others: readers share the bytes, whatever the calibration's nodes had. */
static void who_reads_alone_has_its_price(void **state)
{
    (void)state;
    double bytes = 1e-8 * 992.0;
    double first = 7.0 + 8e-8;
    assert_near(predict("broadcast", "linear", 4, 2, 1000), 0.2 + 8.0 + first + 2.0 * bytes, 1e-9);
    assert_near(predict("broadcast", "linear", 8, 2, 1000), 0.2 + 12.0 + first + 4.0 * bytes, 1e-9);
    assert_near(predict("scatter", "linear", 2, 2, 1000), 0.1 + 6.0 + first + bytes, 1e-9);
    assert_near(predict("gather", "linear", 2, 2, 1000), 0.1 + 6.0 + 0.001 + first + bytes, 1e-9);
    assert_near(predict("gather", "binomial", 2, 2, 1000),
                0.1 + 6.0 + 1e-8 * (1008.0 - 8.0) + 2.0 * 0.001, 1e-9);
    /* Two nodes read of the root's. */
    assert_near(predict("broadcast", "linear", 3, 3, 1000), 0.1 + 11.0 + 20.0 + 1e-4, 1e-9);
    /* The root of both others, and of the one other node with a neighbour that does not. */
    assert_near(predict("reduce", "linear", 3, 3, 1000),
                0.1 + 11.0 + 0.001 + first + bytes + 0.5 + bytes + 250.0 * 1e-4, 1e-9);
    assert_near(predict("reduce", "linear", 4, 2, 1000),
                0.2 + 8.0 + 0.001 + 0.01 + 1e-6 + first + bytes + 0.5 + bytes + 375.0 * 1e-4, 1e-9);
    assert_near(predict("scan", "linear", 2, 2, 1000),
                0.1 + 6.0 + 0.001 + first + bytes + 125.0 * 1e-4, 1e-9);
}

static double predict_on(const model_machine_t *machine, const char *name, const char *algorithm,
                         const model_collective_call_t *call)
{
    const model_collective_t *collective = model_collective_find(name, algorithm);
    assert_non_null(collective);
    return model_collective_predict(collective, call, machine).predicted;
}

/* Reading of a root takes what its node sends. Where a byte costs a reader alone as much as all at
 * once, that is what gathering as much takes. */
static void the_root_sends_to_all(void **state)
{
    (void)state;
    static const double sizes[MODEL_ROUND_SIZES] = MODEL_ROUND_BYTES;
    static const char *const names[] = {"broadcast", "scatter"};
    model_machine_t machine = make_machine();
    set(&machine, MODEL_PRICE(MODEL_FETCH_FLOOD, MODEL_REMOTE), 1e-6);
    for (int s = 0; s < MODEL_ROUND_REMOTE_SIZES; s++) {
        set(&machine, MODEL_READ_ALONE(s), 1e-5 + 1e-8 * sizes[s]);
        set(&machine, MODEL_ROUND_PRICE(MODEL_ROUND_READ, s, MODEL_REMOTE), 2e-5 + 1e-8 * sizes[s]);
    }
    for (int s = 0; s < MODEL_ROUND_SIZES; s++)
        set(&machine, MODEL_ROUND_PRICE(MODEL_ROUND_READ, s, MODEL_OWN), 1e-6);
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        double before = 0.0;
        for (size_t nodes = 4; nodes <= 64; nodes *= 4) {
            model_collective_call_t call = make_call(nodes, nodes, 1048576.0);
            call.root = 1;
            double meetings = 2.0 * (1.0 + 5.0 * log2((double)nodes));
            double sends = predict_on(&machine, names[n], "linear", &call) - meetings;
            double gathers = predict_on(&machine, "gather", "linear", &call) - meetings;
            assert_true(sends >= 0.9 * gathers && sends <= 1.1 * gathers);
            assert_true(sends >= 3.0 * before);
            before = sends;
        }
    }
    /* Of three nodes with two threads each, four members read: all of it, or halves. */
    machine = make_machine();
    for (int s = 0; s < MODEL_ROUND_REMOTE_SIZES; s++)
        set(&machine, MODEL_READ_ALONE(s), 7.0 + 1e-3 * sizes[s]);
    model_collective_call_t call = make_call(6, 3, 100000.0);
    double tells = 2.0 * 1e-7 * (32.0 - 8.0);
    double look = 0.01 + 16e-9;
    double sends = 7.0 + 1e-3 * 8.0 + 4.0 * 1e-3 * (100000.0 - 8.0);
    assert_near(predict_on(&machine, "broadcast", "linear", &call),
                0.2 + 13.0 + tells + look + sends + 13.0, 1e-9);
    sends = 7.0 + 1e-3 * 8.0 + 4.0 * 1e-3 * (50000.0 - 8.0);
    assert_near(predict_on(&machine, "broadcast", "hierarchical", &call),
                0.2 + 13.0 + tells + look + sends + 13.0 + tells + 0.001 + 5.0 * look + 0.001 +
                    0.01 + 50000e-9 + 13.0,
                1e-9);
    /* What is read of all is not the root's to send. */
    model_collective_call_t other = make_call(8, 4, 4000.0);
    assert_near(predict_on(&machine, "allgather", "linear", &other),
                predict("allgather", "linear", 8, 4, 4000.0), 1e-9);
    /* If what all read at once takes longer, it counts. */
    set(&machine, MODEL_ROUND_PRICE(MODEL_ROUND_READ, 3, MODEL_REMOTE), 1e6);
    assert_true(predict_on(&machine, "broadcast", "linear", &call) > 1e4);
}

/* Slices of the node's members first, then the root's node those of both, then the root. */
static void a_node_alone_reads_slices(void **state)
{
    (void)state;
    double tells = 1e-7 * (32.0 - 8.0);
    double look = 0.001 + 3.0 * (0.01 + 16e-9);
    double on_node = 0.001 + 0.01 + 4000e-9;
    double remote = 0.001 + 7.0 + 8e-8 + 2.0 * 1e-8 * 3992.0;
    assert_near(predict("reduce", "hierarchical", 4, 2, 8000),
                0.2 + 3.0 * tells + 3.0 * look + on_node + remote + on_node + 2.0 * 500.0 * 1e-4 +
                    4.0 * 8.0,
                1e-9);
    /* Of one to all both nodes read. */
    remote = 0.001 + 20.0 + 4000e-7;
    assert_near(predict("allreduce", "hierarchical", 4, 2, 8000),
                0.2 + 3.0 * tells + 3.0 * look + on_node + remote + on_node + 2.0 * 500.0 * 1e-4 +
                    4.0 * 8.0,
                1e-9);
}

/* Showing takes 1e-9 s a byte here; of what is long nobody copies what only it reads. */
static void own_bytes_are_not_shown(void **state)
{
    (void)state;
    static const double sizes[MODEL_ROUND_SIZES] = MODEL_ROUND_BYTES;
    model_machine_t machine = make_machine();
    model_collective_call_t call = make_call(2, 1, 8000);
    for (int s = 0; s < MODEL_ROUND_SIZES; s++) {
        double seconds = 3.0 + 0.01 + 1e-9 * sizes[s] + 1e-6 * sizes[s];
        set(&machine, MODEL_ROUND_PRICE(MODEL_ROUND, s, MODEL_LOCAL), seconds);
    }
    double reads = 2.0 * 0.001 + 0.01 + 16e-9 + 0.01 + 8e-6;
    const model_collective_t *alltoall = model_collective_find("alltoall", "linear");
    assert_near(model_collective_predict(alltoall, &call, &machine).predicted, 8e-3 + 6.0 + reads,
                1e-9);
    const model_collective_t *scatter = model_collective_find("scatter", "linear");
    assert_near(model_collective_predict(scatter, &call, &machine).predicted,
                8e-3 + 6.0 + 0.01 + 16e-9 + 0.01 + 8e-6, 1e-9);
    call = make_call(2, 1, 1000);
    assert_near(model_collective_predict(alltoall, &call, &machine).predicted,
                2e-3 + 3.0 + 0.001 + 0.01 + 1e-6, 1e-9);
}

/* What the price of showing, 1e-6 s a byte here, adds to a call. */
static double shown_bytes(const char *name, const char *algorithm,
                          const model_collective_call_t *call)
{
    static const double sizes[MODEL_ROUND_SIZES] = MODEL_ROUND_BYTES;
    const model_collective_t *collective = model_collective_find(name, algorithm);
    model_machine_t machine = make_machine();
    double seconds[2];
    for (int costs = 0; costs < 2; costs++) {
        for (int s = 0; s < MODEL_ROUND_SIZES; s++)
            set(&machine, MODEL_ROUND_PRICE(MODEL_ROUND, s, MODEL_LOCAL),
                3.0 + 0.01 + 1e-9 * sizes[s] + 1e-6 * costs * sizes[s]);
        seconds[costs] = model_collective_predict(collective, call, &machine).predicted;
    }
    return 1e6 * (seconds[1] - seconds[0]);
}

/* What members of other nodes alone read is lent to them. */
static void blocks_for_other_nodes_are_not_shown(void **state)
{
    (void)state;
    model_collective_call_t call = make_call(6, 2, 8000);
    assert_near(shown_bytes("alltoall", "linear", &call), 2.0 * 8000.0, 1e-3);
    assert_near(shown_bytes("alltoallv", "eager", &call), (2.0 + 5.0) * 8000.0, 1e-3); /* twice */
    assert_near(shown_bytes("scatter", "linear", &call), 2.0 * 8000.0, 1e-3);
    assert_near(shown_bytes("allgather", "linear", &call), 8000.0, 1e-3);
    call = make_call(6, 2, 200000);
    assert_near(shown_bytes("alltoallv", "eager", &call), 2.0 * 200000.0, 1e-3);
    call = make_call(3, 2, 8000);
    call.root = 2; /* alone on its node */
    assert_near(shown_bytes("gather", "linear", &call), 0.0, 1e-3);
    assert_near(shown_bytes("gatherv", "linear", &call), 0.0, 1e-3);
    call.root = 0;
    assert_near(shown_bytes("gather", "linear", &call), 8000.0, 1e-3);
}

/* In a scan every member is of another kind, and one more costs as much as the last one did, be
 * there as few kinds as are kept or more. */
static void many_members_cost_as_few_do(void **state)
{
    (void)state;
    for (size_t threads = 20; threads <= 90; threads++) {
        double more = predict("scan", "linear", threads + 1, 1, 8.0) -
                      predict("scan", "linear", threads, 1, 8.0);
        double first =
            predict("scan", "linear", 11, 1, 8.0) - predict("scan", "linear", 10, 1, 8.0);
        assert_true(fabs(more - first) <= 1e-9 * first);
    }
}

/* What both use alike does not make them alike, nor does what only the slower one uses if it may
 * be slower still; a spread that may make up for the difference does. */
static void differences_have_a_spread(void **state)
{
    (void)state;
    model_machine_t machine = make_machine();
    model_collective_call_t call = make_call(2, 1, 16);
    const model_collective_t *linear = model_collective_find("allreduce", "linear");
    const model_collective_t *slices = model_collective_find("allreduce", "rabenseifner");
    model_collective_gap_t gap = model_collective_compare(slices, linear, &call, &machine);
    assert_true(gap.predicted > 1.8 && gap.spread == 0.0);
    machine.parameters[MODEL_ROUND_PRICE(MODEL_ROUND, 0, MODEL_LOCAL)].max += 100.0;
    gap = model_collective_compare(slices, linear, &call, &machine);
    assert_true(gap.spread < 1e-9);
    /* Slices meet three times, and linear once. */
    model_spread_t *meeting = &machine.parameters[MODEL_ROUND_PRICE(MODEL_MEETING, 0, MODEL_LOCAL)];
    double predicted = gap.predicted;
    meeting->max += 100.0;
    gap = model_collective_compare(slices, linear, &call, &machine);
    assert_near(gap.predicted, predicted, 1e-12);
    assert_true(gap.spread < 1e-9);
    meeting->min = 1.0;
    gap = model_collective_compare(slices, linear, &call, &machine);
    assert_near(gap.spread * 3.218, 2.0 * 2.0, 0.01);
    assert_true(gap.spread < gap.predicted);
    /* Of many elements linear combines more; slower meetings would make up for that. */
    call = make_call(2, 1, 1e6);
    gap = model_collective_compare(linear, slices, &call, &machine);
    assert_true(gap.predicted > 0.0 && gap.spread > gap.predicted);
}

static void missing_prices_are_named(void **state)
{
    (void)state;
    int missing;
    const model_collective_t *linear = model_collective_find("broadcast", "linear");
    model_machine_t machine = make_machine();
    model_collective_call_t several = make_call(8, 4, 8);
    model_collective_call_t one = make_call(2, 1, 8);
    assert_true(model_collective_is_priced(linear, &several, &machine, &missing));
    machine.has[MODEL_ROUND_PRICE(MODEL_ROUND_READ, 2, MODEL_REMOTE)] = false;
    assert_true(model_collective_is_priced(linear, &one, &machine, &missing));
    assert_false(model_collective_is_priced(linear, &several, &machine, &missing));
    assert_string_equal(model_parameter_name(missing), "round_read_65536_remote");
    machine = make_machine();
    machine.has[MODEL_READ_ALONE(3)] = false; /* a file made before it was measured */
    assert_true(model_collective_is_priced(linear, &one, &machine, &missing));
    assert_false(model_collective_is_priced(linear, &several, &machine, &missing));
    assert_string_equal(model_parameter_name(missing), "round_read_alone_1048576_remote");
    machine.has[MODEL_ROUND_PRICE(MODEL_MEETING, 0, MODEL_LOCAL)] = false;
    assert_false(model_collective_is_priced(linear, &one, &machine, &missing));
    assert_string_equal(model_parameter_name(missing), "meeting_local");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_has_a_formula),
        cmocka_unit_test(meetings_follow_the_shape),
        cmocka_unit_test(times_are_those_by_hand),
        cmocka_unit_test(two_show_little_with_the_meeting),
        cmocka_unit_test(who_reads_alone_has_its_price),
        cmocka_unit_test(the_root_sends_to_all),
        cmocka_unit_test(a_node_alone_reads_slices),
        cmocka_unit_test(own_bytes_are_not_shown),
        cmocka_unit_test(blocks_for_other_nodes_are_not_shown),
        cmocka_unit_test(many_members_cost_as_few_do),
        cmocka_unit_test(differences_have_a_spread),
        cmocka_unit_test(missing_prices_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
