// Archives by libarchive, which is loaded on demand: only downloads with `extract` need it.
#ifndef CARCHIVE_H
#define CARCHIVE_H
#include <stddef.h>
#include <stdint.h>

// Whether libarchive and a locale for names in UTF-8 can be loaded. Loads both once. Thread-safe.
int carchive_is_available(void);

// The kind of an entry of an archive.
enum carchive_kind {
    carchive_file,
    carchive_folder,
    carchive_symbolic_link,
    carchive_hard_link,
    // A device, a pipe or a socket.
    carchive_special,
};

// An entry of an archive. Its texts are valid until the next call with its reader.
struct carchive_entry {
    // NULL when the name has no form in UTF-8.
    const char *name;
    // The target of a link, else NULL.
    const char *target;
    enum carchive_kind kind;
    // With setuid, setgid and sticky bits.
    uint32_t mode;
    // Whether libarchive may have replaced bytes of a text that it could not convert.
    int is_inexact;
    int has_time;
    int64_t seconds;
    int64_t nanoseconds;
};

// A reader of one archive, for one thread at a time.
struct carchive;

// Opens the archive in a regular file, from its start: tar, plain or by gzip, bzip2, xz or zstd, or zip. Returns NULL
// without the library or memory; other faults come from `carchive_next`.
struct carchive *carchive_open(int descriptor);
// Goes to the next entry: 1; 0 at the end; -1 for a fault.
int carchive_next(struct carchive *reader, struct carchive_entry *entry);
// Reads the next bytes of the entry, with zeros for the gaps of a sparse file: their count; 0 at the end; -1 for a fault.
int64_t carchive_read(struct carchive *reader, void *bytes, size_t size);
// The text of the last fault; never NULL.
const char *carchive_fault(const struct carchive *reader);
// Closes the reader, not the descriptor.
void carchive_close(struct carchive *reader);

#endif
