#include "support/json_text.h"

#include <stdlib.h>
#include <string.h>

/* The lengths of characters by their first byte, and what the second may be: no character in more
 * bytes than it needs, no half of a UTF-16 pair, none beyond U+10FFFF. */
typedef struct form {
    unsigned char first;
    unsigned char last;
    unsigned char second_low;
    unsigned char second_high;
    size_t nbytes;
} form_t;

static const form_t forms[] = {
    {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
    {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
    {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

/* The bytes of the character at the beginning of the text; 0 if there is none. The byte that ends
 * the text belongs to none. */
static size_t character_bytes(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    if (bytes[0] < 0x80)
        return 1;
    for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
        const form_t *form = &forms[f];
        if (bytes[0] < form->first || bytes[0] > form->last || bytes[1] < form->second_low ||
            bytes[1] > form->second_high)
            continue;
        size_t found = 2;
        while (found < form->nbytes && (bytes[found] & 0xc0) == 0x80)
            found++;
        return found == form->nbytes ? found : 0;
    }
    return 0;
}

json_t *text_to_json(const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    const size_t replacement_bytes = sizeof replacement - 1;
    char *utf8 = malloc(strlen(text) * replacement_bytes + 1);
    size_t used = 0;
    if (utf8 == NULL)
        return NULL;
    while (*text != '\0') {
        size_t nbytes = character_bytes(text);
        if (nbytes > 0) {
            memcpy(utf8 + used, text, nbytes);
            used += nbytes;
            text += nbytes;
        } else {
            memcpy(utf8 + used, replacement, replacement_bytes);
            used += replacement_bytes;
            text++;
        }
    }
    json_t *string = json_stringn(utf8, used);
    free(utf8);
    return string;
}
