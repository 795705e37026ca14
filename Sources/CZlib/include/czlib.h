// gzip (RFC 1952) by zlib, which is loaded when it is first needed: most commands compress and decode nothing.
#ifndef CZLIB_H
#define CZLIB_H
#include <stddef.h>

// Loads zlib once; whether it is there. Thread-safe.
int czlib_load(void);

// Compresses to a gzip member without a name and a time: the same bytes give the same result. Returns memory that the
// caller frees, and its size; NULL without memory, beyond 4 GiB, or when czlib_load says no.
unsigned char *czlib_gzip(const void *bytes, size_t count, size_t *size);

// Decodes what is gzip or in zlib's own format (RFC 1950), as its first bytes say, one stream behind the other.
typedef struct czlib_inflater czlib_inflater;
enum czlib_progress { CZLIB_MORE, CZLIB_ENDED, CZLIB_CORRUPT };

// NULL without zlib or memory.
czlib_inflater *czlib_inflater_new(void);

// Decodes from *in, *in_count bytes, to out, *out_count bytes, and moves them on; the counts are what is left. CZLIB_ENDED
// when the last byte that was taken ended a stream: the next one begins another.
enum czlib_progress czlib_inflate(czlib_inflater *inflater, const unsigned char **in, size_t *in_count, unsigned char *out,
                                  size_t *out_count);
void czlib_inflater_free(czlib_inflater *inflater);

#endif
