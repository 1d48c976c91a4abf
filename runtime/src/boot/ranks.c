#include "boot/ranks.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/log.h"

/* Reads a rank below `limit`, and moves `*text` behind it. */
static bool read_rank(const char **text, uint32_t limit, uint32_t *rank)
{
    const char *at = *text;
    uint64_t number = 0;
    while (*at >= '0' && *at <= '9' && number < limit)
        number = 10 * number + (uint64_t)(*at++ - '0');
    if (at == *text || number >= limit)
        return false;
    *text = at;
    *rank = (uint32_t)number;
    return true;
}

/* Marks the ranks of a list. False if it is none, or has one twice. */
static bool mark(const char *text, uint32_t limit, bool *is_there)
{
    for (;;) {
        uint32_t first;
        if (!read_rank(&text, limit, &first))
            return false;
        uint32_t last = first;
        if (*text == '-') {
            text++;
            if (!read_rank(&text, limit, &last))
                return false;
        }
        if (last < first)
            return false;
        for (uint32_t rank = first; rank <= last; rank++) {
            if (is_there[rank])
                return false;
            is_there[rank] = true;
        }
        if (*text == '\0')
            return true;
        if (*text++ != ',')
            return false;
    }
}

pgas_status_t pgasi_ranks_parse(const char *text, uint32_t limit, uint32_t **ranks, uint32_t *count)
{
    bool *is_there = calloc((size_t)limit + 1, sizeof *is_there);
    *ranks = is_there != NULL ? malloc(((size_t)limit + 1) * sizeof **ranks) : NULL;
    *count = 0;
    pgas_status_t status = PGAS_OK;
    if (*ranks == NULL) {
        pgasi_log("no memory for a list of %u threads", limit);
        status = PGAS_ERR_NO_MEMORY;
    } else if (text == NULL || !mark(text, limit, is_there)) {
        pgasi_log("the launcher names threads '%.200s' of %u on this host",
                  text != NULL ? text : "", limit);
        status = PGAS_ERR_SYSTEM;
    }
    for (uint32_t rank = 0; status == PGAS_OK && rank < limit; rank++)
        if (is_there[rank])
            (*ranks)[(*count)++] = rank;
    free(is_there);
    if (status != PGAS_OK) {
        free(*ranks);
        *ranks = NULL;
    }
    return status;
}
