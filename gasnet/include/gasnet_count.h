/**
 * Macros that count their arguments, for calls that have several forms. Internal.
 */
#ifndef GASNET_COUNT_H
#define GASNET_COUNT_H

#define GASNETI_JOIN_(a, b) a##b
#define GASNETI_JOIN(a, b) GASNETI_JOIN_(a, b)

/** The 8th argument. */
#define GASNETI_8TH(a, b, c, d, e, f, g, h, ...) h

/** How many arguments there are, 1 to 7. */
#define GASNETI_COUNT(...) GASNETI_8TH(__VA_ARGS__, 7, 6, 5, 4, 3, 2, 1, too_few)

/** NAME followed by the number of arguments, called with them. */
#define GASNETI_SELECT(name, ...) GASNETI_JOIN(name, GASNETI_COUNT(__VA_ARGS__))(__VA_ARGS__)

#endif
