// International host names (RFC 5891, Unicode TR46) by libidn2, which libcurl brings along. It is loaded when it is first
// needed: few hosts have such a name.
#ifndef CIDN_H
#define CIDN_H

#include <stddef.h>

// Writes the A-labels of a UTF-8 host name, with a zero at the end; they may hold any ASCII, which the caller checks.
// Returns 1; 0 when it is no international name, or too long for `size` bytes; -1 without libidn2. Loads it once.
// Thread-safe.
int cidn_to_ascii(const char *name, char *ascii, size_t size);

#endif
