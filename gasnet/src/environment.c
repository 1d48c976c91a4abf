#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pgas/copy.h>
#include <pgas/heap.h>
#include <pgas/ptr.h>
#include <pgas/sync.h>

/* Node 0's environment: strings "NAME=VALUE", one after the other, and an empty one. */
static char *console;

/* After clearenv there is no list. */
static char **entries(void)
{
    static char *none = NULL;
    return environ != NULL ? environ : &none;
}

static size_t measure(void)
{
    size_t size = 1;
    for (char **entry = entries(); *entry != NULL; entry++)
        size += strlen(*entry) + 1;
    return size;
}

static void fill(char *to)
{
    for (char **entry = entries(); *entry != NULL; entry++)
        to = stpcpy(to, *entry) + 1;
    *to = '\0';
}

typedef struct place {
    pgas_ptr_t text;
    uint64_t size;
} place_t;

/* Node 0's text, in its segment; nothing if it does not fit. */
static place_t publish(void)
{
    place_t place = {.size = measure()};
    size_t room = pgas_heap_size() - pgas_heap_used();
    if (place.size > room / 2 || pgas_alloc(place.size, &place.text) != PGAS_OK)
        return (place_t){0};
    fill(pgas_local(place.text));
    return place;
}

void gasneti_environment_share(void)
{
    pgas_ptr_t board;
    place_t place = {0};
    if (pgas_threads() == 1 || pgas_all_alloc(1, sizeof place, &board) != PGAS_OK)
        return;
    if (pgas_mythread() == 0) {
        place = publish();
        pgas_memput(board, &place, sizeof place);
    }
    pgas_barrier();
    pgas_memget(&place, board, sizeof place);
    if (place.size > 0 && (console = malloc(place.size)) != NULL)
        pgas_memget(console, place.text, place.size);
    pgas_barrier();
    if (pgas_mythread() == 0 && place.size > 0)
        pgas_free(place.text);
    pgas_all_free(board);
}

/* The entry of a variable in node 0's environment, or NULL. */
static char *find(const char *name)
{
    size_t length = strlen(name);
    for (char *entry = console; entry != NULL && *entry != '\0'; entry += strlen(entry) + 1)
        if (strncmp(entry, name, length) == 0 && entry[length] == '=')
            return entry;
    return NULL;
}

char *gasnet_getenv(const char *name)
{
    char *entry = name != NULL ? find(name) : NULL;
    if (name == NULL)
        return NULL;
    return entry != NULL ? entry + strlen(name) + 1 : getenv(name);
}

/* The name becomes one that nobody asks for; the length stays. */
void gasneti_environment_forget(const char *name)
{
    char *entry = find(name);
    if (entry != NULL)
        entry[0] = '=';
}
