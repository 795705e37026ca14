#define _GNU_SOURCE
#include "carchive.h"

#include <dlfcn.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct archive;
struct archive_entry;

// Results of libarchive (<archive.h>), whose numbers are fixed.
enum { end_of_archive = 1, okay = 0, warning = -20 };
enum { block_size = 64 << 10 };

struct carchive {
    struct archive *archive;
    int is_broken;
};

static struct archive *(*read_new)(void);
static int (*read_free)(struct archive *);
static int (*open_fd)(struct archive *, int, size_t);
static int (*next_header)(struct archive *, struct archive_entry **);
static ssize_t (*read_data)(struct archive *, void *, size_t);
static const char *(*error_string)(struct archive *);
static int (*support_tar)(struct archive *);
static int (*support_zip)(struct archive *);
static const char *(*pathname)(struct archive_entry *);
static const char *(*hardlink)(struct archive_entry *);
static const char *(*symlink_target)(struct archive_entry *);
static mode_t (*filetype)(struct archive_entry *);
static mode_t (*permissions)(struct archive_entry *);
static int (*time_is_set)(struct archive_entry *);
static time_t (*entry_time)(struct archive_entry *);
static long (*entry_nanoseconds)(struct archive_entry *);

static const char *const filter_names[] = {
    "archive_read_support_filter_gzip",
    "archive_read_support_filter_bzip2",
    "archive_read_support_filter_xz",
    "archive_read_support_filter_zstd",
};
enum { filter_count = sizeof filter_names / sizeof *filter_names };
static int (*filters[filter_count])(struct archive *);

// libarchive converts names to the encoding of the thread's locale.
static locale_t utf8;
static int is_loaded;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *library = dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    struct {
        void *place;
        const char *name;
    } functions[] = {
        {&read_new, "archive_read_new"},
        {&read_free, "archive_read_free"},
        {&open_fd, "archive_read_open_fd"},
        {&next_header, "archive_read_next_header"},
        {&read_data, "archive_read_data"},
        {&error_string, "archive_error_string"},
        {&support_tar, "archive_read_support_format_tar"},
        {&support_zip, "archive_read_support_format_zip_seekable"},
        {&pathname, "archive_entry_pathname"},
        {&hardlink, "archive_entry_hardlink"},
        {&symlink_target, "archive_entry_symlink"},
        {&filetype, "archive_entry_filetype"},
        {&permissions, "archive_entry_perm"},
        {&time_is_set, "archive_entry_mtime_is_set"},
        {&entry_time, "archive_entry_mtime"},
        {&entry_nanoseconds, "archive_entry_mtime_nsec"},
    };
    for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
        void *function = dlsym(library, functions[index].name);
        if (!function) return;
        memcpy(functions[index].place, &function, sizeof function);
    }
    struct archive *trial = read_new();
    if (!trial) return;
    for (int index = 0; index < filter_count; index++) {
        int (*filter)(struct archive *);
        *(void **)&filter = dlsym(library, filter_names[index]);
        // Without its own decoder libarchive warns, and would start a program of that name from PATH.
        if (filter && filter(trial) == okay) filters[index] = filter;
    }
    read_free(trial);
    utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    is_loaded = utf8 != (locale_t)0;
}

int carchive_is_available(void) {
    pthread_once(&load_once, load);
    return is_loaded;
}

struct carchive *carchive_open(int descriptor) {
    if (!carchive_is_available()) return NULL;
    struct carchive *reader = calloc(1, sizeof *reader);
    if (!reader) return NULL;
    reader->archive = read_new();
    if (!reader->archive) {
        free(reader);
        return NULL;
    }
    locale_t before = uselocale(utf8);
    support_tar(reader->archive);
    // By the directory at its end, as all unpackers of zip files read them.
    support_zip(reader->archive);
    for (int index = 0; index < filter_count; index++) {
        if (filters[index]) filters[index](reader->archive);
    }
    reader->is_broken = lseek(descriptor, 0, SEEK_SET) < 0 || open_fd(reader->archive, descriptor, block_size) != okay;
    uselocale(before);
    return reader;
}

static enum carchive_kind kind_of(struct archive_entry *entry, struct carchive_entry *out) {
    if ((out->target = hardlink(entry))) return carchive_hard_link;
    switch (filetype(entry)) {
    case S_IFREG: return carchive_file;
    case S_IFDIR: return carchive_folder;
    case S_IFLNK:
        out->target = symlink_target(entry);
        return carchive_symbolic_link;
    default: return carchive_special;
    }
}

int carchive_next(struct carchive *reader, struct carchive_entry *out) {
    struct archive_entry *entry = NULL;
    if (reader->is_broken) return -1;
    locale_t before = uselocale(utf8);
    int result = next_header(reader->archive, &entry);
    if (result == okay || result == warning) {
        memset(out, 0, sizeof *out);
        out->name = pathname(entry);
        out->kind = kind_of(entry, out);
        out->mode = permissions(entry);
        out->is_inexact = result == warning;
        out->has_time = time_is_set(entry);
        out->seconds = entry_time(entry);
        out->nanoseconds = entry_nanoseconds(entry);
    }
    uselocale(before);
    if (result == end_of_archive) return 0;
    reader->is_broken = result != okay && result != warning;
    return reader->is_broken ? -1 : 1;
}

int64_t carchive_read(struct carchive *reader, void *bytes, size_t size) {
    ssize_t count = read_data(reader->archive, bytes, size);
    return count < 0 ? -1 : count;
}

const char *carchive_fault(const struct carchive *reader) {
    const char *text = error_string(reader->archive);
    return text ? text : "it cannot be read";
}

void carchive_close(struct carchive *reader) {
    read_free(reader->archive);
    free(reader);
}
