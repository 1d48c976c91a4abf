/**
 * Text from files on its way to a terminal.
 */
#ifndef SUPPORT_PRINTABLE_H
#define SUPPORT_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Puts '?' in the place of every byte that is not printable: of control characters, which could
 * command the terminal, and where the text is not known to be UTF-8, of all that is not ASCII.
 */
static inline void printable_make(char *text, size_t nbytes, bool is_utf8)
{
    for (size_t i = 0; i < nbytes; i++) {
        unsigned char byte = (unsigned char)text[i];
        unsigned char next = (unsigned char)(i + 1 < nbytes ? text[i + 1] : '\0');
        /* U+0080 to U+009F are control characters, too. */
        bool is_control =
            byte < ' ' || byte == 0x7f || (byte == 0xc2 && next >= 0x80 && next < 0xa0);
        if (!is_control && (byte < 0x7f || is_utf8))
            continue;
        text[i] = '?';
        if (is_utf8 && byte == 0xc2)
            text[++i] = '?';
    }
}

#endif
