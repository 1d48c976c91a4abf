/**
 * Call sites of the program, as the debug build's headers record them.
 */
#ifndef PGASI_COPY_CALL_SITE_H
#define PGASI_COPY_CALL_SITE_H

#include <stdbool.h>
#include <stddef.h>

/** A call of the program; the file is NULL where no header recorded it. Kept by reference. */
typedef struct pgasi_site {
    const char *call;
    const char *file;
    int line;
} pgasi_site_t;

/** The site of the present call of `call`; clears the record. */
pgasi_site_t pgasi_site_of(const char *call);

/** Writes "pgas_memput_async at main.c:12". Returns `text`. */
const char *pgasi_site_describe(const pgasi_site_t *site, char *text, size_t size);

/** The number of calls by site. Starts as {0}. */
typedef struct pgasi_sites {
    struct pgasi_site_count {
        pgasi_site_t site;
        size_t count;
    } * entries;
    size_t length;
    size_t size;
} pgasi_sites_t;

/** Counts one call. */
void pgasi_sites_add(pgasi_sites_t *sites, const pgasi_site_t *site);

/** Forgets all; the memory is kept for the next. */
void pgasi_sites_clear(pgasi_sites_t *sites);

/** Prints a line for each site: how many of `what` ("handle") there are, and what is wrong with
 *  them. Frees the memory. */
void pgasi_sites_report(const char *call, pgasi_sites_t *sites, const char *what,
                        const char *wrong);

#endif
