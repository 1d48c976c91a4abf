#include "copy/call_site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pgas/async.h>
#include <pgas/detail.h>

#include "base/log.h"

#ifndef PGAS_DEBUG

/* For programs that are built with the checks. */
void pgasi_call_site(const char *call, const char *file, int line)
{
    (void)call;
    (void)file;
    (void)line;
}

#else

static _Thread_local pgasi_site_t noted;

void pgasi_call_site(const char *call, const char *file, int line)
{
    noted = (pgasi_site_t){call, file, line};
}

/* The record may be of another call, made for an argument of this one. */
pgasi_site_t pgasi_site_of(const char *call)
{
    pgasi_site_t site = {call, NULL, 0};
    if (noted.call != NULL && strcmp(noted.call, call) == 0)
        site = noted;
    noted = (pgasi_site_t){NULL, NULL, 0};
    return site;
}

const char *pgasi_site_describe(const pgasi_site_t *site, char *text, size_t size)
{
    if (site->file == NULL)
        snprintf(text, size, "%s", site->call);
    else
        snprintf(text, size, "%s at %s:%d", site->call, site->file, site->line);
    return text;
}

static bool is_same(const pgasi_site_t *a, const pgasi_site_t *b)
{
    return strcmp(a->call, b->call) == 0 && a->line == b->line &&
           (a->file == NULL ? b->file == NULL : b->file != NULL && strcmp(a->file, b->file) == 0);
}

void pgasi_sites_add(pgasi_sites_t *sites, const pgasi_site_t *site)
{
    for (size_t i = sites->length; i-- > 0;)
        if (is_same(&sites->entries[i].site, site)) {
            sites->entries[i].count++;
            return;
        }
    if (sites->length == sites->size) {
        size_t size = sites->size == 0 ? 16 : 2 * sites->size;
        struct pgasi_site_count *grown = realloc(sites->entries, size * sizeof *grown);
        if (grown == NULL)
            pgasi_fatal(site->call, "no memory to check the calls of %zu places", size);
        sites->entries = grown;
        sites->size = size;
    }
    sites->entries[sites->length++] = (struct pgasi_site_count){.site = *site, .count = 1};
}

void pgasi_sites_clear(pgasi_sites_t *sites)
{
    sites->length = 0;
}

void pgasi_sites_report(const char *call, pgasi_sites_t *sites, const char *what, const char *wrong)
{
    char text[512];
    for (size_t i = 0; i < sites->length; i++) {
        size_t count = sites->entries[i].count;
        pgasi_tell("%s: %zu %s%s of %s %s", call, count, what, count == 1 ? "" : "s",
                   pgasi_site_describe(&sites->entries[i].site, text, sizeof text), wrong);
    }
    free(sites->entries);
    *sites = (pgasi_sites_t){0};
}

#endif
