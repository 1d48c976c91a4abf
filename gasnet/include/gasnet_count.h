/**
 * Macros that count their arguments, for calls that have several forms. Internal.
 */
#ifndef GASNET_COUNT_H
#define GASNET_COUNT_H

#define GASNETI_JOIN_(a, b) a##b
#define GASNETI_JOIN(a, b) GASNETI_JOIN_(a, b)

/** The 22nd argument. */
#define GASNETI_22ND(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, ...) v

/** How many arguments there are, 1 to 21; and how many more than 2, 4 or 5. */
#define GASNETI_COUNT(...) \
    GASNETI_22ND(__VA_ARGS__, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, \
                 2, 1, too_few)
#define GASNETI_BEYOND_2(...) \
    GASNETI_22ND(__VA_ARGS__, too_many, too_many, too_many, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, \
                 6, 5, 4, 3, 2, 1, 0, too_few, too_few)
#define GASNETI_BEYOND_4(...) \
    GASNETI_22ND(__VA_ARGS__, too_many, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, \
                 too_few, too_few, too_few, too_few)
#define GASNETI_BEYOND_5(...) \
    GASNETI_22ND(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, too_few, \
                 too_few, too_few, too_few, too_few)

/** NAME followed by the number of arguments, called with them. */
#define GASNETI_SELECT(name, ...) GASNETI_JOIN(name, GASNETI_COUNT(__VA_ARGS__))(__VA_ARGS__)

#endif
