/**
 * Long blocks that go piece by piece, against a plain computation: sizes around whole numbers of
 * pieces, and short calls between them; blocking and in flight, several at once, on teams that
 * overlap; memory private, shared, or both by chance in each member; in place and not.
 *
 * Orders that must do no harm:
 *   - a member is late before a call, while others have pieces to show
 *   - a fast member overwrites what it has sent as soon as its call is complete, and uses its stage
 *     again on another team, while a slow one reads the last piece
 *   - one member alone shows pieces, or all but one
 *
 * Usage: runtime_coll_pieces [ROUNDS], or with "long": blocks of which the heap holds pieces only.
 */
#include <stdlib.h>
#include <string.h>

#include "call_bytes.h"
#include "check.h"
#include "job_random.h"
#include "team_shapes.h"

enum {
    ROUNDS = 40,
    /* What a member shows at a time, and the most that it shows. */
    PIECE = 131072,
    MOST = 5 * PIECE,
    /* Calls at once. */
    SLOTS = 5,
    LONG = 3 << 20
};

typedef enum kind {
    BROADCAST,
    SCATTER,
    GATHER,
    ALLGATHER,
    ALLTOALL,
    KINDS
} kind_t;

/* Buffers, and the call that uses them. */
typedef struct slot {
    unsigned char *private_memory[2];
    unsigned char *shared_memory[2];
    size_t room;
    pgas_team_t *team;
    kind_t kind;
    uint64_t seed;
    size_t nbytes;
    int root;
    unsigned char *src;
    unsigned char *dst;
    pgas_handle_t handle;
} slot_t;

static slot_t slots[SLOTS];

static int rank_of(const slot_t *slot)
{
    return pgas_team_rank(slot->team);
}

static bool is_root(const slot_t *slot)
{
    return rank_of(slot) == slot->root;
}

static bool has_blocks(kind_t kind)
{
    return kind == SCATTER || kind == ALLTOALL;
}

/* Of a member. One time in three it is short, else around a whole number of pieces. */
static size_t draw_bytes(uint64_t *common, kind_t kind, int size)
{
    size_t others = has_blocks(kind) && size > 1 ? (size_t)size - 1 : 1;
    size_t piece = PIECE / others / 64 * 64;
    if (random_below(common, 3) == 0)
        return random_below(common, 9);
    return (1 + random_below(common, MOST / PIECE - 1)) * piece + random_below(common, 130) - 65;
}

static void fill(const slot_t *slot)
{
    int size = pgas_team_size(slot->team);
    int me = rank_of(slot);
    switch (slot->kind) {
    case BROADCAST:
        if (is_root(slot))
            call_bytes_fill(slot->dst, slot->nbytes, slot->seed, me, 0);
        break;
    case SCATTER:
    case ALLTOALL:
        for (int rank = 0; rank < size && (slot->kind == ALLTOALL || is_root(slot)); rank++)
            call_bytes_fill(slot->src + (size_t)rank * slot->nbytes, slot->nbytes, slot->seed, me,
                            rank);
        break;
    default:
        call_bytes_fill(slot->src, slot->nbytes, slot->seed, me, 0);
    }
}

/* Then what was sent and received is overwritten. */
static void check(const slot_t *slot)
{
    int size = pgas_team_size(slot->team);
    int me = rank_of(slot);
    switch (slot->kind) {
    case BROADCAST:
        call_bytes_check(slot->dst, slot->nbytes, slot->seed, slot->root, 0);
        break;
    case SCATTER:
        call_bytes_check(slot->dst, slot->nbytes, slot->seed, slot->root, me);
        break;
    default:
        for (int rank = 0; rank < size && (slot->kind != GATHER || is_root(slot)); rank++)
            call_bytes_check(slot->dst + (size_t)rank * slot->nbytes, slot->nbytes, slot->seed,
                             rank, slot->kind == ALLTOALL ? me : 0);
    }
    memset(slot->src, 0xee, slot->nbytes);
    memset(slot->dst, 0xdd, slot->nbytes);
}

static void call(slot_t *slot, bool waits)
{
    pgas_team_t *team = slot->team;
    pgas_handle_t handle = PGAS_HANDLE_COMPLETE;
    switch (slot->kind) {
    case BROADCAST:
        if (waits)
            pgas_broadcast(team, slot->dst, slot->nbytes, slot->root);
        else
            handle = pgas_broadcast_async(team, slot->dst, slot->nbytes, slot->root);
        break;
    case SCATTER:
        if (waits)
            pgas_scatter(team, slot->src, slot->dst, slot->nbytes, slot->root);
        else
            handle = pgas_scatter_async(team, slot->src, slot->dst, slot->nbytes, slot->root);
        break;
    case GATHER:
        if (waits)
            pgas_gather(team, slot->src, slot->dst, slot->nbytes, slot->root);
        else
            handle = pgas_gather_async(team, slot->src, slot->dst, slot->nbytes, slot->root);
        break;
    case ALLGATHER:
        if (waits)
            pgas_allgather(team, slot->src, slot->dst, slot->nbytes);
        else
            handle = pgas_allgather_async(team, slot->src, slot->dst, slot->nbytes);
        break;
    default:
        if (waits)
            pgas_alltoall(team, slot->src, slot->dst, slot->nbytes);
        else
            handle = pgas_alltoall_async(team, slot->src, slot->dst, slot->nbytes);
    }
    slot->handle = handle;
}

