#include <string.h>

#include "async_model.h"
#include "random.h"

enum {
    REGIONS = 60,
    COPIES_OF_REGION = 3
};

static void complete_implicit(void)
{
    if (below(2) == 0)
        pgas_waitsynci();
    else
        while (!pgas_trysynci())
            ;
    CHECK(pgas_trysynci());
}

/* 5: copies without handles, among others with handles. */
void test_implicit(void)
{
    copy_t copies[MOST_COPIES];
    pgas_handle_t handles[MOST_COPIES];
    bool has_handle[MOST_COPIES];
    CHECK(pgas_trysynci());
    pgas_waitsynci();
    for (int batch = 0; batch < BATCHES; batch++) {
        size_t count = 1 + random_size(&generator, MOST_COPIES - 1);
        size_t explicit = 0;
        for (size_t i = 0; i < count; i++) {
            copies[i] = plan(i, count);
            has_handle[i] = below(3) == 0;
            if (has_handle[i])
                handles[explicit ++] = start(&copies[i]);
            else
                start_implicit(&copies[i]);
        }
        bool handles_first = below(2) == 0;
        if (handles_first)
            synchronise(handles, explicit);
        else
            complete_implicit();
        for (size_t i = 0; i < count; i++)
            if (has_handle[i] == handles_first)
                check_copy(&copies[i]);
        if (handles_first)
            complete_implicit();
        else
            synchronise(handles, explicit);
        for (size_t i = 0; i < count; i++)
            check_copy(&copies[i]);
    }
}

enum {
    OUTSIDE,
    INSIDE,
    WITH_HANDLE,
    SETS
};

static void check_set(const copy_t *copies, const size_t *set_of, size_t count, size_t set)
{
    for (size_t i = 0; i < count; i++)
        if (set_of[i] == set)
            check_copy(&copies[i]);
}

/* 6: copies before, in and after an access region, with handles too; the three sets are
 * synchronised in any order, and completion of one implies nothing about another. */
void test_region(void)
{
    copy_t copies[MOST_COPIES];
    pgas_handle_t handles[MOST_COPIES];
    size_t set_of[MOST_COPIES];
    size_t order[SETS];
    for (int batch = 0; batch < BATCHES; batch++) {
        size_t count = 3 + random_size(&generator, MOST_COPIES - 3);
        size_t explicit = 0;
        pgas_handle_t region = PGAS_HANDLE_COMPLETE;
        for (size_t i = 0; i < count; i++) {
            bool in_region = i >= count / 3 && i < 2 * count / 3;
            if (i == count / 3)
                pgas_begin_accessregion();
            if (i == 2 * count / 3)
                region = pgas_end_accessregion();
            copies[i] = plan(i, count);
            set_of[i] = below(3) == 0 ? WITH_HANDLE : in_region ? INSIDE : OUTSIDE;
            if (set_of[i] == WITH_HANDLE)
                handles[explicit ++] = start(&copies[i]);
            else
                start_implicit(&copies[i]);
        }
        shuffle(order, SETS);
        for (size_t i = 0; i < SETS; i++) {
            if (order[i] == OUTSIDE)
                complete_implicit();
            else if (order[i] == INSIDE)
                synchronise(&region, 1);
            else
                synchronise(handles, explicit);
            check_set(copies, set_of, count, order[i]);
        }
        CHECK(memcmp(memory, expected, ROOM) == 0);
    }
}

/* 7: many regions in flight, some of them empty; pgas_trysynci must ignore their copies. */
void test_regions(void)
{
    copy_t copies[REGIONS * COPIES_OF_REGION];
    pgas_handle_t handles[REGIONS];
    for (int way = 0; way < WAYS; way++) {
        size_t count = 0;
        for (size_t i = 0; i < REGIONS; i++) {
            size_t last = count + below(COPIES_OF_REGION + 1);
            pgas_begin_accessregion();
            bool is_empty = count == last;
            for (; count < last; count++) {
                copies[count] = plan(count, sizeof copies / sizeof copies[0]);
                start_implicit(&copies[count]);
            }
            handles[i] = pgas_end_accessregion();
            CHECK(!is_empty || pgas_handle_is_complete(handles[i]));
            CHECK(pgas_trysynci());
        }
        ways[way](handles, REGIONS);
        for (size_t i = 0; i < count; i++)
            check_copy(&copies[i]);
    }
}
