#include "coll/algorithm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is written to, up to the end of it. */
typedef struct line {
    char *text;
    size_t size;
    size_t used;
} line_t;

/* Adds text: add(line, snprintf(END_OF(line), ...)). */
#define END_OF(line) (line)->text + (line)->used, (line)->size - (line)->used

static void add(line_t *line, int length)
{
    if (length > 0)
        line->used += (size_t)length;
    if (line->used >= line->size)
        line->used = line->size - 1;
}

/* A part of the setting. */
typedef struct word {
    const char *begin;
    size_t length;
} word_t;

static word_t word_until(const char *begin, const char *ends)
{
    return (word_t){begin, strcspn(begin, ends)};
}

static bool is_name(word_t word, const char *name)
{
    return strlen(name) == word.length && memcmp(name, word.begin, word.length) == 0;
}

static bool find_kind(word_t word, pgasi_coll_kind_t *kind)
{
    for (int i = 0; i < PGASI_COLL_KIND_COUNT; i++)
        if (is_name(word, pgasi_coll_kind_name((pgasi_coll_kind_t)i))) {
            *kind = (pgasi_coll_kind_t)i;
            return true;
        }
    return false;
}

static bool find_algorithm(word_t word, pgasi_coll_kind_t kind, pgasi_coll_algorithm_t *algorithm)
{
    for (int i = 0; i < PGASI_COLL_ALGORITHM_COUNT; i++) {
        *algorithm = (pgasi_coll_algorithm_t)i;
        if (pgasi_coll_has(kind, *algorithm) &&
            is_name(word, pgasi_coll_algorithm_name(*algorithm)))
            return true;
    }
    return false;
}

static bool no_kind(word_t word, line_t *line)
{
    add(line, snprintf(END_OF(line), "'%.*s' is no collective; there are ", (int)word.length,
                       word.begin));
    for (int i = 0; i < PGASI_COLL_KIND_COUNT; i++)
        add(line, snprintf(END_OF(line), "%s%s", i == 0 ? "" : ", ",
                           pgasi_coll_kind_name((pgasi_coll_kind_t)i)));
    return false;
}

static bool no_algorithm(word_t word, pgasi_coll_kind_t kind, line_t *line)
{
    const char *between = "";
    add(line, snprintf(END_OF(line), "'%.*s' is no algorithm of %s; there are ", (int)word.length,
                       word.begin, pgasi_coll_kind_name(kind)));
    for (int i = 0; i < PGASI_COLL_ALGORITHM_COUNT; i++)
        if (pgasi_coll_has(kind, (pgasi_coll_algorithm_t)i)) {
            add(line, snprintf(END_OF(line), "%s%s", between,
                               pgasi_coll_algorithm_name((pgasi_coll_algorithm_t)i)));
            between = ", ";
        }
    return false;
}

/* A number that is all of the word. */
static bool read_size(word_t word, size_t *size)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(word.begin, &end, 10);
    *size = (size_t)number;
    return errno == 0 && end == word.begin + word.length && word.length > 0 &&
           word.begin[0] >= '0' && word.begin[0] <= '9';
}

static bool read_rule(word_t part, pgasi_coll_rule_t *rule, line_t *line)
{
    *rule = (pgasi_coll_rule_t){.from = 0};
    word_t kind = word_until(part.begin, "=,");
    if (!find_kind(kind, &rule->kind))
        return no_kind(kind, line);
    bool has_name = kind.length < part.length;
    word_t name = word_until(kind.begin + kind.length + (has_name ? 1 : 0), ":,");
    if (!has_name)
        name.length = 0;
    if (!find_algorithm(name, rule->kind, &rule->algorithm))
        return no_algorithm(name, rule->kind, line);
    const char *end = name.begin + name.length;
    if (*end != ':')
        return true;
    word_t size = word_until(end + 1, ",");
    if (pgasi_coll_is_uneven(rule->kind)) {
        add(line, snprintf(END_OF(line), "%s has no rules by size: members know their own blocks",
                           pgasi_coll_kind_name(rule->kind)));
        return false;
    }
    if (read_size(size, &rule->from))
        return true;
    add(line, snprintf(END_OF(line), "'%.*s' is no number of bytes", (int)size.length, size.begin));
    return false;
}

bool pgasi_coll_rules_read(const char *text, pgasi_coll_rules_t *rules, char *wrong, size_t size)
{
    line_t line = {.text = wrong, .size = size};
    wrong[0] = '\0';
    *rules = (pgasi_coll_rules_t){.count = 0};
    if (*text == '\0')
        return true;
    for (word_t part = word_until(text, ",");;
         part = word_until(part.begin + part.length + 1, ",")) {
        if (is_name(part, "show"))
            rules->shows = true;
        else if (rules->count == PGASI_COLL_RULES)
            add(&line, snprintf(END_OF(&line), "there are more than %d rules", PGASI_COLL_RULES));
        else if (read_rule(part, &rules->rules[rules->count], &line))
            rules->count++;
        if (line.used > 0)
            return false;
        if (part.begin[part.length] == '\0')
            return true;
    }
}

/* Twice the size, or where a rule of this kind begins before. */
static size_t next_step(const pgasi_coll_rules_t *rules, pgasi_coll_kind_t kind, size_t nbytes)
{
    size_t next = 2 * nbytes;
    for (uint32_t i = 0; i < rules->count; i++) {
        size_t from = rules->rules[i].from;
        if (rules->rules[i].kind == kind && from > nbytes && from < next)
            next = from;
    }
    return next;
}

/* The least size above `nbytes` that has another algorithm; 0: there is none. Doubling finds every
 * choice of the table that holds up to twice the size at which it begins, as all do below a
 * thousand nodes. */
static size_t next_choice(const pgasi_coll_rules_t *rules, pgasi_coll_kind_t kind,
                          const pgasi_coll_shape_t *shape, size_t nbytes)
{
    pgasi_coll_algorithm_t now = pgasi_coll_choose(rules, kind, nbytes, shape);
    size_t same = nbytes;
    size_t other = nbytes + 1;
    while (pgasi_coll_choose(rules, kind, other, shape) == now) {
        if (other > SIZE_MAX / 4)
            return 0;
        same = other;
        other = next_step(rules, kind, other);
    }
    while (other - same > 1) {
        size_t middle = same + (other - same) / 2;
        if (pgasi_coll_choose(rules, kind, middle, shape) == now)
            same = middle;
        else
            other = middle;
    }
    return other;
}

const char *pgasi_coll_describe(const pgasi_coll_rules_t *rules, pgasi_coll_kind_t kind,
                                const pgasi_coll_shape_t *shape, char *text, size_t size)
{
    line_t line = {.text = text, .size = size};
    text[0] = '\0';
    add(&line, snprintf(END_OF(&line), "%s",
                        pgasi_coll_algorithm_name(pgasi_coll_choose(rules, kind, 0, shape))));
    for (size_t from = next_choice(rules, kind, shape, 0); from > 0;
         from = next_choice(rules, kind, shape, from))
        add(&line,
            snprintf(END_OF(&line), ", from %zu bytes on %s", from,
                     pgasi_coll_algorithm_name(pgasi_coll_choose(rules, kind, from, shape))));
    return text;
}
