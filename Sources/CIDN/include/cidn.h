// International host names (RFC 5891, Unicode TR46) by libidn2, which comes with libcurl. It is loaded on demand: few
// hosts have such names.
#ifndef CIDN_H
#define CIDN_H

#include <stddef.h>

// Writes the A-labels of a UTF-8 host name with a final NUL; the caller must check them, because they may contain any
// ASCII. Returns 1; 0 if the name is invalid or too long for `size` bytes; -1 without libidn2. Loads it once.
// Thread-safe.
int cidn_to_ascii(const char *name, char *ascii, size_t size);

#endif
