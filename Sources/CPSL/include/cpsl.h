// The Public Suffix List (https://publicsuffix.org) by libpsl, which is loaded on demand: few responses set a cookie
// for more than their own host.
#ifndef CPSL_H
#define CPSL_H

// Whether a host name, in lower case, is a public suffix: 1 or 0; -1 without libpsl. Loads it once. Thread-safe.
int cpsl_is_public_suffix(const char *name);

#endif
