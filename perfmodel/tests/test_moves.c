/* Moves of values: consecutive ones, one in every line and what lies between; held by the cache or
 * in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs some of the above. */
#include <cmocka.h>

#include "moves.h"
#include "near.h"

static model_parameters_t machine;

/* Move m takes m + 1 ns held, and ten times that from memory. */
static int set_up(void **state)
{
    (void)state;
    machine = (model_parameters_t){.cache_line_bytes = 64, .last_level_share_bytes = 1e6};
    for (int m = 0; m < MODEL_MOVES; m++) {
        machine.value[MODEL_MOVE(m)] = (m + 1) * 1e-9;
        machine.value[MODEL_MOVE(m) + 1] = (m + 1) * 1e-8;
        machine.has[MODEL_MOVE(m)] = machine.has[MODEL_MOVE(m) + 1] = true;
    }
    return 0;
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(model_parameter_name(MODEL_MOVE(MODEL_MOVE_COPY)), "move_copy_near");
    assert_string_equal(model_parameter_name(MODEL_MOVE(MODEL_MOVE_UNPACK_LINES) + 1),
                        "move_unpack_lines_far");
    assert_string_equal(model_parameter_name(MODEL_MOVE(MODEL_MOVES) - 1), "move_plan_lines_far");
}

static void all_or_none(void **state)
{
    (void)state;
    assert_true(modeli_knows_moves(&machine));
    machine.has[MODEL_MOVE(MODEL_MOVES) - 1] = false;
    assert_false(modeli_knows_moves(&machine));
    machine.has[MODEL_MOVE(MODEL_MOVES) - 1] = true;
}

static void held_part(void **state)
{
    (void)state;
    assert_near(modeli_held_part(0.0, &machine), 1.0, 0);
    assert_near(modeli_held_part(1e6, &machine), 1.0, 0);
    assert_near(modeli_held_part(4e6, &machine), 0.25, 1e-15);
    machine.last_level_share_bytes = 0.0;
    assert_near(modeli_held_part(1.0, &machine), 0.0, 0);
    machine.last_level_share_bytes = 1e6;
}

static void by_place(void **state)
{
    (void)state;
    modeli_values_t values = {.count = 1000.0, .held = 1.0};
    assert_near(modeli_move_seconds(values, &machine, MODEL_MOVE_PUT), 3e-6, 1e-15);
    values.held = 0.0;
    assert_near(modeli_move_seconds(values, &machine, MODEL_MOVE_PUT), 3e-5, 1e-15);
    values.held = 0.5;
    assert_near(modeli_move_seconds(values, &machine, MODEL_MOVE_COPY), 5.5e-6, 1e-15);
}

static void by_lines(void **state)
{
    (void)state;
    modeli_values_t values = {.count = 800.0, .lines = 100.0, .held = 1.0};
    assert_near(modeli_listed_seconds(values, &machine, MODEL_MOVE_PACK), 800 * 4e-9, 1e-15);
    values.lines = 0.0; /* unknown, or none: not below that */
    assert_near(modeli_listed_seconds(values, &machine, MODEL_MOVE_PACK), 800 * 4e-9, 1e-15);
    values.lines = 800.0;
    assert_near(modeli_listed_seconds(values, &machine, MODEL_MOVE_PACK), 800 * 5e-9, 1e-15);
    values.lines = 450.0;
    assert_near(modeli_listed_seconds(values, &machine, MODEL_MOVE_PLAN), 800 * 8.5e-9, 1e-15);
    values.count = 0.0;
    assert_near(modeli_listed_seconds(values, &machine, MODEL_MOVE_PLAN), 0.0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),    cmocka_unit_test(all_or_none), cmocka_unit_test(held_part),
        cmocka_unit_test(by_place), cmocka_unit_test(by_lines),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
