#include <gasnet_vis.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* Room for an entry, "{0xffffffffffffffff, 18446744073709551615}, ", and for what surrounds all. */
enum {
    ENTRY = 48,
    FRAME = 160
};

static char *append(char *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The room is the caller's: as much as the longest text takes. */
static char *append(char *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    /* clang-tidy 14 mistakes the list in a file that is compiled several times.
     * NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    int length = vsnprintf(to, FRAME, format, args);
    va_end(args);
    return to + (length > 0 ? length : 0);
}

/* ---- Vectors ---- */

size_t gasnett_format_memveclist_bufsz(size_t count)
{
    return FRAME + count * ENTRY;
}

static size_t total_of(size_t count, gasnet_memvec_t const list[])
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += list[i].len;
    return total;
}

void gasnett_format_memveclist(char *buf, size_t count, gasnet_memvec_t const list[])
{
    char *to = append(buf, "%zu entries, %zu bytes: [", count, total_of(count, list));
    for (size_t i = 0; i < count; i++)
        to = append(to, "%s{%#" PRIxPTR ", %zu}", i > 0 ? ", " : "", (uintptr_t)list[i].addr,
                    list[i].len);
    append(to, "]");
}

size_t gasnett_format_putvgetv_bufsz(size_t dstcount, size_t srccount)
{
    return FRAME + gasnett_format_memveclist_bufsz(dstcount) +
           gasnett_format_memveclist_bufsz(srccount);
}

static char *end_of(char *text)
{
    while (*text != '\0')
        text++;
    return text;
}

size_t gasnett_format_putvgetv(char *buf, gasnet_node_t node, size_t dstcount,
                               gasnet_memvec_t const dstlist[], size_t srccount,
                               gasnet_memvec_t const srclist[])
{
    char *to = append(buf, "node %u, dst: ", node);
    gasnett_format_memveclist(to, dstcount, dstlist);
    to = append(end_of(to), ", src: ");
    gasnett_format_memveclist(to, srccount, srclist);
    return total_of(dstcount, dstlist);
}

/* ---- Indexed ---- */

size_t gasnett_format_addrlist_bufsz(size_t count)
{
    return FRAME + count * ENTRY;
}

void gasnett_format_addrlist(char *buf, size_t count, void *const list[], size_t len)
{
    char *to = append(buf, "%zu entries of %zu bytes: [", count, len);
    for (size_t i = 0; i < count; i++)
        to = append(to, "%s%#" PRIxPTR, i > 0 ? ", " : "", (uintptr_t)list[i]);
    append(to, "]");
}

size_t gasnett_format_putigeti_bufsz(size_t dstcount, size_t srccount)
{
    return FRAME + gasnett_format_addrlist_bufsz(dstcount) +
           gasnett_format_addrlist_bufsz(srccount);
}

size_t gasnett_format_putigeti(char *buf, gasnet_node_t node, size_t dstcount,
                               void *const dstlist[], size_t dstlen, size_t srccount,
                               void *const srclist[], size_t srclen)
{
    char *to = append(buf, "node %u, dst: ", node);
    gasnett_format_addrlist(to, dstcount, dstlist, dstlen);
    to = append(end_of(to), ", src: ");
    gasnett_format_addrlist(to, srccount, srclist, srclen);
    return dstcount * dstlen;
}

/* ---- Strided ---- */

size_t gasnett_format_strides_bufsz(size_t count)
{
    return FRAME + count * ENTRY;
}

void gasnett_format_strides(char *buf, size_t count, const size_t list[])
{
    char *to = append(buf, "[");
    for (size_t i = 0; i < count; i++)
        to = append(to, "%s%zu", i > 0 ? ", " : "", list[i]);
    append(to, "]");
}

size_t gasnett_format_putsgets_bufsz(size_t stridelevels)
{
    return FRAME + 3 * gasnett_format_strides_bufsz(stridelevels + 1);
}

size_t gasnett_format_putsgets(char *buf, void *stats, gasnet_node_t node, void *dstaddr,
                               const size_t dststrides[], void *srcaddr, const size_t srcstrides[],
                               const size_t count[], size_t stridelevels)
{
    (void)stats;
    size_t total = 1;
    char *to = append(buf, "node %u, dst: %#" PRIxPTR " ", node, (uintptr_t)dstaddr);
    gasnett_format_strides(to, stridelevels, dststrides);
    to = append(end_of(to), ", src: %#" PRIxPTR " ", (uintptr_t)srcaddr);
    gasnett_format_strides(to, stridelevels, srcstrides);
    to = append(end_of(to), ", count: ");
    gasnett_format_strides(to, stridelevels + 1, count);
    for (size_t i = 0; i <= stridelevels; i++)
        total *= count[i];
    return total;
}
