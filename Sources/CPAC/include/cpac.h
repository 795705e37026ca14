// Proxy auto-configuration scripts by libpacparser, which is loaded on demand: few jobs have one.
#ifndef CPAC_H
#define CPAC_H

#include <stddef.h>

enum cpac_result {
    cpac_ok = 0,
    // There is no libpacparser.so.1.
    cpac_no_library = 1,
    // The script cannot be read as JavaScript.
    cpac_bad_script = 2,
    // The script has failed, or the answer does not fit.
    cpac_failed = 3,
};

// Asks a script for the proxies of a URL. With a NULL url it only reads the script. `answer` gets the answer or the
// message of the failure, with a NUL at its end. Not thread-safe, once in a process.
int cpac_find_proxy(const char *script, const char *url, const char *host, char *answer, size_t size);

// Whether libpacparser can be loaded.
int cpac_is_available(void);

#endif