/* The caller's own block in its place, where the call has such. */
static void put_in_place(slot_t *slot)
{
    size_t place = (size_t)rank_of(slot) * slot->nbytes;
    if (slot->kind == ALLGATHER || (slot->kind == GATHER && is_root(slot)))
        slot->src = slot->dst + place;
    else if (slot->kind == SCATTER && is_root(slot))
        slot->dst = slot->src + place;
}

static void create_slots(size_t room, bool shares)
{
    for (int i = 0; i < SLOTS; i++)
        for (int j = 0; j < 2; j++) {
            pgas_ptr_t ptr;
            slots[i].room = room;
            slots[i].private_memory[j] = malloc(room);
            CHECK(slots[i].private_memory[j] != NULL);
            if (!shares)
                continue;
            CHECK(pgas_alloc(room, &ptr) == PGAS_OK);
            slots[i].shared_memory[j] = pgas_local(ptr);
        }
}

/* `shared_of`: one in so many buffers is shared; 0: none. */
static unsigned char *draw_buffer(const slot_t *slot, int which, uint64_t *own, size_t shared_of)
{
    bool is_shared = shared_of > 0 && random_below(own, shared_of) == 0;
    return is_shared ? slot->shared_memory[which] : slot->private_memory[which];
}

static void begin(slot_t *slot, uint64_t common, uint64_t *own, size_t shared_of)
{
    int size = pgas_team_size(slot->team);
    slot->seed = common;
    slot->kind = (kind_t)random_below(&common, KINDS);
    slot->nbytes = draw_bytes(&common, slot->kind, size);
    slot->root = (int)random_below(&common, (size_t)size);
    CHECK((size_t)size * slot->nbytes <= slot->room);
    slot->src = draw_buffer(slot, 0, own, shared_of);
    slot->dst = draw_buffer(slot, 1, own, shared_of);
    if (random_below(own, 3) == 0)
        put_in_place(slot);
    fill(slot);
    dawdle(own);
    call(slot, random_below(own, 2) == 0);
}

/* All members draw the teams alike, and each the order in which it waits. */
static void play(uint64_t seed, uint64_t round, uint64_t *common, uint64_t *own)
{
    size_t count = 1 + random_below(common, SLOTS);
    size_t shared_of = random_below(common, 4);
    size_t first = random_below(own, SLOTS);
    for (size_t i = 0; i < count; i++) {
        slot_t *slot = &slots[i];
        slot->team = shapes[random_below(common, SHAPES)];
        if (slot->team != NULL)
            begin(slot, shapes_seed(slot->team, seed, round * SLOTS + i), own, shared_of);
    }
    for (size_t i = 0; i < SLOTS; i++) {
        slot_t *slot = &slots[(first + i) % SLOTS];
        if ((first + i) % SLOTS >= count || slot->team == NULL)
            continue;
        dawdle(own);
        pgas_waitsync(slot->handle);
        check(slot);
    }
}

/* Blocks that the heap does not hold. */
static void play_long(uint64_t seed)
{
    slot_t *slot = &slots[0];
    slot->team = PGAS_TEAM_ALL;
    for (int kind = 0; kind < KINDS; kind++) {
        slot->kind = (kind_t)kind;
        slot->seed = seed + (uint64_t)kind;
        slot->nbytes = LONG;
        slot->root = kind % pgas_team_size(slot->team);
        slot->src = slot->private_memory[0];
        slot->dst = slot->private_memory[1];
        fill(slot);
        call(slot, kind % 2 == 0);
        pgas_waitsync(slot->handle);
        check(slot);
    }
}

int main(int argc, char **argv)
{
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_threads() <= MOST_THREADS);
    bool is_long = argc > 1 && strcmp(argv[1], "long") == 0;
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : ROUNDS;
    uint64_t seed = random_seed_of_job();
    uint64_t own = random_seed_of_thread(seed);
    uint64_t common = seed;
    size_t most = is_long ? LONG : MOST;
    create_slots((size_t)pgas_threads() * most, !is_long);
    if (is_long) {
        play_long(seed);
        pgas_finalize();
        return 0;
    }
    shapes_create();
    for (uint64_t i = 0; i < rounds; i++)
        play(seed, i, &common, &own);
    shapes_free();
    pgas_finalize();
    return 0;
}
