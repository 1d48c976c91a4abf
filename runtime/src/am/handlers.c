#include "am/handlers.h"

#include <stdio.h>
#include <string.h>

#include <pgas/detail.h>

#include "am/mailbox.h"
#include "base/hash.h"
#include "base/in_job.h"
#include "net/net.h"

pgasi_handler_t pgasi_handlers[PGASI_HANDLERS + 1];
_Atomic uint32_t pgasi_handlers_count;

_Static_assert(PGASI_HANDLERS == PGAS_AM_MAX_HANDLERS, "the mailbox has room for all names");

static const char *const places[] = {"PGAS_AM_POLL", "PGAS_AM_ANYWHERE"};

/* Whether a handler cannot be added, and why. */
static bool is_wrong(const char *name, pgas_am_handler_t *run, pgas_am_where_t where, char *why,
                     size_t size)
{
    uint32_t count = atomic_load(&pgasi_handlers_count);
    const char *said = name == NULL ? "" : name;
    *why = '\0';
    if (*said == '\0' || strlen(said) >= PGASI_HANDLER_NAME)
        snprintf(why, size, "'%s': a name has 1 to %d characters", said, PGASI_HANDLER_NAME - 1);
    else if (run == NULL || (where != PGAS_AM_POLL && where != PGAS_AM_ANYWHERE))
        snprintf(why, size, "'%s' has no function, or neither PGAS_AM_POLL nor PGAS_AM_ANYWHERE",
                 said);
    else if (count == PGASI_HANDLERS)
        snprintf(why, size, "'%s': %d handlers are registered already", said, PGASI_HANDLERS);
    for (uint32_t i = 1; *why == '\0' && i <= count; i++)
        if (strcmp(pgasi_handlers[i].name, said) == 0)
            snprintf(why, size, "'%s' is registered already", said);
    return *why != '\0';
}

uint32_t pgasi_handlers_add(const char *call, const char *name, pgas_am_handler_t *run,
                            pgas_am_where_t where)
{
    char why[256];
    uint32_t count = atomic_load(&pgasi_handlers_count);
    if (is_wrong(name, run, where, why, sizeof why)) {
        pgasi_guess_thread();
        pgasi_fatal(call, "%s", why);
    }
    pgasi_handler_t *added = &pgasi_handlers[count + 1];
    added->run = run;
    added->where = where;
    memcpy(added->name, name, strlen(name) + 1);
    atomic_store(&pgasi_handlers_count, count + 1);
    return count + 1;
}

uint64_t pgasi_handlers_hash(void)
{
    uint64_t hash = atomic_load(&pgasi_handlers_count);
    for (uint32_t i = 1; i <= atomic_load(&pgasi_handlers_count); i++) {
        for (const char *c = pgasi_handlers[i].name; *c != '\0'; c++)
            hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
        hash = pgasi_hash_add(hash, 256 + (uint64_t)pgasi_handlers[i].where);
    }
    return hash;
}

void pgasi_handlers_publish(void)
{
    pgasi_handler_name_t *names = pgasi_mailbox_of(pgasi_job.thread)->handlers;
    for (uint32_t i = 1; i <= atomic_load(&pgasi_handlers_count); i++) {
        memcpy(names[i - 1].name, pgasi_handlers[i].name, PGASI_HANDLER_NAME);
        names[i - 1].where = (uint32_t)pgasi_handlers[i].where;
    }
}

static void read_name(uint32_t thread, uint32_t index, pgasi_handler_name_t *entry)
{
    uint64_t offset = PGASI_MAILBOX_BEGIN + offsetof(pgasi_mailbox_t, handlers) +
                      index * sizeof(pgasi_handler_name_t);
    const char *base = pgasi_job.peers[thread].base;
    if (base != NULL)
        memcpy(entry, base + offset, sizeof *entry);
    else
        pgasi_net_get(entry, (pgas_ptr_t){.thread = thread, .offset = offset}, sizeof *entry);
    entry->name[PGASI_HANDLER_NAME - 1] = '\0';
}

static void describe(const pgasi_handler_name_t *entry, char *text, size_t size)
{
    if (entry->name[0] == '\0')
        snprintf(text, size, "none");
    else
        snprintf(text, size, "'%s', %s", entry->name, places[entry->where % 2]);
}

void pgasi_handlers_differ(const char *call, uint32_t other)
{
    uint32_t index = 0;
    pgasi_handler_name_t mine;
    pgasi_handler_name_t theirs;
    char here[128];
    char there[128];
    for (;; index++) {
        memset(&mine, 0, sizeof mine);
        if (index < atomic_load(&pgasi_handlers_count)) {
            memcpy(mine.name, pgasi_handlers[index + 1].name, sizeof mine.name);
            mine.where = (uint32_t)pgasi_handlers[index + 1].where;
        }
        read_name(other, index, &theirs);
        if (index + 1 == PGASI_HANDLERS || strcmp(mine.name, theirs.name) != 0 ||
            mine.where != theirs.where)
            break;
    }
    describe(&mine, here, sizeof here);
    describe(&theirs, there, sizeof there);
    pgasi_fatal(call, "handler %u of active messages is %s here, but %s on thread %u", index + 1,
                here, there, other);
}
