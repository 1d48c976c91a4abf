/**
 * Names in JSON. JSON is UTF-8, and the name of a file may be any bytes.
 */
#ifndef SUPPORT_JSON_TEXT_H
#define SUPPORT_JSON_TEXT_H

#include <jansson.h>

/** The text as a JSON string, each byte that is not part of UTF-8 replaced by U+FFFD. The caller
 *  owns the only reference. NULL if there is not enough memory. */
json_t *text_to_json(const char *text);

#endif
