// What the C files here share of finding functions in libraries.
#ifndef CCURL_LIBRARIES_H
#define CCURL_LIBRARIES_H

#include <stddef.h>

struct ccurl_trust;

struct ccurl_symbol {
    void *slot;
    const char *name;
};
#define CCURL_COUNT(array) (sizeof(array) / sizeof((array)[0]))

// Finds every symbol; otherwise the name of the first that is missing.
const char *ccurl_bind(void *library, const struct ccurl_symbol *symbols, size_t count);
// Called once, with both libraries there.
void ccurl_trust_load(void *libssl, void *libcrypto);
// The layer around another one, if the last two that were opened are these.
const void *ccurl_trust_outer(const struct ccurl_trust *trust, const void *inner);

#endif
