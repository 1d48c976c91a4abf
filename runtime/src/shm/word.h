/**
 * Atomic operations on a word of memory that is mapped here, for a type and an operation that are
 * known at run time.
 */
#ifndef PGASI_SHM_WORD_H
#define PGASI_SHM_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include <pgas/word.h>

/** Whether both exist and go together. */
bool pgasi_word_allows(unsigned op, unsigned type);

/** Executes the operation, which the type has, on an aligned word: acquires and releases. Returns
 *  the old value; pgas_atomic (pgas/atomic.h) says what the operands are. */
uint64_t pgasi_word_apply(pgas_atomic_op_t op, pgas_type_t type, void *word, uint64_t operand,
                          uint64_t compare);

#endif
