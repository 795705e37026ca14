// Functions for loading libraries, shared by the C files here.
#ifndef CCURL_LIBRARIES_H
#define CCURL_LIBRARIES_H

#include <stddef.h>

struct ccurl_trust;

struct ccurl_symbol {
    void *slot;
    const char *name;
};
#define CCURL_COUNT(array) (sizeof(array) / sizeof((array)[0]))

// Finds every symbol; otherwise returns the name of the first missing one.
const char *ccurl_bind(void *library, const struct ccurl_symbol *symbols, size_t count);
// Called once, when both libraries are loaded.
void ccurl_trust_load(void *libssl, void *libcrypto);
// Called once, after ccurl_trust_load.
void ccurl_channel_load(void *libssl, void *libcrypto);
// The outer layer of a session, if they are the last two that were opened.
const void *ccurl_trust_outer(const struct ccurl_trust *trust, const void *inner);

#endif
