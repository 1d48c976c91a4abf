/**
 * What the sources of GASNet tools share.
 */
#ifndef GASNETI_TOOLS_H
#define GASNETI_TOOLS_H

#include <stdbool.h>
#include <stdint.h>

/** False if the text is no number; as gasnett_parse_int. */
bool gasneti_parse_integer(const char *text, uint64_t mem_size_multiplier, int64_t *value);

#endif
