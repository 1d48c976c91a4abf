/**
 * Text from files and other users on its way to a terminal.
 */
#ifndef SUPPORT_PRINTABLE_H
#define SUPPORT_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/** Bytes of the character, of `nbytes` bytes of UTF-8, that commands a terminal: one of ASCII, or
 *  U+0080 to U+009F, or one that turns the direction of writing, U+202A to U+202E and U+2066 to
 *  U+2069. 0: `text` begins with none. */
static inline size_t printable_command(const char *text, size_t nbytes)
{
    unsigned char bytes[3] = {0};
    memcpy(bytes, text, nbytes < 3 ? nbytes : 3);
    if (bytes[0] < ' ' || bytes[0] == 0x7f)
        return 1;
    if (bytes[0] == 0xc2 && bytes[1] >= 0x80 && bytes[1] < 0xa0)
        return 2;
    bool turns = (bytes[1] == 0x80 && bytes[2] >= 0xaa && bytes[2] <= 0xae) ||
                 (bytes[1] == 0x81 && bytes[2] >= 0xa6 && bytes[2] <= 0xa9);
    return bytes[0] == 0xe2 && turns ? 3 : 0;
}

/**
 * Puts '?' in the place of every byte of a character that commands a terminal, line ends included;
 * and of all that is not ASCII, where the text is not known to be UTF-8.
 */
static inline void printable_make(char *text, size_t nbytes, bool is_utf8)
{
    for (size_t i = 0; i < nbytes; i++) {
        size_t length =
            is_utf8 ? printable_command(&text[i], nbytes - i) : text[i] < ' ' || text[i] >= 0x7f;
        if (length > 0)
            memset(&text[i], '?', length);
        if (length > 1)
            i += length - 1;
    }
}

#endif
