#include "base/config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

typedef enum kind {
    BYTES,
    COUNT,
    SWITCH,
    TEXT
} kind_t;

typedef struct entry {
    const char *variable;
    kind_t kind;
    void *value;
    const char *help;
} entry_t;

pgasi_settings_t pgasi_settings = {
#define INITIAL(member, kind, variable, initial, help) .member = (initial),
    PGASI_SETTINGS(INITIAL)
#undef INITIAL
};

static const entry_t table[] = {
#define ENTRY(member, kind, variable, initial, help) {variable, kind, &pgasi_settings.member, help},
    PGASI_SETTINGS(ENTRY)
#undef ENTRY
};

enum {
    ENTRIES = sizeof table / sizeof table[0]
};

/* Copies the text: the program may change its environment. */
static pgas_status_t keep_text(size_t index, const char *text)
{
    static char *kept[ENTRIES];
    char *copy = strdup(text);
    if (copy == NULL) {
        pgasi_log_alike("%s: no memory for a text of %zu bytes", table[index].variable,
                        strlen(text));
        return PGAS_ERR_NO_MEMORY;
    }
    *(const char **)table[index].value = copy;
    free(kept[index]);
    kept[index] = copy;
    return PGAS_OK;
}

/* Text that is not of the kind changes no value. */
static bool parse_number(const char *text, kind_t kind, size_t *value)
{
    static const char suffixes[] = "KMGT";
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno == ERANGE || end == text || strchr(text, '-') != NULL)
        return false;
    if (*end != '\0') {
        const char *suffix = strchr(suffixes, *end);
        if (kind != BYTES || suffix == NULL || end[1] != '\0')
            return false;
        int shift = 10 * (int)(suffix - suffixes + 1);
        if (number > (SIZE_MAX >> shift))
            return false;
        number <<= shift;
    }
    if (kind == SWITCH && number > 1)
        return false;
    if (kind == COUNT && number > UINT32_MAX)
        return false;
    *value = (size_t)number;
    return true;
}

/* `words` reads "one, two, three"; a piece of it is no word. */
static bool is_one_of(const char *text, const char *words)
{
    size_t length = strcspn(text, ",");
    if (text[length] == ',')
        return false;
    for (const char *word = words; word != NULL; word = strstr(word, ", ")) {
        if (word != words)
            word += 2;
        if (strncmp(word, text, length) == 0 && (word[length] == ',' || word[length] == '\0'))
            return length > 0;
    }
    return false;
}

bool pgasi_stats_is_file(void)
{
    const char *name = pgasi_settings.stats;
    size_t length = strlen(name);
    return length >= 5 && strcmp(name + length - 5, ".json") == 0;
}

static pgas_status_t check_stats(void)
{
    const char *wanted = pgasi_settings.stats;
    if (pgasi_stats_is_file() || *wanted == '\0' || strcmp(wanted, "0") == 0 ||
        strcmp(wanted, "1") == 0)
        return PGAS_OK;
    pgasi_log_alike("PGAS_STATS='%s' is not 0, 1 or a name that ends in .json", wanted);
    return PGAS_ERR_ARGUMENT;
}

static pgas_status_t check_choices(void)
{
    pgas_status_t status = PGAS_OK;
    const struct {
        const char *variable;
        const char *text;
        const char *words;
    } choices[] = {
        {"PGAS_SEGMENT", pgasi_settings.segment, "memfd, posix, ucx, auto"},
        {"PGAS_RMA", pgasi_settings.rma, "on, off, auto"},
        {"PGAS_PROGRESS", pgasi_settings.progress, "thread, poll, auto"},
        {"PGAS_SLEEP", pgasi_settings.sleep, "bounded, auto"},
    };
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++)
        if (!is_one_of(choices[i].text, choices[i].words)) {
            pgasi_log_alike("%s='%s' is not one of %s", choices[i].variable, choices[i].text,
                            choices[i].words);
            status = PGAS_ERR_ARGUMENT;
        }
    return status;
}

enum {
    LONGEST_NAME = 64
};

/* Letters to change, add or leave out to turn one into the other (Levenshtein). */
static size_t distance(const char *a, const char *b)
{
    size_t row[LONGEST_NAME + 1];
    size_t length = strnlen(b, LONGEST_NAME);
    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 0; i < LONGEST_NAME && a[i] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            size_t least = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            if (row[j] + 1 < least)
                least = row[j] + 1;
            if (row[j + 1] + 1 < least)
                least = row[j + 1] + 1;
            row[j + 1] = least;
        }
    }
    return row[length];
}

/* `name` ends in '=' or '\0'. */
static void tell_if_unknown(const char *name)
{
    char own[LONGEST_NAME];
    snprintf(own, sizeof own, "%.*s", (int)strcspn(name, "="), name);
    const entry_t *nearest = table;
    for (size_t i = 0; i < ENTRIES; i++)
        if (distance(own, table[i].variable) < distance(own, nearest->variable))
            nearest = &table[i];
    if (strcmp(own, nearest->variable) != 0)
        pgasi_note("%s is set, but is no setting of the runtime: is %s meant (%s)?", own,
                   nearest->variable, nearest->help);
}

/* Except variables of the tests. */
static void tell_unknown(void)
{
    static const char prefix[] = "PGAS_";
    static const char tests[] = "PGAS_TEST_";
    for (char **variable = environ; variable != NULL && *variable != NULL; variable++)
        if (strncmp(*variable, prefix, sizeof prefix - 1) == 0 &&
            strncmp(*variable, tests, sizeof tests - 1) != 0)
            tell_if_unknown(*variable);
}

static pgas_status_t load_entry(size_t index)
{
    static const char *const expected[] = {
        [BYTES] = "a whole number with an optional suffix K, M, G or T",
        [COUNT] = "a whole number up to 4294967295",
        [SWITCH] = "0 or 1",
    };
    const entry_t *entry = &table[index];
    const char *text = getenv(entry->variable);
    if (text == NULL || *text == '\0')
        return PGAS_OK;
    if (entry->kind == TEXT)
        return keep_text(index, text);
    if (parse_number(text, entry->kind, entry->value))
        return PGAS_OK;
    pgasi_log_alike("%s='%s' is not %s (%s)", entry->variable, text, expected[entry->kind],
                    entry->help);
    return PGAS_ERR_ARGUMENT;
}

static pgas_status_t first_failure(pgas_status_t before, pgas_status_t now)
{
    return before != PGAS_OK ? before : now;
}

pgas_status_t pgasi_config_load(void)
{
    pgas_status_t status = PGAS_OK;
    tell_unknown();
    for (size_t i = 0; i < ENTRIES; i++)
        status = first_failure(status, load_entry(i));
    status = first_failure(status, check_choices());
    return first_failure(status, check_stats());
}
