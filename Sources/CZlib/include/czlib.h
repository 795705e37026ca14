// gzip (RFC 1952) by zlib, which is loaded when it is first needed: most commands compress nothing.
#ifndef CZLIB_H
#define CZLIB_H
#include <stddef.h>

// Loads zlib once; whether it is there. Thread-safe.
int czlib_load(void);

// Compresses to a gzip member without a name and a time: the same bytes give the same result. Returns memory that the
// caller frees, and its size; NULL without memory, beyond 4 GiB, or when czlib_load says no.
unsigned char *czlib_gzip(const void *bytes, size_t count, size_t *size);

#endif
