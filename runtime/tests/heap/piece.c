#include "piece.h"

#include "quiet.h"

enum {
    /* A block is stamped at regular intervals, and at its end. */
    STAMP_DISTANCE = 1 << 16,
    STAMP_SIZE = 64
};

size_t threads;
size_t me;

/* The bytes that an allocation counts as, by heap.h. */
size_t counted(size_t nbytes)
{
    return (nbytes + UNIT - 1) / UNIT * UNIT + UNIT;
}

/* Allocates `nbytes` bytes in the own segment, or in every segment. */
pgas_status_t allocate(kind_t kind, size_t nbytes, pgas_ptr_t *ptr)
{
    switch (kind) {
    case OWN:
        return pgas_alloc(nbytes, ptr);
    case GLOBAL:
        return pgas_global_alloc(threads, nbytes, ptr);
    default:
        return pgas_all_alloc(threads, nbytes, ptr);
    }
}

/* The same; checks that a failure logs one line and leaves `ptr` unchanged. */
bool try_allocate(kind_t kind, size_t nbytes, pgas_ptr_t *ptr)
{
    pgas_ptr_t untouched = {11, 12, 13};
    *ptr = untouched;
    int kept = quiet_begin();
    pgas_status_t status = allocate(kind, nbytes, ptr);
    int lines = quiet_end(kept);
    if (status == PGAS_OK) {
        CHECK(lines == 0);
        return true;
    }
    CHECK(status == PGAS_ERR_NO_MEMORY);
    CHECK(lines == (kind != ALL || me == 0));
    CHECK(pgas_ptr_equal(*ptr, untouched) && ptr->phase == untouched.phase);
    return false;
}

/* Calls `visit` for each stamp in the part of one segment. */
static void visit_stamps(const piece_t *piece, uint32_t thread,
                         void (*visit)(pgas_ptr_t at, size_t nbytes, int fill))
{
    pgas_ptr_t at = {thread, 0, piece->ptr.offset};
    size_t size = piece->nbytes < STAMP_SIZE ? piece->nbytes : STAMP_SIZE;
    for (size_t begin = 0; begin + size < piece->nbytes; begin += STAMP_DISTANCE) {
        at.offset = piece->ptr.offset + begin;
        visit(at, size, piece->fill);
    }
    at.offset = piece->ptr.offset + piece->nbytes - size;
    visit(at, size, piece->fill);
}

void stamp(pgas_ptr_t at, size_t nbytes, int fill)
{
    pgas_memset(at, fill, nbytes);
}

void check_stamp(pgas_ptr_t at, size_t nbytes, int fill)
{
    char bytes[STAMP_SIZE] = {0};
    pgas_memget(bytes, at, nbytes);
    for (size_t i = 0; i < nbytes; i++)
        CHECK(bytes[i] == (char)fill);
}

/* A piece of one thread is visited by its creator, a piece of all by each thread in its own
 * part. */
void visit_piece(const piece_t *piece, void (*visit)(pgas_ptr_t at, size_t nbytes, int fill))
{
    if (piece->kind == OWN)
        visit_stamps(piece, piece->ptr.thread, visit);
    else if (piece->kind == ALL)
        visit_stamps(piece, (uint32_t)me, visit);
    else
        for (uint32_t thread = 0; thread < threads; thread++)
            visit_stamps(piece, thread, visit);
}

void check_nothing_used(void)
{
    pgas_barrier();
    CHECK(pgas_heap_used() == 0);
    pgas_barrier();
}

void give_back(kind_t kind, pgas_ptr_t ptr)
{
    if (kind == ALL)
        pgas_all_free(ptr);
    else
        pgas_free(ptr);
}
