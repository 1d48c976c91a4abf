#include "scan.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "fail.h"
#include "number.h"
#include "support/printable.h"

enum {
    SHOWN_CHARS = 40
};

/* A word as a message shows it. */
typedef struct shown {
    char text[SHOWN_CHARS + sizeof "..."];
} shown_t;

static bool is_blank(const meshi_scan_t *scan, char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == scan->separator;
}

bool meshi_scan_more(meshi_scan_t *scan)
{
    while (scan->at < scan->end && is_blank(scan, *scan->at))
        scan->at++;
    return scan->at < scan->end && *scan->at != '\n' && *scan->at != scan->comment;
}

void meshi_scan_skip_line(meshi_scan_t *scan)
{
    const char *newline = memchr(scan->at, '\n', meshi_scan_left(scan));
    if (newline == NULL) {
        scan->at = scan->end;
        return;
    }
    scan->at = newline + 1;
    scan->line++;
}

bool meshi_scan_start_line(meshi_scan_t *scan)
{
    while (scan->at < scan->end) {
        if (meshi_scan_more(scan))
            return true;
        meshi_scan_skip_line(scan);
    }
    return false;
}

bool meshi_scan_word(meshi_scan_t *scan, meshi_word_t *word)
{
    if (!meshi_scan_more(scan))
        return false;
    const char *start = scan->at;
    while (scan->at < scan->end && !is_blank(scan, *scan->at) && *scan->at != '\n' &&
           *scan->at != scan->comment)
        scan->at++;
    *word = (meshi_word_t){start, (size_t)(scan->at - start)};
    return true;
}

bool meshi_word_is(meshi_word_t word, const char *text)
{
    return word.length == strlen(text) && strncasecmp(word.text, text, word.length) == 0;
}

/* Cuts long words, and keeps unprintable characters of a damaged file from the terminal. */
static shown_t show(meshi_word_t word)
{
    shown_t shown;
    bool is_long = word.length > SHOWN_CHARS;
    size_t length = is_long ? SHOWN_CHARS : word.length;
    memcpy(shown.text, word.text, length);
    printable_make(shown.text, length, false);
    snprintf(shown.text + length, sizeof shown.text - length, "%s", is_long ? "..." : "");
    return shown;
}

static bool get_word(meshi_scan_t *scan, const char *what, meshi_word_t *word, mesh_error_t *error)
{
    if (!meshi_scan_word(scan, word))
        return meshi_fail(error, "%s:%zu: %s is missing: the %s ends here", scan->name, scan->line,
                          what, scan->at < scan->end ? "line" : "file");
    return true;
}

bool meshi_scan_whole(meshi_scan_t *scan, const char *what, int64_t min, int64_t max,
                      int64_t *value, mesh_error_t *error)
{
    meshi_word_t word;
    int64_t number;
    if (!get_word(scan, what, &word, error))
        return false;
    if (!meshi_number_whole(word.text, word.length, &number) || number < min || number > max)
        return meshi_fail(error, "%s:%zu: %s '%s' is not a whole number from %lld to %lld",
                          scan->name, scan->line, what, show(word).text, (long long)min,
                          (long long)max);
    *value = number;
    return true;
}

bool meshi_scan_real(meshi_scan_t *scan, const char *what, double *value, mesh_error_t *error)
{
    meshi_word_t word;
    if (!get_word(scan, what, &word, error))
        return false;
    if (!meshi_number_real(word.text, word.length, value))
        return meshi_fail(error, "%s:%zu: %s '%s' is not a finite decimal number", scan->name,
                          scan->line, what, show(word).text);
    return true;
}

bool meshi_scan_end_line(meshi_scan_t *scan, const char *what, mesh_error_t *error)
{
    meshi_word_t word;
    if (meshi_scan_word(scan, &word))
        return meshi_fail(error, "%s:%zu: '%s' is one word too many for %s", scan->name, scan->line,
                          show(word).text, what);
    meshi_scan_skip_line(scan);
    return true;
}

size_t meshi_scan_left(const meshi_scan_t *scan)
{
    return (size_t)(scan->end - scan->at);
}
